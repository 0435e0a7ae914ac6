/* SPDX-License-Identifier: MIT */
#include "rt/program/dtype.h"

uint16_t rt_dtype_bytes(unsigned dtype)
{
	switch (dtype) {
#define X(name, code, bytes, cls, text, descr)                                                                                                                 \
	case code:                                                                                                                                             \
		return bytes;
#include "ptowsp/dtype.def"
#undef X
	}
	return 0;
}

const char *rt_dtype_text(unsigned dtype)
{
	switch (dtype) {
#define X(name, code, bytes, cls, text, descr)                                                                                                                 \
	case code:                                                                                                                                             \
		return text;
#include "ptowsp/dtype.def"
#undef X
	}
	return "?";
}
