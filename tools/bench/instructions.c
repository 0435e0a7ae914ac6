/* SPDX-License-Identifier: MIT */
/* instructions.c - instructions per task, by valgrind's callgrind: this program again, as `ptowsp-bench once`, counted inside bench_once_measured
 * alone. They are the same from run to run, which times are not. Rows are "-" without valgrind. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/bench/bench.h"

static const struct counted {
	const char *subject, *name;
	unsigned n;
} subjects[] = {{"layer", "llama_layer 16K", 256}, {"llama", "llama/256", 256}, {"w1", "w1/128", 128}, {"w2", "w2/256", 256}, {"w3", "w3/50000", 50000}, {"w4", "w4/50000", 50000}},
  small = {"layer", "llama_layer 1K", 16}; /* the only one with --small */
static const struct rule {
	const char *deps, *hazards, *name;
	bool llama_only;
} rules[] = {{"exact", "raw", "exact keys, raw", true},
	     {"exact", "full", "exact keys, full", false},
	     {"overlap", "full", "default", false}};
static const struct what {
	const char *what, *name;
} whats[] = {{"find", "expansion and inference"}, {"count", "without kernels"}, {"run", "end to end"}};

/* Both numbers stand in what callgrind and the program print. False: there is no valgrind, or it could not count. */
static bool output_read(FILE *out, double *value_out)
{
	double instructions = 0, tasks = 0;
	char line[1024], *at;

	while (fgets(line, sizeof(line), out)) {
		if ((at = strstr(line, "Collected : ")))
			instructions = strtod(at + 12, NULL);
		else if ((at = strstr(line, " tasks")))
			tasks = strtod(line, NULL);
	}
	*value_out = tasks > 0 ? instructions / tasks : 0;
	return instructions > 0 && tasks > 0;
}

static bool count(const struct bench_options *options, const struct counted *s, const struct rule *rule, const struct what *what, double *value_out)
{
	char self[PATH_MAX], command[3 * PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	bool counted;
	FILE *out;

	if (n <= 0)
		return false;
	self[n] = 0;
	snprintf(command, sizeof(command),
		 "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=bench_once_measured '%s' once --packages '%s' --subject %s --n %u "
		 "--deps %s --hazards %s --what %s 2>&1",
		 self, options->packages, s->subject, s->n, rule->deps, rule->hazards, what->what);
	out = popen(command, "r");
	if (!out)
		return false;
	counted = output_read(out, value_out);
	return pclose(out) == 0 && counted;
}

int bench_instructions(const struct bench_options *options)
{
	const size_t subject_count = options->small ? 1 : sizeof(subjects) / sizeof(*subjects), rule_count = sizeof(rules) / sizeof(*rules), what_count = sizeof(whats) / sizeof(*whats);

	for (size_t i = 0; i < subject_count * rule_count * what_count; i++) {
		const struct counted *s = options->small ? &small : &subjects[i / (rule_count * what_count)];
		const struct rule *rule = &rules[i / what_count % rule_count];
		const struct what *what = &whats[i % what_count];
		char measure[96];
		struct bench_row row = {.benchmark = "instructions", .subject = s->name, .measure = measure, .unit = "per task"};
		double value;

		if (rule->llama_only && s->subject[0] != 'l')
			continue;
		snprintf(measure, sizeof(measure), "%s, %s", what->name, rule->name);
		bench_table_progress(s->name, measure);
		if (count(options, s, rule, what, &value))
			bench_series_add(&row.series, value);
		bench_table_row(&row);
	}
	return 0;
}
