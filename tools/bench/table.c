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

void bench_series_add(struct bench_series *series, double value)
{
	if (series->count < BENCH_REPS_LIMIT)
		series->values[series->count++] = value;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct bench_series sorted(const struct bench_series *series)
{
	struct bench_series copy = *series;

	qsort(copy.values, copy.count, sizeof(*copy.values), ascending);
	return copy;
}

double bench_series_median(const struct bench_series *series)
{
	struct bench_series s = sorted(series);

	if (!s.count)
		return 0;
	return s.count % 2 ? s.values[s.count / 2] : (s.values[s.count / 2 - 1] + s.values[s.count / 2]) / 2;
}

double bench_series_least(const struct bench_series *series)
{
	return series->count ? sorted(series).values[0] : 0;
}

double bench_series_most(const struct bench_series *series)
{
	return series->count ? sorted(series).values[series->count - 1] : 0;
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
	snprintf(text, size, "%s, %ld cores, %.0f GiB, %s %s", cpu, sysconf(_SC_NPROCESSORS_ONLN), gib,
		 uname(&name) ? "?" : name.sysname, uname(&name) ? "" : name.release);
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
		document = json_pack("{s:s, s:s, s:s, s:[]}", "schema", "ptowsp-bench/1", "machine", machine, "command", command,
				     "rows");
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

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static bool progress; /* a line of it stands on the terminal */

static void progress_clear(void)
{
	if (progress)
		fprintf(stderr, "\r\033[K");
	progress = false;
}

void bench_table_progress(const char *subject, const char *measure)
{
	if (!isatty(STDERR_FILENO))
		return;
	progress_clear();
	fprintf(stderr, "%.40s: %.60s ...", subject, measure);
	progress = true;
}

static void target_print(const struct bench_row *row, char *text, size_t size)
{
	char value[32];

	if (row->least > 0)
		snprintf(text, size, ">= %s", number(row->least, value));
	else if (row->most > 0)
		snprintf(text, size, "<= %s", number(row->most, value));
	else
		snprintf(text, size, "-");
}

/* Times of repetitions that were mostly disturbed say neither yes nor no: a disturbance may as well have met what we are compared with. */
static const char *met(const struct bench_row *row)
{
	const bool counted = !strcmp(row->unit, "faults");
	double median = bench_series_median(&row->series);

	if (!row->series.count || (row->least <= 0 && row->most <= 0))
		return "-";
	if (!counted && row->series.disturbed * 2 > row->series.count)
		return "unclear";
	return (row->least > 0 && median < row->least) || (row->most > 0 && median > row->most) ? "no" : "yes";
}

/* As many columns as a reader needs: a benchmark's name stands in the command, a reference in the other forms. */
static void columns_print(const struct bench_row *row, const char *median, const char *least, const char *most, const char *target)
{
	char noisy[32] = "";

	if (row->series.disturbed)
		snprintf(noisy, sizeof(noisy), "%u of %u", row->series.disturbed, row->series.count);
	fprintf(out, COLUMNS, row->subject, row->measure, median, row->unit, row->series.count > 1 ? least : "", row->series.count > 1 ? most : "", noisy,
		*target == '-' ? "" : target, *target == '-' ? "" : met(row));
	fflush(out);
}

static void row_print(const struct bench_row *row)
{
	char median[32] = "-", least[32] = "-", most[32] = "-", target[48];

	if (row->series.count) {
		number(bench_series_median(&row->series), median);
		number(bench_series_least(&row->series), least);
		number(bench_series_most(&row->series), most);
	}
	target_print(row, target, sizeof(target));
	if (form == BENCH_COLUMNS) {
		columns_print(row, median, least, most, target);
		return;
	}
	fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%u\t%u\t%s\t%s\t%s\n", row->benchmark, row->subject, row->measure, row->unit, median,
		least, most, row->series.count, row->series.disturbed, row->reference ? row->reference : "-", target, met(row));
	fflush(out);
}

static void row_collect(const struct bench_row *row)
{
	char target[48];
	json_t *json;

	target_print(row, target, sizeof(target));
	json = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:s}", "benchmark", row->benchmark, "subject", row->subject, "measure", row->measure,
			 "unit", row->unit, "reps", (json_int_t)row->series.count, "noisy", (json_int_t)row->series.disturbed, "reference",
			 row->reference ? row->reference : "-", "target", target, "met", met(row));
	json_object_set_new(json, "median", row->series.count ? json_real(bench_series_median(&row->series)) : json_null());
	json_object_set_new(json, "min", row->series.count ? json_real(bench_series_least(&row->series)) : json_null());
	json_object_set_new(json, "max", row->series.count ? json_real(bench_series_most(&row->series)) : json_null());
	json_array_append_new(json_object_get(document, "rows"), json);
}

void bench_table_row(const struct bench_row *row)
{
	progress_clear();
	if (document)
		row_collect(row);
	else
		row_print(row);
}

void bench_table_value(struct bench_row row, double value)
{
	bench_series_add(&row.series, value);
	bench_table_row(&row);
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
