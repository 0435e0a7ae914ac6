/* SPDX-License-Identifier: MIT */
/* note.h - the ELF note that makes a plugin listable without running a byte of it.
 * Section .note.ptowsp, owner "PTOWSP", type 1, descriptor: four u32 {major, minor, flags, sanitizer}, then four
 * NUL-terminated strings: name, vendor, version, comma-separated targets, and since 10.1 perhaps a fifth; padded to 4 bytes.
 * Emitted by top-level asm, so that gcc, g++, clang and sanitizer builds make the same bytes. */
#ifndef PTOWSP_NOTE_H
#define PTOWSP_NOTE_H

#include "base.h"

#define PTOWSP_NOTE_OWNER "PTOWSP"
#define PTOWSP_NOTE_TYPE 1

/* Sanitizer kinds: a host refuses a plugin whose kind is neither 0 nor its own. */
#define PTOWSP_SANITIZER_NONE 0
#define PTOWSP_SANITIZER_ADDRESS 1
#define PTOWSP_SANITIZER_THREAD 2
#if defined(__SANITIZE_ADDRESS__)
#define PTOWSP_SANITIZER 1
#elif defined(__SANITIZE_THREAD__)
#define PTOWSP_SANITIZER 2
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PTOWSP_SANITIZER 1
#elif __has_feature(thread_sanitizer)
#define PTOWSP_SANITIZER 2
#endif
#endif
#ifndef PTOWSP_SANITIZER
#define PTOWSP_SANITIZER 0
#endif

#define PTOWSP_NOTE_TEXT_(x) #x
#define PTOWSP_NOTE_TEXT(x) PTOWSP_NOTE_TEXT_(x)

/* PTOWSP_NOTE(0, "acme", "ACME Inc.", "1.4.2", "acme,acme_npu"); flags must be a literal number. */
#define PTOWSP_NOTE(flags, name, vendor, version, targets) PTOWSP_NOTE_STRINGS_(flags, name, vendor, version, targets, "")
#if PTOWSP_ABI_TARGET >= 1
/* The same with a fifth string, which hosts of 10.0 do not read: words with ';' between, "device=/dev/dri/renderD*;read=/etc/OpenCL;driver=threads,environment".
 *
 * One word says what the plugin's driver does to its process that rules PL8 and PL9 forbid. The host gives such a plugin a process of its own, and ptowsp-conform counts these breaches as waived.
 *   driver=CLASS,CLASS   threads: some are left after fini; environment: it changes variables; descriptors: it closes or replaces 0 to 2; handlers: it changes what signals do; output: it prints
 *   driver:OPTION=CLASS,CLASS   the same of a driver that is there with that option of the plugin alone, given and not 0: without it the plugin is as one that declares nothing. One of the two, once
 * The others say what the driver needs that a sandbox does not have. A sandbox gives it where the plugin is listed or signed, or its file belongs to root or to the owner of the host's; else its user
 * has to say so. They change nothing outside of a sandbox.
 *   device=PATH          devices of characters below /dev, with a '*' at the end of the last name all of that beginning: read, write, ioctl. Never memory of the machine, never a terminal
 *   read=PATH            a file or folder below /etc, /sys, /usr, /opt, /var/lib or /proc/driver: read, list, execute
 *   memory=locked        pages that stay where they are, as many as the limit of the host's user allows
 *   call=NAME            a system call: fadvise64, fallocate, flock, kcmp, mbind, set_mempolicy, timer_create, timer_settime, timer_delete
 * Any other word is a refusal. At most 1024 bytes. Provisional, as all of 10.1. */
#define PTOWSP_NOTE_10_1(flags, name, vendor, version, targets, grants) PTOWSP_NOTE_STRINGS_(flags, name, vendor, version, targets, "\t.asciz \"" grants "\"\n")
#endif

#define PTOWSP_NOTE_STRINGS_(flags, name, vendor, version, targets, more) \
	__asm__(".pushsection .note.ptowsp,\"a\",%note\n" \
		"\t.balign 4\n" \
		"\t.long 2f-1f, 4f-3f, " PTOWSP_NOTE_TEXT(PTOWSP_NOTE_TYPE) "\n" \
		"1:\t.asciz \"" PTOWSP_NOTE_OWNER "\"\n" \
		"2:\t.balign 4\n" \
		"3:\t.long " PTOWSP_NOTE_TEXT(PTOWSP_ABI_MAJOR) ", " PTOWSP_NOTE_TEXT(PTOWSP_ABI_TARGET) ", " \
		PTOWSP_NOTE_TEXT(flags) ", " PTOWSP_NOTE_TEXT(PTOWSP_SANITIZER) "\n" \
		"\t.asciz \"" name "\"\n\t.asciz \"" vendor "\"\n\t.asciz \"" version "\"\n\t.asciz \"" targets "\"\n" more \
		"4:\t.balign 4\n" \
		"\t.popsection\n")

#endif
