/* SPDX-License-Identifier: MIT
 * slow_compare.h - a program on the machine and on the slow one: start, end and core of each task, stalls, high-water marks, tokens, notices. For tests that have their
 * programs in a builder. */
#ifndef TESTS_MODEL_SLOW_COMPARE_H
#define TESTS_MODEL_SLOW_COMPARE_H

#include "ascend/machine/machine.h"
#include "tests/rt/builder/rt_builder.h"

/* ENDS_EARLY: a deadlock, a limit: there are no times to compare. */
enum slow_verdict { SLOW_DIFFERS, SLOW_ENDS_EARLY, SLOW_AGREES };
/* how: schedulers are the instances; its engine is ignored. filtered: dispatch filters say whose tasks are. who: stands in failures, of which the test hears. With PTOWSP_SEED set
 * what differs is printed item by item. */
enum slow_verdict slow_compare(struct builder *b, struct outcome_how how, struct ascend_machine *machine, bool filtered, const char *who);

#endif
