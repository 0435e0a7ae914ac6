/* SPDX-License-Identifier: MIT */
/* isolated.h - the plugin in a worker, as the tests see it: its operations, and those of its extensions, as functions of this process that lead there. */
#ifndef TOOLS_CONFORM_ISOLATED_H
#define TOOLS_CONFORM_ISOLATED_H

#include "tools/conform/conform.h"

/* Checks the file, starts a worker in c->isolate, has it load the plugin: c->plugin, without a descriptor. A sandbox gives what the note asks for. One at a time. false: that is
 * refused. */
bool conform_isolated_load(struct conform *c, struct ptowsp_error *error);
/* Ends the worker, which has one instance in its life; c->plugin is NULL. Nothing if the plugin is in this process. */
void conform_isolated_end(struct conform *c);
/* The end of the worker is seen: the test fails. What it ended by is in c->error if a call told it. */
void conform_isolated_look(struct conform *c);

#endif
