/* SPDX-License-Identifier: MIT */
/* breach.c - sentences of checking layers. */
#include "host/layers/breach.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/host_error.h"

enum { SAID = 20 }; /* a rule that is broken in every call is known by then */

void host_breaches_init(struct host_breaches *b, const char *plugin, void (*say)(void *context, int32_t level, const char *text), void *context)
{
	*b = (struct host_breaches){.lock = PTHREAD_MUTEX_INITIALIZER, .say = say, .context = context, .plugin = plugin};
}

void host_breaches_finish(struct host_breaches *b)
{
	pthread_mutex_destroy(&b->lock);
}

void host_breach(struct host_breaches *b, enum host_side side, const char *rule, const struct host_call *call, const char *format, ...)
{
	char how[160], line[216];
	struct reg_text text;
	va_list list;

	if (!b)
		return;
	va_start(list, format);
	vsnprintf(how, sizeof(how), format, list);
	va_end(list);
	reg_text_init(&text, line, sizeof(line));
	reg_text_add(&text, "%s%s broke %s in %s: %s", side == HOST_SIDE_PLUGIN ? "plugin " : "the host", side == HOST_SIDE_PLUGIN ? b->plugin : "", rule,
		     call->operation->name, how);
	pthread_mutex_lock(&b->lock);
	if (!b->count) {
		b->side = side;
		memcpy(b->first, line, sizeof(line));
	}
	if (b->count++ < SAID && b->say)
		b->say(b->context, PTOWSP_LOG_ERROR, line);
	pthread_mutex_unlock(&b->lock);
}

void host_breaches_fail(struct host_breaches *b, ptowsp_status code, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	pthread_mutex_lock(&b->lock);
	if (!b->failure) {
		b->failure = code;
		vsnprintf(b->why, sizeof(b->why), format, list);
		if (b->say)
			b->say(b->context, PTOWSP_LOG_ERROR, b->why);
	}
	pthread_mutex_unlock(&b->lock);
	va_end(list);
}

ptowsp_status host_breaches_verdict(struct host_breaches *b, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	pthread_mutex_lock(&b->lock);
	if (b->count) {
		status = host_fail(error, b->side == HOST_SIDE_PLUGIN ? PTOWSP_DEVICE_LOST : PTOWSP_RUN_FAILED, "%s", b->first);
		if (error)
			error->flags = b->side == HOST_SIDE_PLUGIN ? PTOWSP_ERROR_PLUGIN_BUG : PTOWSP_ERROR_HOST_BUG;
	} else if (b->failure) {
		status = host_fail(error, b->failure, "%s", b->why);
	}
	pthread_mutex_unlock(&b->lock);
	return status;
}
