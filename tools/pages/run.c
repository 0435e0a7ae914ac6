/* SPDX-License-Identifier: MIT */
/* run.c - what ptowsp-run says about itself. */
#include "tools/pages/page.h"

#define G PAGE_G
#define X PAGE_X
static const struct page_row rows[] = {
	PAGE_U("[--plugin=NAME|PATH|auto] [options] PACKAGE", "run a package") PAGE_U("--list-plugins [--json]", "every plugin found, or why it was skipped")
		PAGE_U("--devices [--plugin=NAME] [--json]", "every device with its model") PAGE_U(
			"--capabilities [--plugin=NAME] [--verify] [--json]", "what backends enforce") PAGE_U("--explain PACKAGE [--plugin=NAME] [--json]",
													      "what a run would do; runs nothing")
#include "tools/run/flags.def"
			PAGE_N("--flag=value and --flag value mean the same; --stats takes a value only behind =. "
			       "SIGUSR1 prints the state of the flow control. SIGHUP, SIGINT and SIGTERM cancel the run; outputs stay untouched.")
				PAGE_V("PTOWSP_PLUGIN_PATH", "folders with plugins, separated by ':'; not read under elevated privileges") PAGE_V(
					"PTOWSP_TRUST_DIR",
					"absolute folders with trusted keys and lists of plugins, separated by ':'; not read under elevated privileges")
					PAGE_V("NO_COLOR", "no colour on terminals") PAGE_E("0", "success") PAGE_E("1", "kernel or run error") PAGE_E(
						"2", "usage, or a file that cannot be read or written") PAGE_E("3", "package refused")
						PAGE_E("4", "plugin not found or refused") PAGE_E("5", "directive or feature unsupported") PAGE_E(
							"6", "--expect does not match") PAGE_E("7", "deadlock") PAGE_E("8", "device or toolchain not there")
							PAGE_E("9", "plugin crashed or device lost") PAGE_E("10", "deadline passed, or too many tasks")
								PAGE_E("11", "--verify had nothing that it could prove") PAGE_E(
									"130", "ended by SIGINT; 129 by SIGHUP, 141 by SIGPIPE, 143 by SIGTERM")
									PAGE_SHOW("ptowsp-run softmax.pkg.zst",
										  "Run a package on its sample data, on the backend cpu_sim.")
										PAGE_SHOW("ptowsp-run --set total_rows=21 --fill x=random:7 --out y=y.npy "
											  "--stats softmax.pkg.zst",
											  "Other input, the output as a NumPy file, and what the run cost.")
											PAGE_SHOW("ptowsp-run --explain --plugin=cpu_sim softmax.pkg.zst",
												  "What would be enforced, recorded or refused.")};
#undef X
#undef G

const struct page page_run = {"ptowsp-run", "run a package on any backend", "*.pkg.zst", rows, sizeof(rows) / sizeof(*rows), 0, 0};
