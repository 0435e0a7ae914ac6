/* SPDX-License-Identifier: MIT */
/* call.c - calling a plugin: what holds for every operation is checked around each call. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "registry/names.h"
#include "tools/conform/conform.h"
#include "tools/conform/conform_process.h"
#include "tools/conform/isolated.h"

static const uint64_t bound_ns = UINT64_C(10000000000); /* of every operation that does not wait; loading may compile */

/* ---- verdicts --------------------------------------------------------------------------------------------------- */

_Noreturn static void leave(struct conform *c, enum conform_verdict verdict, const char *format, va_list list)
{
	vsnprintf(c->record->text, sizeof(c->record->text), format, list);
	c->record->verdict = verdict;
	longjmp(c->leave, 1);
}

_Noreturn void conform_fail(struct conform *c, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	leave(c, CONFORM_NOT_OK, format, list);
}

void conform_waive(struct conform *c, uint32_t class, const char *format, ...)
{
	char *const text = c->record->waived, *const end = text + strlen(text);
	const size_t room = sizeof(c->record->waived) - (size_t)(end - text);
	va_list list;

	va_start(list, format);
	if (c->strict || !c->plugin || !(host_note_driver(&c->plugin->note, c->settings, c->setting_count) & class))
		leave(c, CONFORM_NOT_OK, format, list);
	if (!strstr(text, ptowsp_driver_text(class))) { /* once a class */
		snprintf(end, room, "%sdriver=%s: ", *text ? "; " : "", ptowsp_driver_text(class));
		vsnprintf(text + strlen(text), sizeof(c->record->waived) - strlen(text), format, list);
	}
	va_end(list);
}

_Noreturn void conform_skip(struct conform *c, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	leave(c, CONFORM_SKIPPED, format, list);
}

void conform_thread_start(struct conform *c, pthread_t *thread, void *(*run)(void *), void *context)
{
	if (pthread_create(thread, NULL, run, context))
		conform_skip(c, "this machine has no thread for the test");
}

void conform_about(struct conform *c, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(c->record->about, sizeof(c->record->about), format, list);
	va_end(list);
}

/* ---- around a call ---------------------------------------------------------------------------------------------- */

static const unsigned char untouched = 0xC5;

void conform_before(struct conform *c, const char *operation)
{
	snprintf(c->record->operation, sizeof(c->record->operation), "%s", operation);
	c->record->calls++;
	c->record->inside = 1;
	memset(&c->error, untouched, sizeof(c->error));
	c->error.head = (struct ptowsp_head)PTOWSP_HEAD(c->error, ERROR);
	if (c->watched)
		conform_process_look(c->before);
	c->control = conform_control_word();
	c->called_ns = host_now_ns();
	conform_in_submit =
		c->isolate == PTOWSP_ISOLATE_NONE && !strcmp(operation, "submit"); /* from a worker, threads inside of calls bring what it has told */
	if (!strcmp(operation, "load"))
		conform_loading = c->findings ? c->findings : &c->found;
}

static bool is_untouched(const struct ptowsp_error *error)
{
	const unsigned char *bytes = (const unsigned char *)error;

	for (size_t i = sizeof(error->head); i < sizeof(*error); i++)
		if (bytes[i] != untouched)
			return false;
	return true;
}

static void error_look(struct conform *c, ptowsp_status status)
{
	const struct ptowsp_error *e = &c->error;
	const char *name = c->record->operation;

	if (!status) {
		CONFORM_MUST(c, is_untouched(e), "%s returned 0 and wrote into the error record; it is filled only with a negative status (PL6)", name);
		return;
	}
	if (c->recordless)
		return;
	CONFORM_MUST(c, !is_untouched(e), "%s returned %s and left the error record empty (PL6)", name, reg_status_name(status));
	CONFORM_MUST(c, e->code == status, "%s returned %s, its error record says %d (PL6)", name, reg_status_name(status), e->code);
	CONFORM_MUST(c, memchr(e->text, 0, sizeof(e->text)), "the sentence that %s left does not end within its 216 bytes (PL6)", name);
	CONFORM_MUST(c, *e->text && !strstr(e->text, "did not say why"), /* which the host says for a plugin in a worker */
		     "%s returned %s without a sentence (PL6)", name, reg_status_name(status));
	snprintf(c->record->said, sizeof(c->record->said), "%s", e->text);
	CONFORM_MUST(c, e->head.type == PTOWSP_STRUCT_ERROR, "the error record that %s left has kind %u, not %d (PL6)", name, e->head.type,
		     PTOWSP_STRUCT_ERROR);
}

ptowsp_status conform_after(struct conform *c, ptowsp_status status, bool waits)
{
	const char *name = c->record->operation;
	unsigned control = conform_control_word();

	conform_in_submit = 0;
	conform_loading = NULL;
	c->record->inside = 0;
	c->took_ns = host_now_ns() - c->called_ns;
	CONFORM_MUST(c, control == c->control, "%s changed the floating-point control word from 0x%x to 0x%x: rounding and flushing are left as found (PL8)",
		     name, c->control, control);
	CONFORM_MUST(c, status <= 0, "%s returned %d; a status is 0 or negative", name, status);
	CONFORM_MUST(c, strcmp(reg_status_name(status), "?") != 0, "%s returned %d, which status.def does not have", name, status);
	CONFORM_MUST(c, waits || c->took_ns < bound_ns, "%s took %.1f s; everything but poll and drain ends in bounded time (PL10)", name,
		     (double)c->took_ns / 1e9);
	if (status)
		conform_isolated_look(c);
	error_look(c, status);
	if (c->watched)
		conform_process_compare(c, c->before, name);
	pthread_mutex_lock(&c->services.lock);
	if (*c->services.wrong) {
		pthread_mutex_unlock(&c->services.lock);
		conform_fail(c, "%s", c->services.wrong);
	}
	pthread_mutex_unlock(&c->services.lock);
	return status;
}

void conform_ok(struct conform *c, ptowsp_status status, const char *what)
{
	if (status)
		conform_fail(c, "%s: %s answered %s: %.216s", what, c->record->operation, reg_status_name(status),
			     c->recordless ? "(no sentence)" : c->error.text);
}

void conform_refused(struct conform *c, ptowsp_status status, ptowsp_status code, ptowsp_status code2, const char *what)
{
	const char *name = c->record->operation;

	CONFORM_MUST(c, status == code || (code2 && status == code2), "%s: %s answered %s, not %s", what, name, reg_status_name(status), reg_status_name(code));
}

/* ---- memory that is lent ---------------------------------------------------------------------------------------- */

void *conform_lend(struct conform *c, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page + page;
	struct conform_lent *lent = &c->lent[c->lent_count];
	char *base;

	if (c->lent_count == CONFORM_LENT)
		conform_fail(c, "the test lends too much at once");
	room = room < 2 * page ? 2 * page : room;
	base = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED || mprotect(base + room - page, page, PROT_NONE))
		conform_skip(c, "this machine has no memory for the test");
	*lent = (struct conform_lent){base, room};
	c->lent_count++;
	return base + room - page - size;
}

void *conform_lend_copy(struct conform *c, const void *bytes, size_t size)
{
	return memcpy(conform_lend(c, size), bytes, size);
}

void conform_lent_drop(struct conform *c)
{
	struct conform_lent *lent = &c->lent[--c->lent_count];

	munmap(lent->base, lent->bytes);
}

/* The address space stays taken, so that nothing else comes to lie there. */
void conform_take_back(struct conform *c)
{
	for (; c->taken < c->lent_count; c->taken++)
		mprotect(c->lent[c->taken].base, c->lent[c->taken].bytes, PROT_NONE);
}
