/* SPDX-License-Identifier: MIT */
/* calls.c - COUNT calls of the tools, as users make them, on mutants of packages: each ends with an exit code of the table, with one sentence where that is not 0, without a signal, soon
 * and in bounded memory. Call N of a seed is always the same.
 *
 *	ptowsp-calls [--seed N] [--jobs N] [--only N] [--sanitized] [--with TEXT] [--plugin NAME] --bin FOLDER --keep FOLDER COUNT PACKAGE...
 *	ptowsp-calls [--sanitized] --bin FOLDER --kept FILE      each line: exit code, file beside FILE, the words of a call as in calls.def
 *
 * --with: only rows of calls.def that hold the text; --plugin: only that backend. What went wrong is named, and its mutant kept with the command in a file
 * of its own; --only keeps that one in any case. Exit status 1: there was something. */
#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "format/json/json.h"
#include "mutant.h"
#include "tool_call.h"

enum { JOBS_MOST = 64, SUBJECTS_MOST = 256, CODES = 16, TRIES = 40, REFUSED_ONE_IN = 8 };

/* A job counts the calls of one process so far; the sums over all jobs are printed at the end. */
struct job {
	uint64_t codes[CODES], of_tools[3], other, problems, done;
};

struct calls {
	uint64_t seed, count, only;
	uint32_t jobs, subject_count;
	const char *bin, *keep, *kept, *with, *plugin;
	bool sanitized;
	struct subject *subjects;
	struct job *job; /* shared, `jobs` of them */
};

/* ---- the mutants ---- */

static bool bytes_hold(const void *bytes, size_t size)
{
	struct pkg *package = NULL;
	ptowsp_status status = pkg_open_memory(&package, bytes, size, "mutant", NULL, NULL);

	pkg_close(package);
	return !status;
}

/* The package that a text in the JSON form makes. False: it makes none. */
static bool text_sealed(const struct mutant *text, void **bytes_out, size_t *size_out)
{
	struct pkg_writer *writer = pkg_writer_create();
	bool made;

	pkg_writer_level(writer, 1);
	made = !pkg_from_json(writer, text->bytes, text->size, "mutant", NULL) && !pkg_writer_seal(writer, bytes_out, size_out, NULL);
	pkg_writer_destroy(writer);
	return made;
}

/* A text that holds is given to the tools as a package half of the time. */
static bool text_settle(struct mutant *mutant, uint64_t *d)
{
	bool as_package = draw(d, 2);
	void *bytes;
	size_t size;

	if (!text_sealed(mutant, &bytes, &size))
		return false;
	if (!as_package)
		return free(bytes), true;
	free(mutant->bytes);
	mutant->bytes = bytes;
	mutant->size = size;
	mutant->is_text = false;
	return true;
}

/* Mutants that the first checks refuse are of no use to most calls, so one in REFUSED_ONE_IN of them is taken. */
static bool useful_make(struct mutant *out, const struct calls *c, uint64_t *d)
{
	for (int i = 0; i < TRIES; i++) {
		if (!mutant_make(out, c->subjects, c->subject_count, d))
			return false;
		if ((out->is_text ? text_settle(out, d) : bytes_hold(out->bytes, out->size)) || !draw(d, REFUSED_ONE_IN) || i + 1 == TRIES)
			return true;
		free(out->bytes);
	}
	return false;
}

static int file_write(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	int failed = !file || fwrite(bytes, 1, size, file) != size;

	if (file)
		failed |= fclose(file) != 0;
	return failed ? -1 : 0;
}

/* ---- one call ---- */

static bool row_fits(const struct calls *c, const struct call_row *row, bool is_text)
{
	return (row->form == CALL_JSON) == is_text && (!c->with || strstr(row->arguments, c->with)) && (!c->plugin || row->form == CALL_PLUGIN);
}

/* NULL: no row fits. */
static const struct call_row *row_draw(const struct calls *c, const struct mutant *mutant, uint64_t *d)
{
	unsigned fitting = 0;
	uint64_t at;

	for (unsigned i = 0; i < call_row_count; i++)
		fitting += row_fits(c, &call_rows[i], mutant->is_text);
	at = fitting ? draw(d, fitting) : 0;
	for (unsigned i = 0; fitting && i < call_row_count; i++)
		if (row_fits(c, &call_rows[i], mutant->is_text) && !at--)
			return &call_rows[i];
	return NULL;
}

static unsigned plugin_draw(const struct calls *c, uint64_t *d)
{
	unsigned drawn = (unsigned)draw(d, CALL_PLUGINS);

	for (unsigned i = 0; c->plugin && i < CALL_PLUGINS; i++)
		if (!strcmp(c->plugin, call_plugins[i]))
			return i;
	return drawn;
}

static void words_print(FILE *to, const struct call *call)
{
	for (char *const *word = call->words; *word; word++)
		fprintf(to, "%s%s", word == call->words ? "" : " ", *word);
	fputc('\n', to);
}

/* The mutant and its command stay, under names that say which they are. */
static void finding_keep(const struct calls *c, uint64_t number, const struct mutant *mutant, const struct call_place *place, const struct call_row *row,
			 unsigned plugin)
{
	char path[300];
	struct call call;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%" PRIu64 "_of_seed_%" PRIu64 "%s", c->keep, number, c->seed, mutant->is_text ? ".json" : ".pkg.zst");
	if (file_write(path, mutant->bytes, mutant->size))
		return;
	call_make(&call, place, row, plugin, path);
	strcat(path, ".sh");
	file = fopen(path, "w");
	if (!file)
		return;
	words_print(file, &call);
	fclose(file);
}

static void problem_say(const struct calls *c, uint64_t number, const struct mutant *mutant, const struct call *call, const struct call_end *end,
			const char *problem)
{
	printf("not ok call_%" PRIu64 "_of_seed_%" PRIu64 " - made of %s: %s; code %d, signal %d, %" PRIu64 " ms, %" PRIu64 " MiB, \"%.1500s\": ", number,
	       c->seed, mutant->subject->path, problem, end->code, end->code < 0 ? WTERMSIG(end->status) : 0, end->ns / 1000000, end->rss_bytes >> 20,
	       end->said);
	words_print(stdout, call);
	fflush(stdout);
}

static void counted(struct job *job, const struct call *call, const struct call_end *end)
{
	const char *tool = strrchr(call->words[0], '/') + 1;

	job->done++;
	job->of_tools[!strcmp(tool, "ptowsp-inspect") ? 0 : !strcmp(tool, "ptowsp-pack") ? 1 : 2]++;
	if (end->code >= 0 && end->code < CODES)
		job->codes[end->code]++;
	else
		job->other++;
}

static int call_try(const struct calls *c, struct job *job, struct call_place *place, uint64_t number)
{
	uint64_t d = mutant_draw(c->seed, number);
	const struct call_row *row;
	struct mutant mutant;
	struct call call;
	struct call_end end;
	char path[160];
	const char *problem;
	unsigned plugin;

	if (!useful_make(&mutant, c, &d))
		return -1;
	row = row_draw(c, &mutant, &d);
	if (!row)
		return free(mutant.bytes), job->done++, 0;
	plugin = plugin_draw(c, &d);
	call_folder_empty(place->folder);
	snprintf(path, sizeof(path), "%s/mutant%s", place->folder, mutant.is_text ? ".json" : ".pkg.zst");
	call_make(&call, place, row, plugin, path);
	if (file_write(path, mutant.bytes, mutant.size) || call_run(&call, place, &end))
		return free(mutant.bytes), -1;
	counted(job, &call, &end);
	problem = call_problem(&call, &end);
	if (problem) {
		job->problems++;
		problem_say(c, number, &mutant, &call, &end, problem);
	}
	if (problem || c->only != UINT64_MAX)
		finding_keep(c, number, &mutant, place, row, plugin);
	if (c->only != UINT64_MAX) {
		printf("# code %d, %s", end.code, end.said[0] ? end.said : "\n");
		words_print(stdout, &call);
	}
	free(mutant.bytes);
	return 0;
}

/* ---- all of them ---- */

static int place_make(struct call_place *place, const struct calls *c)
{
	struct call call = {.words = {NULL}};
	struct call_end end;
	char pack[256];

	*place = (struct call_place){.bin = c->bin, .sanitized = c->sanitized};
	strcpy(place->folder, "/tmp/ptowsp-calls.XXXXXX");
	if (!mkdtemp(place->folder))
		return -1;
	snprintf(place->key, sizeof(place->key), "%s.key", place->folder);
	snprintf(pack, sizeof(pack), "%s/ptowsp-pack", c->bin);
	call.words[0] = pack;
	call.words[1] = (char *)"--make-key";
	call.words[2] = place->key;
	return call_run(&call, place, &end) || end.code ? -1 : 0;
}

static void place_remove(struct call_place *place)
{
	char public_key[200];

	call_folder_empty(place->folder);
	rmdir(place->folder);
	snprintf(public_key, sizeof(public_key), "%s.pub", place->key);
	unlink(place->key);
	unlink(public_key);
}

static int job_run(const struct calls *c, uint32_t i)
{
	struct call_place place;
	uint64_t first = c->only != UINT64_MAX ? c->only : i, behind = c->only != UINT64_MAX ? c->only + 1 : c->count;
	int failed = place_make(&place, c);

	if (failed)
		fprintf(stderr, "ptowsp-calls: there is no ptowsp-pack that works in %s\n", c->bin);
	for (uint64_t n = first; n < behind && !failed; n += c->jobs)
		failed = call_try(c, &c->job[i], &place, n);
	place_remove(&place);
	return failed ? 2 : 0;
}

static int jobs_run(const struct calls *c)
{
	int status, failed = 0;

	for (uint32_t i = 0; i < c->jobs; i++) {
		fflush(stdout);
		if (!fork())
			_exit(job_run(c, i));
	}
	while (wait(&status) > 0)
		if (status) {
			failed = 1;
			printf("not ok calls_are_made - a process that makes them ended with status %d\n", status);
		}
	return failed;
}

static int report(const struct calls *c, double seconds)
{
	struct job all = {0};

	for (uint32_t i = 0; i < c->jobs; i++) {
		for (int k = 0; k < CODES; k++)
			all.codes[k] += c->job[i].codes[k];
		for (int k = 0; k < 3; k++)
			all.of_tools[k] += c->job[i].of_tools[k];
		all.other += c->job[i].other;
		all.problems += c->job[i].problems;
		all.done += c->job[i].done;
	}
	printf("# %" PRIu64 " calls of seed %" PRIu64 "%s on mutants of %u packages, %.0f per second: ptowsp-inspect %" PRIu64 ", ptowsp-pack %" PRIu64
	       ", ptowsp-run %" PRIu64 "; exit",
	       all.done, c->seed, c->sanitized ? " with sanitizers" : "", c->subject_count, seconds > 0 ? (double)all.done / seconds : 0.0, all.of_tools[0],
	       all.of_tools[1], all.of_tools[2]);
	for (int k = 0; k < CODES; k++)
		if (all.codes[k])
			printf(" %d: %" PRIu64 ",", k, all.codes[k]);
	printf(" others %" PRIu64 "; findings %" PRIu64 "\n", all.other, all.problems);
	return all.problems || all.done < c->count;
}

static int subjects_read(struct calls *c, char *const *paths)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	c->subjects = calloc(SUBJECTS_MOST, sizeof(*c->subjects));
	for (; c->subjects && paths[c->subject_count] && c->subject_count < SUBJECTS_MOST; c->subject_count++)
		if (subject_read(&c->subjects[c->subject_count], paths[c->subject_count], &error)) {
			fprintf(stderr, "ptowsp-calls: %s\n", error.text);
			return -1;
		}
	return c->subjects ? 0 : -1;
}

static int calls_run(struct calls *c, char *const *paths)
{
	struct timespec begin, end;
	int rc;

	c->job = mmap(NULL, c->jobs * sizeof(*c->job), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->job == MAP_FAILED || subjects_read(c, paths))
		return 2;
	mkdir(c->keep, 0777);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	rc = c->only != UINT64_MAX ? job_run(c, 0) : jobs_run(c);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (c->only == UINT64_MAX)
		rc |= report(c, (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9);
	for (uint32_t i = 0; i < c->subject_count; i++)
		subject_finish(&c->subjects[i]);
	free(c->subjects);
	return rc;
}

/* ---- those that are kept ---- */

/* "3<tab>kept/FILE<tab>TOOL<tab>[--plugin=NAME] ARGUMENTS": true if it ends as it must. */
static bool line_try(const struct call_place *place, const char *beside, const char *line)
{
	char file[128], arguments[512], tool[64], path[512];
	int code, at = 0;
	const char *problem;
	struct call call;
	struct call_end end;

	if (sscanf(line, "%d %127s %63s %n", &code, file, tool, &at) < 3 || !at)
		return printf("not ok kept_calls_can_be_read - %s", line), false;
	snprintf(arguments, sizeof(arguments), "%.*s", (int)strcspn(line + at, "\n"), line + at);
	snprintf(path, sizeof(path), "%.*s%s", (int)(strrchr(beside, '/') + 1 - beside), beside, file);
	call_folder_empty(place->folder);
	call_make(&call, place, &(struct call_row){tool, CALL_PACKAGE, arguments}, 0, path);
	if (call_run(&call, place, &end))
		return false;
	problem = call_problem(&call, &end);
	if (!problem && end.code != code)
		problem = "another exit code";
	printf("%sok kept_call_", problem ? "not " : "");
	for (const char *c = line + strcspn(line, "/") + 1; *c && *c != '\n'; c++)
		putchar(isalnum((unsigned char)*c) || *c == '=' ? *c : '_');
	fputs(place->sanitized ? "_with_sanitizers" : "", stdout);
	if (problem)
		printf(" - %s: code %d, must be %d, \"%.1500s\"", problem, end.code, code, end.said);
	putchar('\n');
	return !problem;
}

static int kept_try(const struct calls *c)
{
	struct call_place place;
	FILE *file = fopen(c->kept, "r");
	char line[1024];
	int wrong = 0;

	if (!file || place_make(&place, c))
		return fprintf(stderr, "ptowsp-calls: %s cannot be read, or no tools are in %s\n", c->kept, c->bin), 2;
	while (fgets(line, sizeof(line), file))
		if (*line != '#')
			wrong |= !line_try(&place, c->kept, line);
	fclose(file);
	place_remove(&place);
	return wrong;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"seed", 1, NULL, 's'},   {"jobs", 1, NULL, 'j'}, {"only", 1, NULL, 'o'},      {"bin", 1, NULL, 'b'},
						{"keep", 1, NULL, 'w'},   {"kept", 1, NULL, 'k'}, {"sanitized", 0, NULL, 'a'}, {"with", 1, NULL, 'i'},
						{"plugin", 1, NULL, 'p'}, {NULL, 0, NULL, 0}};
	struct calls c = {.seed = 1, .jobs = 1, .only = UINT64_MAX, .keep = "."};
	int o;

	while ((o = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (o) {
		case 's': c.seed = strtoull(optarg, NULL, 0); break;
		case 'j': c.jobs = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'o': c.only = strtoull(optarg, NULL, 0); break;
		case 'b': c.bin = optarg; break;
		case 'w': c.keep = optarg; break;
		case 'k': c.kept = optarg; break;
		case 'i': c.with = optarg; break;
		case 'p': c.plugin = optarg; break;
		case 'a': c.sanitized = true; break;
		default: return 2;
		}
	}
	if (c.bin && c.kept)
		return kept_try(&c);
	if (!c.bin || argc - optind < 2 || !c.jobs || c.jobs > JOBS_MOST)
		return fprintf(stderr, "usage: ptowsp-calls [--seed N] [--jobs N] [--only N] [--sanitized] --bin FOLDER --keep FOLDER COUNT PACKAGE... | --bin "
				       "FOLDER --kept FILE\n"),
		       2;
	c.count = strtoull(argv[optind], NULL, 0);
	return calls_run(&c, argv + optind + 1);
}
