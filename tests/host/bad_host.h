/* SPDX-License-Identifier: MIT
 * bad_host.h - a host of the checking plugin (tests/checking) that keeps its rules until a test breaks one: fake_host.h with sections, a binding and programs of its own. */
#ifndef TESTS_BAD_HOST_H
#define TESTS_BAD_HOST_H

#include "ptowsp/package.h"
#include "ptowsp/workload.h"
#include "tests/host/fake_host.h"

/* What the host hands to the plugin. status, error: of the last call. */
struct bad_host {
	void *so;
	_Alignas(64) struct {
		struct ptowsp_workload_header header;
		struct ptowsp_instruction code[1];
	} work;
	_Alignas(64) struct ptowsp_entry_record entry[2];
	_Alignas(64) unsigned char tensors[64];
	struct ptowsp_section sections[3];
	float data[16];
	struct ptowsp_binding binding;
	struct ptowsp_object *programs[2];
	ptowsp_status status;
	struct ptowsp_error error;
};
extern struct bad_host bad;

/* The services of fake_host.c, and the checking plugin instead of cpu_sim. */
void bad_begin(void);
/* Up to a program that runs without a breach. hold: that option of the plugin, NULL for none. */
void bad_live(const char *hold);
/* Everything is unloaded, closed and given back, as far as it is there. */
void bad_end(void);

/* The host's error record, empty. */
struct ptowsp_error *bad_error(void);
/* Arguments as they should be. */
struct ptowsp_load_args bad_load_args(void);
struct ptowsp_run_args bad_run_args(uint64_t token);
/* Calls as they should be; i: of bad.programs. */
ptowsp_status bad_load(int i);
ptowsp_status bad_submit(uint64_t token);
ptowsp_status bad_poll(void);

#endif
