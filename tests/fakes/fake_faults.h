/* SPDX-License-Identifier: MIT */
/* fake_faults.h - how the fake runtime fails: what it answers, and what it writes to the error stream, in the form of the real one.
 *
 *   FAKE_FAULT=PHASE:CODE[:CLASS]   init, register, prepare, launch, wait or finalize fails: CODE > 0 as a fault of the runtime with that number and the sentence of
 *                     fake_faults.def, else with that result; CLASS is that of a scheduler timeout ("S1:running-stalled") */
#ifndef FAKE_FAULTS_H
#define FAKE_FAULTS_H

#include "ascend/engine/pod.h"

#define FAKE_WRONG (-77)

#pragma GCC visibility push(hidden)
/* What the client bound; NULL: nothing yet. */
extern struct ascend_log_state *fake_bound;
/* A call that must not be: logged, written, FAKE_WRONG. */
int fake_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The fault with this number: its failure line, then what it means (detail, NULL: the table's) and what helps. -code. */
int fake_fault(int code, const char *class, const char *detail);
/* 0, or what this phase is told to answer. */
int fake_fault_of(const char *phase);
#pragma GCC visibility pop

#endif
