/* SPDX-License-Identifier: MIT */
/* plugin.c - one plugin with every fact replaceable by -D: hostile.ninja makes a folder of bad ones from it. */
#include "ptowsp/plugin.h"
#include "ptowsp/note.h"

#include <stdio.h>
#include <stdlib.h>

#ifndef NAME
#define NAME "good"
#endif
#ifndef VENDOR
#define VENDOR "test"
#endif
#ifndef TARGETS
#define TARGETS NAME
#endif
#ifndef MINOR
#define MINOR 0
#endif

/* What the note says. */
#ifndef NOTES
#define NOTES 1
#endif
#ifndef NOTE_MAJOR
#define NOTE_MAJOR 10
#endif
#ifndef NOTE_NAME
#define NOTE_NAME NAME
#endif
#ifndef NOTE_VENDOR
#define NOTE_VENDOR VENDOR
#endif
#ifndef NOTE_VERSION
#define NOTE_VERSION "1.0"
#endif
#if defined(OTHER_SANITIZER) && PTOWSP_SANITIZER == 1
#define NOTE_SANITIZER 2
#elif defined(OTHER_SANITIZER)
#define NOTE_SANITIZER 1
#elif !defined(NOTE_SANITIZER)
#define NOTE_SANITIZER PTOWSP_SANITIZER
#endif
/* PTOWSP_NOTE with nothing fixed; descriptor bytes as text, so that they can be cut short. */
#define NOTE_BYTES                                                                                                                                             \
	"\t.long " PTOWSP_NOTE_TEXT(NOTE_MAJOR) ", " PTOWSP_NOTE_TEXT(MINOR) ", 0, " PTOWSP_NOTE_TEXT(NOTE_SANITIZER) "\n"                                     \
														      "\t.asciz \"" NOTE_NAME                  \
														      "\"\n\t.asciz \"" NOTE_VENDOR            \
														      "\"\n\t.asciz \"" NOTE_VERSION           \
														      "\"\n\t.asciz \"" TARGETS "\"\n"
#ifdef NOTE_SHORT
#undef NOTE_BYTES
#define NOTE_BYTES "\t.long 10\n"
#endif
#ifdef NOTE_CUT
#undef NOTE_BYTES
#define NOTE_BYTES "\t.long 10, 0, 0, 0\n\t.ascii \"" NAME "\"\n"
#endif
#define NOTE                                                                                                                                                   \
	__asm__(".pushsection .note.ptowsp,\"a\",%note\n\t.balign 4\n\t.long 2f-1f, 4f-3f, 1\n1:\t.asciz \"PTOWSP\"\n"                                         \
		"2:\t.balign 4\n3:\n" NOTE_BYTES "4:\t.balign 4\n\t.popsection\n")
#if NOTES > 0
NOTE;
#endif
#if NOTES > 1
NOTE;
#endif

/* What the descriptor says. */
#ifndef DESCRIPTOR_NAME
#define DESCRIPTOR_NAME NAME
#endif
#ifndef SIZE
#define SIZE sizeof(plugin)
#endif
#ifndef TYPE
#define TYPE PTOWSP_STRUCT_PLUGIN
#endif
#ifndef MAJOR
#define MAJOR 10
#endif
#ifndef NEEDS
#define NEEDS NULL
#endif
#ifndef VERSION
#define VERSION "1.0"
#endif
#ifndef FLAGS
#define FLAGS 0
#endif
#ifndef OPS
#define OPS &table.ops
#endif
#ifndef OPS_SIZE
#define OPS_SIZE sizeof(table)
#endif
#ifndef INIT
#define INIT init
#endif
#ifndef OPS_TYPE
#define OPS_TYPE PTOWSP_STRUCT_OPS
#endif

static int instance; /* only its address counts */

__attribute__((used)) static ptowsp_status init(const struct ptowsp_host *host, const struct ptowsp_init_args *args, struct ptowsp_object **instance_out,
						struct ptowsp_error *error)
{
	(void)host, (void)args, (void)error;
	*instance_out = (struct ptowsp_object *)&instance;
	return PTOWSP_OK;
}

/* As from a later minor: longer than the host's, and with something behind what it knows. */
static const struct {
	struct ptowsp_ops ops;
	uint64_t later[8];
} table __attribute__((used)) = {
	.ops = {.head = {OPS_SIZE, OPS_TYPE, 0}, .init = INIT},
	.later = {1, 2, 3, 4, 5, 6, 7, 8},
};

static const struct ptowsp_plugin plugin __attribute__((used)) = {
	.head = {SIZE, TYPE, 0},
	.major = MAJOR,
	.minor = MINOR,
	.flags = FLAGS,
	.name = DESCRIPTOR_NAME,
	.vendor = VENDOR,
	.version = VERSION,
	.targets = TARGETS,
	.ops = OPS,
	.needs = NEEDS,
};

#ifdef CONSTRUCTOR
__attribute__((constructor)) static void run_at_load(void)
{
	puts("the constructor of a plugin ran");
	setenv("PTOWSP_TEST_CONSTRUCTOR", "ran", 1);
}
#endif

#ifdef UNDEFINED
const struct ptowsp_plugin *hostile_is_nowhere(void);
#endif
#ifdef PRIVATE
int hostile_private(void);
#endif
#ifdef TEXTREL
__asm__(".data\nhostile_target:\n\t.quad 0\n");
__asm__(".text\n\t.balign 8\nhostile_address:\n\t.quad hostile_target\n");
#endif
#ifdef STATIC_TLS
static __thread const struct ptowsp_plugin *volatile answer __attribute__((tls_model("initial-exec"))) = &plugin;
#endif

#ifdef STRAY
PTOWSP_EXPORT int hostile_stray(void);
PTOWSP_EXPORT int hostile_stray(void)
{
	return 1;
}
#endif

#ifndef ENTRY
#define ENTRY ptowsp_plugin_v10
#endif
#ifndef ANSWER
#define ANSWER &plugin
#endif
PTOWSP_EXPORT const struct ptowsp_plugin *ENTRY(uint32_t host_minor);
PTOWSP_EXPORT const struct ptowsp_plugin *ENTRY(uint32_t host_minor)
{
	(void)host_minor;
	return ANSWER;
}
