/* SPDX-License-Identifier: MIT */
/* habit.h - words that other languages have where this one writes something else. */
#ifndef LANG_HABIT_H
#define LANG_HABIT_H

struct lang_unit;

enum lang_habit_place { LANG_HABIT_FILE, LANG_HABIT_FUNCTION, LANG_HABIT_WORKLOAD };

/* Help of the error that was told last: what is written here instead of the word. 0: nothing is known about it. */
int lang_habit_help(struct lang_unit *unit, enum lang_habit_place place, const char *word);

#endif
