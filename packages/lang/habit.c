/* SPDX-License-Identifier: MIT */
#include "lang/habit.h"

#include <stddef.h>
#include <string.h>

#include "lang/diag.h"

#define FILES "files are not included but packed together: ptowsp-pack a.pto b.pto -o ab.pkg.zst"
#define FUNC "a function begins with: func @name(%x: !pto.memref<gm,...,f32>) {"
#define ENDS "FOR ends with ENDFOR, IF with ENDIF, WHILE with ENDWHILE"
#define ELSE_IF "write ELSE and, in the next line, another IF; each of them has its ENDIF"
#define WORK_LOOP "loops are: parallel_for %i in 0 to %n { }, or for_each, whose rounds follow each other"
#define SLOT "a value that changes is a slot: slot %k : i64 = 0 at the top of the file, slot_set %k, %k + 1 here"

static const struct habit {
	enum lang_habit_place place;
	const char *word, *help;
} habits[] = {
	{LANG_HABIT_FILE, "import", FILES},
	{LANG_HABIT_FILE, "include", FILES},
	{LANG_HABIT_FILE, "def", FUNC},
	{LANG_HABIT_FILE, "fn", FUNC},
	{LANG_HABIT_FILE, "function", FUNC},
	{LANG_HABIT_FUNCTION, "for", "loops are: FOR %i:idx, 0:idx, %n:idx, 1:idx, statements in lines of their own, ENDFOR"},
	{LANG_HABIT_FUNCTION, "end", ENDS},
	{LANG_HABIT_FUNCTION, "END", ENDS},
	{LANG_HABIT_FUNCTION, "elif", ELSE_IF},
	{LANG_HABIT_FUNCTION, "ELIF", ELSE_IF},
	{LANG_HABIT_FUNCTION, "ELSEIF", ELSE_IF},
	{LANG_HABIT_WORKLOAD, "for", WORK_LOOP},
	{LANG_HABIT_WORKLOAD, "foreach", WORK_LOOP},
	{LANG_HABIT_WORKLOAD, "loop", WORK_LOOP},
	{LANG_HABIT_WORKLOAD, "elif", "write else if"},
	{LANG_HABIT_WORKLOAD, "elsif", "write else if"},
	{LANG_HABIT_WORKLOAD, "elseif", "write else if"},
	{LANG_HABIT_WORKLOAD, "continue", "there is none: what a round leaves out stands in an if"},
	{LANG_HABIT_WORKLOAD, "let", SLOT},
	{LANG_HABIT_WORKLOAD, "var", SLOT},
	{LANG_HABIT_WORKLOAD, "set", SLOT},
};

int lang_habit_help(struct lang_unit *unit, enum lang_habit_place place, const char *word)
{
	for (size_t i = 0; i < sizeof(habits) / sizeof(*habits); i++)
		if (habits[i].place == place && !strcmp(habits[i].word, word)) {
			lang_help(unit, "%s", habits[i].help);
			return 1;
		}
	return 0;
}
