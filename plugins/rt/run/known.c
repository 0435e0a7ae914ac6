/* SPDX-License-Identifier: MIT */
/* known.c - the kernel of a task, and what its backend knows about it: whether it can run, its cycles, what it touches. Asked when the first task of a kernel is reached, and for
 * each task of one whose work depends on its arguments. */
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include <string.h>

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

static ptowsp_status cycles_ask(struct rt_run *run, struct rt_known *known)
{
	const struct rt_kernels *kernels = &run->program->kernels;
	ptowsp_status status = PTOWSP_UNSUPPORTED;

	if (kernels->cycles)
		status = kernels->cycles(kernels->context, run->kernel, run->task_args, &known->cycles);
	known->later = unknown(run, status);
	known->cycles = rt_cycles_told(known->cycles);
	if (!known->later)
		return status ? walk_failed(run, status, "its cycles") : PTOWSP_OK;
	known->cycles = 1;
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

/* Once per kernel, or per task for one whose work depends on its arguments where these change. */
static ptowsp_status kernel_ask(struct rt_run *run, const struct rt_site *site)
{
	const struct rt_kernels *kernels = &run->program->kernels;
	struct rt_known *known = &run->known[run->kernel];
	ptowsp_status status = PTOWSP_OK;

	if (!known->asked)
		known->varies = kernels->varies && kernels->varies(kernels->context, run->kernel) && !args_settled(run);
	if (!known->asked || known->varies)
		status = cycles_ask(run, known);
	known->asked = true;
	if (!status && (!known->footprint.asked || known->varies) && flat(run, site)) {
		status = rt_footprint_ask(&known->footprint, kernels, run->kernel, run->task_args, run->program->io_views + site->first_io, site->io_count);
		if (unknown(run, status))
			status = PTOWSP_OK;
		if (known->footprint.too_many)
			pieces_tell(run, known);
		if (status)
			status = walk_failed(run, status, "what it touches");
	}
	return status;
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
