/* SPDX-License-Identifier: MIT */
/* table.c - the table of results, and the statistics in it. */
#include "tools/bench/bench.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define COLUMNS "%-32s %-48s %10s %-8s %9s %9s %-8s %-9s %s\n" /* texts that are longer push what follows to the right */

static FILE *out;
static enum bench_form form;
static json_t *document; /* with --json */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct bench_quantiles bench_series_quantiles(const struct bench_series *series)
{
	struct bench_series s = *series;
	const unsigned half = s.count / 2;

	if (!s.count)
		return (struct bench_quantiles){0, 0, 0};
	qsort(s.values, s.count, sizeof(*s.values), ascending);
	return (struct bench_quantiles){s.count % 2 ? s.values[half] : (s.values[half - 1] + s.values[half]) / 2, s.values[0], s.values[s.count - 1]};
}

void bench_series_add(struct bench_series *series, double value, bool disturbed)
{
	series->disturbed |= (uint64_t)disturbed << series->count;
	series->values[series->count++] = value;
}

unsigned bench_series_noisy(const struct bench_series *series)
{
	return (unsigned)__builtin_popcountll(series->disturbed);
}

/* "model name" of the processor, or the machine's architecture. */
static void processor(char *text, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	struct utsname name;
	char line[256];

	snprintf(text, size, "%s", uname(&name) ? "unknown" : name.machine);
	while (f && fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':');

		if (!strncmp(line, "model name", 10) && colon) {
			line[strcspn(line, "\n")] = 0;
			snprintf(text, size, "%s", colon + 2);
			break;
		}
	}
	if (f)
		fclose(f);
}

static void machine_print(char *text, size_t size)
{
	char cpu[160];
	struct utsname name;
	double gib = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (1u << 30);

	processor(cpu, sizeof(cpu));
	snprintf(text, size, "%s, %ld cores, %.0f GiB, %s %s", cpu, sysconf(_SC_NPROCESSORS_ONLN), gib, uname(&name) ? "?" : name.sysname,
		 uname(&name) ? "" : name.release);
}

static void command_print(char *text, size_t size, int argc, char **argv)
{
	size_t used = (size_t)snprintf(text, size, "ptowsp-bench");

	for (int i = 1; i < argc && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, " %s", argv[i]);
}

void bench_table_begin(FILE *to, enum bench_form wanted, int argc, char **argv)
{
	char machine[512], command[512];

	out = to;
	form = wanted;
	machine_print(machine, sizeof(machine));
	command_print(command, sizeof(command), argc, argv);
	if (form == BENCH_JSON) {
		document = json_pack("{s:s, s:s, s:s, s:[]}", "schema", "ptowsp-bench/1", "machine", machine, "command", command, "rows");
		return;
	}
	fprintf(out, "# machine: %s\n# command: %s\n", machine, command);
	if (form == BENCH_TSV)
		fprintf(out, "benchmark\tsubject\tmeasure\tunit\tmedian\tmin\tmax\treps\tnoisy\treference\ttarget\tmet\n");
	else
		fprintf(out, COLUMNS, "subject", "measure", "median", "unit", "min", "max", "noisy", "target", "met");
}

static const char *number(double value, char text[32])
{
	snprintf(text, 32, value >= 1000 || value == (double)(long long)value ? "%.0f" : value >= 10 ? "%.1f" : "%.3g", value);
	return text;
}

/* Once in a table of columns, which have no room for references. */
void bench_table_note(const char *of, const char *text)
{
	static bool noted;

	if (form == BENCH_COLUMNS && !noted)
		fprintf(out, "# %s: %s\n", of, text);
	noted = true;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

static bool progress; /* a line of it stands on the terminal */

static void progress_clear(void)
{
	if (progress)
		fprintf(stderr, "\r\033[K");
	progress = false;
}

void bench_table_progress(const struct bench_row *row)
{
	if (!isatty(STDERR_FILENO))
		return;
	progress_clear();
	fprintf(stderr, "%.40s: %.60s ...", row->subject, row->measure);
	progress = true;
}

/* A row as it is told. */
struct told {
	const char *benchmark, *met, *reference;
	const struct bench_row *row;
	struct bench_quantiles values;
	unsigned count, noisy;
	char target[48];
};

/* Times of repetitions that were mostly disturbed say neither yes nor no: a disturbance may as well have met the thing that we are compared with. */
static const char *met(const struct told *t)
{
	if (t->noisy * 2 > t->count)
		return "unclear";
	return (t->row->least > 0 && t->values.median < t->row->least) || (t->row->most > 0 && t->values.median > t->row->most) ? "no" : "yes";
}

/* Small sizes are for a look at the rows: nothing is wanted of them. */
static struct told told_of(const struct bench *bench, const struct bench_row *row, const struct bench_series *series)
{
	struct told t = {.benchmark = bench->name,
			 .row = row,
			 .reference = row->reference ? row->reference : "-",
			 .values = bench_series_quantiles(series),
			 .count = series->count,
			 .noisy = bench_series_noisy(series),
			 .met = "-",
			 .target = "-"};
	char value[32];

	if (bench->options.small || (row->least <= 0 && row->most <= 0))
		return t;
	snprintf(t.target, sizeof(t.target), "%s %s", row->least > 0 ? ">=" : "<=", number(row->least > 0 ? row->least : row->most, value));
	if (t.count)
		t.met = met(&t);
	return t;
}

/* As many columns as a reader needs: a benchmark's name stands in the command, a reference in the other forms. */
static void columns_print(const struct told *t, const char *median, const char *least, const char *most)
{
	const bool wanted = t->target[0] != '-', several = t->count > 1;
	char noisy[32] = "";

	if (t->noisy)
		snprintf(noisy, sizeof(noisy), "%u of %u", t->noisy, t->count);
	fprintf(out, COLUMNS, t->row->subject, t->row->measure, median, t->row->unit, several ? least : "", several ? most : "", noisy, wanted ? t->target : "",
		wanted ? t->met : "");
}

static void row_print(const struct told *t)
{
	char median[32] = "-", least[32] = "-", most[32] = "-";

	if (t->count) {
		number(t->values.median, median);
		number(t->values.least, least);
		number(t->values.most, most);
	}
	if (form == BENCH_COLUMNS)
		columns_print(t, median, least, most);
	else
		fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%u\t%u\t%s\t%s\t%s\n", t->benchmark, t->row->subject, t->row->measure, t->row->unit, median, least,
			most, t->count, t->noisy, t->reference, t->target, t->met);
	fflush(out);
}

static json_t *real(const struct told *t, double value)
{
	return t->count ? json_real(value) : json_null();
}

static void row_collect(const struct told *t)
{
	json_array_append_new(json_object_get(document, "rows"),
			      json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:s, s:s, s:s, s:o, s:o, s:o}", "benchmark", t->benchmark, "subject", t->row->subject,
					"measure", t->row->measure, "unit", t->row->unit, "reps", (int)t->count, "noisy", (int)t->noisy, "reference",
					t->reference, "target", t->target, "met", t->met, "median", real(t, t->values.median), "min", real(t, t->values.least),
					"max", real(t, t->values.most)));
}

void bench_table_row(const struct bench *bench, const struct bench_row *row, const struct bench_series *series)
{
	const struct told t = told_of(bench, row, series);

	progress_clear();
	if (document)
		row_collect(&t);
	else
		row_print(&t);
}

void bench_table_value(const struct bench *bench, struct bench_row row, double value)
{
	const struct bench_series series = {.count = 1, .values = {value}};

	bench_table_row(bench, &row, &series);
}

void bench_table_end(void)
{
	progress_clear();
	if (document) {
		json_dumpf(document, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
		fputc('\n', out);
		json_decref(document);
		document = NULL;
	}
}
