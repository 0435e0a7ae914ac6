/* SPDX-License-Identifier: MIT */
#include "tools/run/run_ranks.h"

#include "registry/text.h"
#include "registry/variable.h"
#include "tools/run/run_run.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rank, and how many there are: OpenMPI, MPICH and those like it, SLURM. */
static const struct {
	const char *rank, *count;
} variables[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}, {"SLURM_PROCID", "SLURM_NTASKS"}};

static bool launched(struct run_options *options)
{
	for (size_t v = 0; v < sizeof(variables) / sizeof(*variables); v++) {
		const char *rank = reg_variable(variables[v].rank), *count = reg_variable(variables[v].count);

		if (!rank || !count)
			continue;
		options->rank = strtoull(rank, NULL, 10);
		options->rank_count = strtoull(count, NULL, 10);
		return options->rank_count > 1 && options->rank < options->rank_count;
	}
	return false;
}

/* Rank 0 reports for all. */
static bool silence(struct run_options *options)
{
	const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const bool silent = nothing >= 0 && dup2(nothing, STDOUT_FILENO) >= 0;

	if (nothing >= 0)
		close(nothing);
	run_signals_silence(options->rank_text);
	options->stats = options->trace = options->graph = options->report = options->html = NULL;
	options->profile = options->progress = 0;
	options->quiet = 1;
	flag_pairs_finish(&options->out);
	return silent;
}

/* By hand: this process is one of several then, too. With /all each has the results, and reports. */
static bool is_stated(struct run_options *options, const char *text)
{
	unsigned long long rank, count;
	int length = -1;

	if (sscanf(text, "%llu/%llu%n", &rank, &count, &length) != 2 || text[length] || rank >= count || count < 2)
		return false;
	options->rank = rank;
	options->rank_count = count;
	return true;
}

static bool is_one_of_several(struct run_options *options)
{
	const struct flag_pair *stated = flag_pairs_find(&options->opt, "rank");

	if (options->ranks && !strcmp(options->ranks, "ignore"))
		return false;
	return stated ? is_stated(options, stated->value) : launched(options);
}

bool run_ranks_are_told(struct run_options *options)
{
	const bool runs = options->mode == RUN_PACKAGE || options->verify;

	if (is_one_of_several(options))
		snprintf(options->rank_text, sizeof(options->rank_text), "%llu/%llu", (unsigned long long)options->rank,
			 (unsigned long long)options->rank_count);
	else
		options->rank = options->rank_count = 0;
	return options->rank && !runs;
}

ptowsp_status run_ranks_apply(struct run_options *options, struct ptowsp_error *error)
{
	const char *word = options->ranks ? options->ranks : "auto";
	const struct flag_pair *trace = flag_pairs_find(&options->opt, "trace");
	char *name;

	if (strcmp(word, "auto") && strcmp(word, "ignore"))
		return reg_fail(error, PTOWSP_INVALID, "--ranks takes auto or ignore, not \"%.40s\"", word);
	if (options->mode != RUN_PACKAGE && !options->verify)
		options->rank_count = 0;
	if (!options->rank_count)
		return PTOWSP_OK;
	if (!options->plugin || !strcmp(options->plugin, "auto"))
		return reg_fail(error, PTOWSP_INVALID,
				"a launcher started %llu of these: name the plugin that runs on all of them, --plugin=NAME; --ranks=ignore runs so many copies",
				(unsigned long long)options->rank_count);
	if (options->checkpoint || options->restore)
		return reg_fail(error, PTOWSP_UNSUPPORTED, "a run of several ranks keeps no checkpoint; leave --checkpoint and --restore out");
	if (options->chain)
		return reg_fail(error, PTOWSP_UNSUPPORTED,
				"a run of several ranks leaves its results at rank 0 alone, so none goes on with them; leave --chain out");
	if (options->graph && trace && !strcmp(trace->value, "real"))
		return reg_fail(
			error, PTOWSP_INVALID,
			"of several ranks trace=real has the tasks of rank 0 alone, and a graph needs all; take --opt trace=both, or leave --graph out");
	snprintf(options->rank_option, sizeof(options->rank_option), "%s%s", options->rank_text, options->verify ? "/all" : "");
	name = strdup("rank");
	if (!name)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the command line");
	if (options->rank && !silence(options)) {
		free(name);
		return reg_fail(error, PTOWSP_IO, "/dev/null cannot be opened, where ranks but the first print");
	}
	if (flag_pairs_find(&options->opt, "rank")) {
		free(name);
		return PTOWSP_OK;
	}
	return flag_pairs_add(&options->opt, name, options->rank_option, error);
}

void run_ranks_yield(void)
{
	enum { SECONDS = 2 };

	signal(SIGTERM, SIG_DFL); /* by which a launcher ends it, without a word */
	sleep(SECONDS);
}

void run_ranks_explain(const struct run_options *options, struct ptowsp_error *error)
{
	char text[sizeof(error->text)];

	if (!options->rank_count || !strstr(error->text, "option \"rank\" is unknown"))
		return;
	snprintf(text, sizeof(text), "a launcher started %llu of these, and %.60s runs in one process; --ranks=ignore runs so many copies",
		 (unsigned long long)options->rank_count, options->plugin);
	memcpy(error->text, text, sizeof(text));
}
