/* SPDX-License-Identifier: MIT */
/* mutants.c - COUNT mutants of packages, made on their sections or on their JSON form and sealed again, so that every digest is right: each is refused by one of those who look at a
 * package, with a sentence, or runs to an end on cpu_sim in this process. Mutant N of a seed is always the same.
 *
 *	ptowsp-mutants [--seed N] [--jobs N] [--only N] [--save FILE] [--plugin FILE] COUNT PACKAGE...
 *	ptowsp-mutants [--plugin FILE] --kept FILE...       these files as they are: .json in the JSON form, others sealed
 *
 * Mutants run in processes of their own: one that crashes or hangs is named, and the others go on. Exit status 1: there was one. */
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attempt.h"
#include "mutant.h"

enum { JOBS_MOST = 64, FINDINGS_MOST = 20, HANG_SECONDS = 60, SUBJECTS_MOST = 256 };

/* What one process did so far; all see it. */
struct job {
	uint64_t next; /* the mutant that is tried */
	uint64_t ends[ATTEMPT_COUNT], of_sections;
	uint64_t problems;
};

struct mutants {
	uint64_t seed, count, only;
	uint32_t jobs, subject_count;
	const char *plugin, *save;
	struct subject *subjects;
	struct job *job; /* shared, `jobs` of them */
	unsigned findings;
};

static bool numbered_make(const struct mutants *m, uint64_t number, struct mutant *out)
{
	uint64_t d = mutant_draw(m->seed, number);

	return mutant_make(out, m->subjects, m->subject_count, &d);
}

static enum attempt_end attempt(struct ptowsp_backend *backend, const struct mutant *mutant, const char **problem, struct ptowsp_error *error)
{
	*error = (struct ptowsp_error){.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	*problem = NULL;
	return mutant->is_text ? attempt_text(backend, mutant->bytes, mutant->size, problem, error)
			       : attempt_bytes(backend, mutant->bytes, mutant->size, problem, error);
}

static void mutant_say(const struct mutants *m, uint64_t number, const struct mutant *mutant, const char *what)
{
	printf("not ok mutant_%" PRIu64 "_of_seed_%" PRIu64 " - made of %s of %s: %s\n", number, m->seed, mutant->is_text ? "the JSON form" : "sections",
	       mutant->subject->path, what);
	fflush(stdout);
}

static void mutant_try(struct mutants *m, struct ptowsp_backend *backend, struct job *job, uint64_t number)
{
	struct ptowsp_error error;
	struct mutant mutant;
	const char *problem;
	char line[400];
	enum attempt_end end;

	if (!numbered_make(m, number, &mutant))
		return;
	alarm(HANG_SECONDS);
	end = attempt(backend, &mutant, &problem, &error);
	job->ends[end]++;
	job->of_sections += !mutant.is_text;
	if (problem) {
		job->problems++;
		snprintf(line, sizeof(line), "%s: status %d \"%s\"", problem, (int)error.code, error.text);
		mutant_say(m, number, &mutant, line);
	}
	if (m->only != UINT64_MAX)
		printf("# %d: %s\n", (int)end, error.text);
	free(mutant.bytes);
}

/* The process of a job, from its next mutant on. */
static int job_run(struct mutants *m, struct job *job)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_backend *backend;

	if (attempt_backend_open(&backend, m->plugin, &error)) {
		fprintf(stderr, "ptowsp-mutants: %s\n", error.text);
		return 2;
	}
	for (; job->next < m->count; job->next += m->jobs)
		mutant_try(m, backend, job, job->next);
	alarm(0);
	ptowsp_backend_close(backend);
	return 0;
}

static pid_t job_start(struct mutants *m, uint32_t i)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		int rc = job_run(m, &m->job[i]);

		for (uint32_t s = 0; s < m->subject_count; s++)
			subject_finish(&m->subjects[s]);
		free(m->subjects);
		exit(rc);
	}
	return child;
}

/* A process ended before its time: its mutant is told, and the next one goes on behind it. */
static pid_t job_ended(struct mutants *m, uint32_t i, int status)
{
	struct mutant mutant;
	char line[200];

	if (status == 0)
		return 0;
	m->findings++;
	if (m->job[i].next >= m->count) {
		printf("not ok mutants_leak_nothing - the process of job %u ended with status %d behind its last mutant\n", i, status);
		return 0;
	}
	if (numbered_make(m, m->job[i].next, &mutant)) {
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
			snprintf(line, sizeof(line), "it takes longer than %d s", HANG_SECONDS);
		else
			snprintf(line, sizeof(line), "it ends the process, %s %d", WIFSIGNALED(status) ? "signal" : "status",
				 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		mutant_say(m, m->job[i].next, &mutant, line);
		free(mutant.bytes);
	}
	m->job[i].next += m->jobs;
	return m->findings < FINDINGS_MOST && WEXITSTATUS(status) != 2 ? job_start(m, i) : 0;
}

static void jobs_run(struct mutants *m)
{
	pid_t children[JOBS_MOST], child;
	int status;

	for (uint32_t i = 0; i < m->jobs; i++)
		children[i] = job_start(m, i);
	while ((child = wait(&status)) > 0)
		for (uint32_t i = 0; i < m->jobs; i++)
			if (children[i] == child)
				children[i] = job_ended(m, i, status);
}

/* The line of all jobs. 1 if something was found. */
static int report(const struct mutants *m, double seconds)
{
#define X(name, text) text,
	static const char *const texts[] = { ATTEMPT_ENDS(X) };
#undef X
	struct job all = {0};
	uint64_t tried = 0, ran;

	for (uint32_t i = 0; i < m->jobs; i++) {
		for (int end = 0; end < ATTEMPT_COUNT; end++) {
			all.ends[end] += m->job[i].ends[end];
			tried += m->job[i].ends[end];
		}
		all.of_sections += m->job[i].of_sections;
		all.problems += m->job[i].problems;
	}
	ran = all.ends[ATTEMPT_DONE] + all.ends[ATTEMPT_FAILED] + all.ends[ATTEMPT_CUT];
	printf("# %" PRIu64 " mutants of seed %" PRIu64 ", %" PRIu64 " made on sections and %" PRIu64
	       " on the JSON form of %u packages, %.0f per second: refused by",
	       tried, m->seed, all.of_sections, tried - all.of_sections, m->subject_count, seconds > 0 ? (double)tried / seconds : 0.0);
	for (int end = 0; end < ATTEMPT_DONE; end++)
		printf("%s %s %" PRIu64, end ? "," : "", texts[end], all.ends[end]);
	printf("; ran %" PRIu64 " (", ran);
	for (int end = ATTEMPT_DONE; end < ATTEMPT_COUNT; end++)
		printf("%s%s %" PRIu64, end > ATTEMPT_DONE ? ", " : "", texts[end], all.ends[end]);
	printf("); findings %" PRIu64 "\n", m->findings + all.problems);
	return m->findings || all.problems || tried < m->count;
}

static int files_try(struct mutants *m, char *const *paths)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_backend *backend;
	int wrong = 0;

	if (attempt_backend_open(&backend, m->plugin, &error))
		return fprintf(stderr, "ptowsp-mutants: %s\n", error.text), 2;
	for (; *paths; paths++) {
		FILE *file = fopen(*paths, "rb");
		struct mutant mutant = {.bytes = malloc(1 << 20), .is_text = strstr(*paths, ".json") != NULL};
		const char *problem = "cannot be read";

		if (file && mutant.bytes) {
			mutant.size = fread(mutant.bytes, 1, 1 << 20, file);
			alarm(HANG_SECONDS);
			attempt(backend, &mutant, &problem, &error);
			fclose(file);
		}
		wrong |= problem != NULL;
		printf("%sok kept_mutant_is_refused_or_runs_%s%s%s\n", problem ? "not " : "", strrchr(*paths, '/') ? strrchr(*paths, '/') + 1 : *paths,
		       problem ? " - " : "", problem ? problem : "");
		free(mutant.bytes);
	}
	alarm(0);
	ptowsp_backend_close(backend);
	return wrong;
}

static int one_try(struct mutants *m)
{
	struct mutant mutant;
	FILE *file = m->save ? fopen(m->save, "wb") : NULL;

	m->jobs = 1;
	m->job->next = m->only;
	m->count = m->only + 1;
	if (file && numbered_make(m, m->only, &mutant)) {
		fwrite(mutant.bytes, 1, mutant.size, file);
		free(mutant.bytes);
	}
	if (file)
		fclose(file);
	return job_run(m, m->job);
}

static int mutants_run(struct mutants *m, char *const *paths)
{
	struct timespec begin, end;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	int rc = 0;

	m->subjects = calloc(SUBJECTS_MOST, sizeof(*m->subjects));
	m->job = mmap(NULL, m->jobs * sizeof(*m->job), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!m->subjects || m->job == MAP_FAILED)
		return 2;
	for (; !rc && paths[m->subject_count] && m->subject_count < SUBJECTS_MOST; m->subject_count++)
		if (subject_read(&m->subjects[m->subject_count], paths[m->subject_count], &error))
			rc = fprintf(stderr, "ptowsp-mutants: %s\n", error.text) ? 2 : 2;
	for (uint32_t i = 0; i < m->jobs; i++)
		m->job[i].next = i;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (!rc && m->only != UINT64_MAX) {
		rc = one_try(m);
	} else if (!rc) {
		jobs_run(m);
		clock_gettime(CLOCK_MONOTONIC, &end);
		rc = report(m, (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9);
	}
	for (uint32_t i = 0; i < m->subject_count; i++)
		subject_finish(&m->subjects[i]);
	free(m->subjects);
	munmap(m->job, m->jobs * sizeof(*m->job));
	return rc;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"seed", 1, NULL, 's'},   {"jobs", 1, NULL, 'j'}, {"only", 1, NULL, 'o'}, {"save", 1, NULL, 'w'},
						{"plugin", 1, NULL, 'p'}, {"kept", 0, NULL, 'k'}, {NULL, 0, NULL, 0}};
	struct mutants m = {.seed = 1, .jobs = 1, .only = UINT64_MAX, .plugin = "cpu_sim"};
	bool kept = false;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 's': m.seed = strtoull(optarg, NULL, 0); break;
		case 'j': m.jobs = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'o': m.only = strtoull(optarg, NULL, 0); break;
		case 'w': m.save = optarg; break;
		case 'p': m.plugin = optarg; break;
		case 'k': kept = true; break;
		default: return 2;
		}
	}
	if (kept)
		return files_try(&m, argv + optind);
	if (argc - optind < 2 || !m.jobs || m.jobs > JOBS_MOST)
		return fprintf(stderr,
			       "usage: ptowsp-mutants [--seed N] [--jobs N] [--only N] [--save FILE] [--plugin FILE] COUNT PACKAGE... | --kept FILE...\n"),
		       2;
	m.count = strtoull(argv[optind], NULL, 0);
	return mutants_run(&m, argv + optind + 1);
}
