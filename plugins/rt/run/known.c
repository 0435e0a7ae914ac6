/* SPDX-License-Identifier: MIT */
/* known.c - the kernel of a task, and what its backend knows about it: whether it can run, its cycles, what it touches. Asked when the first task of a kernel is reached, and for
 * each task of one whose work depends on its arguments. */
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include <stdlib.h>
#include <string.h>

struct rt_answers *rt_answers_make(const struct rt_program *program)
{
	const size_t count = program->tables.kernel.count + (size_t)1, rows = count * sizeof(struct rt_answer);
	struct rt_answers *answers = calloc(1, sizeof(*answers) + rows + count * program->most_args * sizeof(*answers->args));

	if (!answers)
		return NULL;
	answers->count = program->tables.kernel.count;
	answers->args = (uint64_t *)(void *)((char *)answers->rows + rows);
	return answers;
}

void rt_answers_free(struct rt_answers *answers)
{
	for (uint32_t k = 0; answers && k < answers->count; k++)
		rt_footprint_finish(&answers->rows[k].footprint);
	free(answers);
}

static ptowsp_status walk_failed(const struct rt_run *run, ptowsp_status status, const char *what)
{
	const struct rt_kernels *kernels = &run->program->kernels;
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

	if (status != PTOWSP_LIMIT && status != PTOWSP_NO_MEMORY)
		status = PTOWSP_RUN_FAILED;
	if (kernels->explain)
		kernels->explain(kernels->context, run->kernel, run->task_args, &why);
	if (why.text[0])
		return rt_fail_at(run->error, status, run->tasks, run->kernel, "task %llu: %.180s", (unsigned long long)run->tasks, why.text);
	return rt_fail_at(run->error, status, run->tasks, run->kernel, "task %llu, kernel %.40s: %s cannot be found (status %d)",
			  (unsigned long long)run->tasks, rt_kernel_name(run->program, run->kernel), what, (int)status);
}

/* A walk that takes too long tells nothing; a run of the kernel may end all the same, or meet its deadline. */
static bool unknown(const struct rt_run *run, ptowsp_status status)
{
	return status == PTOWSP_UNSUPPORTED || (status == PTOWSP_LIMIT && run->bodies);
}

static ptowsp_status cycles_ask(struct rt_run *run, struct rt_answer *answer)
{
	const struct rt_kernels *kernels = &run->program->kernels;
	struct rt_known *known = &run->known[run->kernel];

	if (!answer->counted) {
		ptowsp_status status = kernels->cycles ? kernels->cycles(kernels->context, run->kernel, run->task_args, &answer->cycles) : PTOWSP_UNSUPPORTED;

		if (status && !unknown(run, status))
			return walk_failed(run, status, "its cycles");
		answer->later = status;
		answer->counted = status != PTOWSP_LIMIT;
	}
	known->later = answer->later;
	known->cycles = answer->later ? 1 : rt_cycles_told(answer->cycles);
	if (!known->later)
		return PTOWSP_OK;
	if (!run->bodies && !run->quiet && !known->named)
		rt_log(run->program, PTOWSP_LOG_WARNING, "kernel %.80s: cycles are known only by running; each task counts 1",
		       rt_kernel_name(run->program, run->kernel));
	known->named = true;
	run->kernel_stats[run->kernel].flags |= run->bodies ? 0u : PTOWSP_KERNEL_COUNTED_ONE;
	return PTOWSP_OK;
}

static bool flat(const struct rt_run *run, const struct rt_site *site)
{
	for (uint32_t i = 0; i < site->io_count; i++)
		if (run->program->ios[site->first_io + i].unit)
			return true;
	return false;
}

static void pieces_tell(struct rt_run *run, struct rt_known *known)
{
	if (!run->quiet && !known->pieces_told)
		rt_log(run->program, PTOWSP_LOG_WARNING,
		       "kernel %.80s touches its tensors in more than %u pieces; each counts as touched as far as its window goes",
		       rt_kernel_name(run->program, run->kernel), RT_FOOTPRINT_SPANS);
	known->pieces_told = true;
}

static bool site_calls(const struct rt_program *program, const struct rt_site *site, uint32_t kernel)
{
	for (uint32_t level = 0; level < program->level_count; level++)
		if (program->site_kernels[site->kernels + level] == kernel)
			return true;
	return false;
}

/* Every task of the kernel in this run has the arguments of this one. */
static bool args_settled(const struct rt_run *run)
{
	const struct rt_program *program = run->program;

	for (const struct rt_site *site = program->sites, *end = site + program->site_count; site < end; site++)
		for (uint32_t i = 0; site_calls(program, site, run->kernel) && i < site->arg_count; i++) {
			const struct rt_form *form = &run->env.forms[program->args[site->first_arg + i]];

			if (form->terms || (uint64_t)form->base != run->task_args[i])
				return false;
		}
	return true;
}

/* Answers about other arguments are forgotten. */
static struct rt_answer *answer_of(struct rt_run *run, const struct rt_site *site)
{
	struct rt_answer *answer = &run->answers->rows[run->kernel];
	const size_t size = site->arg_count * sizeof(*run->task_args);
	uint64_t *args = run->answers->args + (size_t)run->kernel * run->program->most_args;

	if (answer->varies && memcmp(args, run->task_args, size) != 0)
		answer->counted = answer->footprint.asked = false;
	memcpy(args, run->task_args, size);
	return answer;
}

static ptowsp_status footprint_ask(struct rt_run *run, const struct rt_site *site, struct rt_footprint *footprint)
{
	ptowsp_status status = PTOWSP_OK;

	if (!footprint->asked)
		status = rt_footprint_ask(footprint, &run->program->kernels, run->kernel, run->task_args, run->program->io_views + site->first_io,
					  site->io_count);
	if (status)
		footprint->asked = false;
	if (unknown(run, status))
		status = PTOWSP_OK;
	if (footprint->too_many)
		pieces_tell(run, &run->known[run->kernel]);
	return status ? walk_failed(run, status, "what it touches") : PTOWSP_OK;
}

/* Once per kernel, or per task for one whose work depends on its arguments where these change. */
static ptowsp_status kernel_ask(struct rt_run *run, const struct rt_site *site)
{
	const struct rt_kernels *kernels = &run->program->kernels;
	struct rt_known *known = &run->known[run->kernel];
	struct rt_answer *answer = &run->answers->rows[run->kernel];
	ptowsp_status status;

	if (known->asked && !known->varies && (answer->footprint.asked || !flat(run, site)))
		return PTOWSP_OK;
	answer->varies = kernels->varies && kernels->varies(kernels->context, run->kernel);
	known->varies = answer->varies && !args_settled(run);
	answer = answer_of(run, site);
	status = cycles_ask(run, answer);
	known->asked = true;
	return status || !flat(run, site) ? status : footprint_ask(run, site, &answer->footprint);
}

/* Can its body run? Asked when the first task of the kernel is reached. */
static ptowsp_status kernel_usable(struct rt_run *run)
{
	const struct rt_kernels *kernels = &run->program->kernels;
	struct rt_known *known = &run->known[run->kernel];
	const char *why;

	if (run->quiet || known->checked)
		return PTOWSP_OK;
	known->checked = true;
	why = kernels->unusable ? kernels->unusable(kernels->context, run->kernel) : NULL;
	if (why)
		return rt_run_needs(run, PTOWSP_FEATURE_NO_KERNELS,
				    rt_fail_at(run->error, PTOWSP_KERNEL_FAILED, run->tasks, run->kernel, "task %llu cannot run: %.170s",
					       (unsigned long long)run->tasks, why));
	if (run->bodies && run->program->tables.kernel.rows[run->kernel].flags & PTOWSP_KERNEL_MEASURED)
		run->measured = true;
	return PTOWSP_OK;
}

/* A level without a kernel of its own is served by the plain one; names that end in _<digits> are meant to stay. */
static void level_tell(struct rt_run *run, uint32_t level)
{
	const char *name = rt_kernel_name(run->program, run->kernel), *tail = strrchr(name, '_');
	bool own = tail && tail[1] && strspn(tail + 1, "0123456789") == strlen(tail + 1);

	if (own || run->quiet || run->program->level_told[run->kernel])
		return;
	run->program->level_told[run->kernel] = 1;
	rt_log(run->program, PTOWSP_LOG_INFO, "kernel %.80s has no form for tile level %u; the plain one is used", name, run->program->levels[level]);
}

ptowsp_status rt_kernel_choose(struct rt_run *run, const struct rt_site *site, uint32_t level)
{
	const uint32_t *kernels = &run->program->site_kernels[site->kernels];
	ptowsp_status status;

	run->kernel = kernels[level];
	if (level && kernels[level] == kernels[0])
		level_tell(run, level);
	if (run->kernel == run->program->copy_kernel) { /* its work depends on its regions, and they are those of its site */
		run->known[run->kernel].varies = true;
		run->known[run->kernel].cycles = rt_cycles_told(run->task_args[0]);
		return PTOWSP_OK;
	}
	status = kernel_usable(run);
	return status ? status : kernel_ask(run, site);
}
