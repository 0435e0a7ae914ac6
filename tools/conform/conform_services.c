/* SPDX-License-Identifier: MIT */
/* conform_services.c - memory that is counted, tokens that are watched. */
#include "tools/conform/conform_services.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/call/describe.h"
#include "host/run/group.h"
#include "registry/names.h"
#include "tools/conform/conform.h"

_Thread_local int conform_in_submit;

void conform_wrong(struct conform_services *s, const char *format, ...)
{
	va_list list;

	pthread_mutex_lock(&s->lock);
	va_start(list, format);
	if (!*s->wrong)
		vsnprintf(s->wrong, sizeof(s->wrong), format, list);
	va_end(list);
	pthread_mutex_unlock(&s->lock);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* In front of every block, at the end of its alignment. */
struct block {
	void *start; /* for free() */
	uint64_t size, mark, self;
};
static const uint64_t block_mark = UINT64_C(0x70746f777370616c), block_gone = UINT64_C(0x70746f7773706672);

static void *service_alloc(void *context, uint64_t size, uint64_t align)
{
	struct conform_services *s = context;
	uint64_t number = atomic_fetch_add(&s->allocations, 1) + 1, frame;
	struct block *block;
	char *start;

	if (!align || (align & (align - 1)) || align > 4096) {
		conform_wrong(s, "it asked host->alloc for an alignment of %llu: a power of two up to 4096 is allowed (PL9)", (unsigned long long)align);
		return NULL;
	}
	frame = align < sizeof(struct block) ? sizeof(struct block) : align;
	if (number == atomic_load(&s->fail_at) || size > PTRDIFF_MAX - 2 * 4096) {
		atomic_fetch_add(&s->failed, 1);
		return NULL;
	}
	start = aligned_alloc(frame, (frame + size + frame - 1) / frame * frame);
	if (!start)
		return NULL;
	memset(start, 0, frame + size);
	block = (struct block *)(void *)(start + frame) - 1;
	*block = (struct block){start, size, block_mark, (uint64_t)(uintptr_t)block};
	atomic_fetch_add(&s->bytes, size);
	atomic_fetch_add(&s->blocks, 1);
	return start + frame;
}

static void service_release(void *context, void *memory, uint64_t size)
{
	struct conform_services *s = context;
	struct block *block = (struct block *)memory - 1;

	if (!memory)
		return;
	if ((uintptr_t)memory % 8 || block->mark != block_mark || block->self != (uint64_t)(uintptr_t)block) {
		conform_wrong(s, "it released memory that host->alloc did not give, or gave back already (PL9)");
		return;
	}
	if (block->size != size)
		conform_wrong(s, "it released %llu bytes with the size %llu: the size is that of the allocation (PL9)", (unsigned long long)block->size,
			      (unsigned long long)size);
	atomic_fetch_sub(&s->bytes, block->size);
	atomic_fetch_sub(&s->blocks, 1);
	block->mark = block_gone;
	free(block->start);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static void line_keep(struct conform_services *s, const char *text, uint64_t length)
{
	size_t n = length < sizeof(s->record->log) - 1 ? (size_t)length : sizeof(s->record->log) - 1;

	if (!text && length) {
		conform_wrong(s, "it logged a NULL text of %llu bytes", (unsigned long long)length);
		return;
	}
	pthread_mutex_lock(&s->lock);
	memcpy(s->record->log, text ? text : "", n);
	s->record->log[n] = 0;
	pthread_mutex_unlock(&s->lock);
}

static void service_log(void *context, int32_t level, const char *text, uint64_t length)
{
	if (level < PTOWSP_LOG_ERROR || level > PTOWSP_LOG_DEBUG)
		conform_wrong(context, "it logged with the level %d, there are 0 to 3", level);
	line_keep(context, text, length);
}

static void service_diagnose(void *context, uint32_t feature, uint8_t state, const char *text, uint64_t length)
{
	struct conform_services *s = context;

	(void)feature;
	if (state > PTOWSP_STATE_ENFORCED)
		conform_wrong(s, "it diagnosed a feature with the state %u, there are 0 to 3", state);
	line_keep(s, text, length);
	pthread_mutex_lock(&s->lock);
	s->diagnosed++;
	pthread_mutex_unlock(&s->lock);
}

/* ---- completion ------------------------------------------------------------------------------------------------- */

static void stats_look(struct conform_services *s, const struct ptowsp_run_stats *stats)
{
	if (stats->head.type != PTOWSP_STRUCT_RUN_STATS || stats->head.size < 64 || stats->head.size > PTOWSP_SIZE_LIMIT)
		conform_wrong(s, "done brought statistics with a head of kind %u and %u bytes, not of kind %d (PL2)", stats->head.type, stats->head.size,
			      PTOWSP_STRUCT_RUN_STATS);
	if ((stats->resource_count && (!stats->resources || stats->resource_stride < host_struct_size(HOST_STRUCT_resource_stats, 0))) ||
	    (stats->kernel_count && (!stats->kernels || stats->kernel_stride < host_struct_size(HOST_STRUCT_kernel_stats, 0))) ||
	    (stats->kernel_stride | stats->resource_stride) % 8)
		conform_wrong(s, "done brought statistics whose rows are NULL or narrower than 10.0's (PL2)");
}

static void done_look(struct conform_services *s, const struct ptowsp_done *done)
{
	if (done->head.type != PTOWSP_STRUCT_DONE || done->head.size < host_struct_size(HOST_STRUCT_done, 0) || done->head.size > PTOWSP_SIZE_LIMIT)
		conform_wrong(s, "done has a head of kind %u and %u bytes, not of kind %d with at least %zu (PL2)", done->head.type, done->head.size,
			      PTOWSP_STRUCT_DONE, (size_t)host_struct_size(HOST_STRUCT_done, 0));
	else if (done->status > 0 || !strcmp(reg_status_name(done->status), "?"))
		conform_wrong(s, "a run was completed with the unknown status %d (PL5)", done->status);
	else if (!done->stats)
		conform_wrong(s, "done came without statistics; they are never NULL (PL5)");
	else
		stats_look(s, done->stats);
	if (done->status && !done->error)
		conform_wrong(s, "a run failed as %s, and done came without an error record (PL6)", reg_status_name(done->status));
	if (!done->status && done->error)
		conform_wrong(s, "a run that ended well came with an error record (PL6)");
	if (done->error && (done->error->code != done->status || !*done->error->text))
		conform_wrong(s, "the error record of a run says code %d, its status is %d, or it has no sentence (PL6)", done->error->code, done->status);
	if (done->deadlock && done->status != PTOWSP_DEADLOCK)
		conform_wrong(s, "done brought a deadlock report with the status %s (PL5)", reg_status_name(done->status));
}

struct conform_token *conform_token_find(struct conform_services *s, uint64_t token)
{
	const uint64_t index = token & 0xFFFFFFFF;
	struct conform_token *row = index < atomic_load(&s->token_count) ? &s->tokens[index] : NULL;

	return row && row->token == token ? row : NULL;
}

/* The plugin's half of a run on several devices is over. */
static void group_leave(struct conform_token *token)
{
	char text[256];

	if (token->group)
		host_group_leave(token->group, token->member, text, sizeof(text));
	token->group = NULL;
}

static void service_done(void *context, const struct ptowsp_done *done)
{
	struct conform_services *s = context;
	struct conform_token *token;

	if (!done) {
		conform_wrong(s, "it called done with NULL (PL5)");
		return;
	}
	token = conform_token_find(s, done->token);
	if (!token) {
		conform_wrong(s, "it completed the token 0x%llx, which was never given to it (PL5)", (unsigned long long)done->token);
		return;
	}
	if (conform_in_submit)
		conform_wrong(s, "it called done from inside submit; submit returns first (PL5)");
	if (atomic_load(&token->state) == CONFORM_REFUSED)
		conform_wrong(s, "it completed a run that submit had refused (PL5)");
	done_look(s, done);
	pthread_mutex_lock(&s->lock);
	snprintf(s->ended, sizeof(s->ended), "%.215s", done->error ? done->error->text : "");
	if (*s->ended)
		snprintf(s->record->said, sizeof(s->record->said), "%s", s->ended);
	pthread_mutex_unlock(&s->lock);
	token->cycles = done->stats ? done->stats->total_cycles : 0;
	token->tasks = done->stats ? done->stats->tasks : 0;
	atomic_store(&token->status, done->status);
	atomic_store(&token->done_ns, host_now_ns());
	group_leave(token);
	if (atomic_fetch_add(&token->done, 1))
		conform_wrong(s, "it completed the token 0x%llx a second time (PL5)", (unsigned long long)done->token);
}

static uint64_t service_now(void *context)
{
	(void)context;
	return host_now_ns();
}

struct conform_token *conform_token_make(struct conform_services *s)
{
	static uint32_t generation = 1;
	uint32_t index = atomic_load(&s->token_count);
	struct conform_token *token = &s->tokens[index];

	if (index == CONFORM_TOKENS)
		return NULL;
	memset(token, 0, sizeof(*token));
	token->token = (uint64_t)generation++ << 32 | index;
	atomic_store(&token->state, CONFORM_SUBMITTING);
	atomic_store(&s->token_count, index + 1);
	return token;
}

void conform_token_answer(struct conform_services *s, struct conform_token *token, ptowsp_status status)
{
	atomic_store(&token->state, status ? CONFORM_REFUSED : CONFORM_ACCEPTED);
	if (status && atomic_load(&token->done))
		conform_wrong(s, "it completed a run that submit then refused (PL5)");
}

void conform_tokens_forget(struct conform_services *s)
{
	atomic_store(&s->token_count, 0);
}

void conform_services_init(struct conform_services *s, struct conform_record *record)
{
	memset(s, 0, sizeof(*s));
	s->record = record;
	pthread_mutex_init(&s->lock, NULL);
	s->table = (struct ptowsp_host){.head = PTOWSP_HEAD(struct ptowsp_host, HOST),
					.major = PTOWSP_ABI_MAJOR,
					.context = s,
					.extension = conform_extension,
					.alloc = service_alloc,
					.release = service_release,
					.log = service_log,
					.diagnose = service_diagnose,
					.done = service_done,
					.now_ns = service_now};
}

void conform_services_speak(struct conform_services *s, uint32_t minor)
{
	s->table.minor = (uint16_t)minor;
	host_struct_cut(HOST_STRUCT_host, &s->table, minor);
	s->table.head.size = host_struct_size(HOST_STRUCT_host, minor);
}
