/* SPDX-License-Identifier: MIT */
/* stuck.h - the words of a deadlock report. One thread. */
#ifndef RT_STUCK_H
#define RT_STUCK_H

#include "rt/process.h"

/* Behind what is there; what does not fit is cut. */
void rt_text_add(char *text, size_t size, const char *format, ...)
#if defined(__GNUC__)
	__attribute__((format(printf, 3, 4)))
#endif
	;
/* Shortens a text to `room` characters where a part of its sentence ends. */
void rt_text_cut(char *text, size_t room);
/* The instruction that the instance stands at. */
uint32_t rt_stuck_at(const struct rt_pipeline *pipeline, uint32_t at);
/* Where it waits, for what, and why that does not come; behind what is there. */
void rt_stuck_text(struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size);

#endif
