/* SPDX-License-Identifier: MIT */
/* emit_names.c - the names of a program as C takes them: letters, digits and '_', none of the language's words, none twice. */
#include "isa/emit/emit_state.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 48 }; /* bytes of a name in emitted code, the number that makes it unique included */

/* Words of C, C++ and CUDA, and what emitted code calls by itself. */
static const char *const words[] = {
#include "registry/common/common_c_words.def"
	"main", "restrict", "half", "task", "out",  "call",  "body",    "kernel", "params", "memory",   "at",       "row",       "column",   "top",     "rows",
	"go",   "value",    "from", "to",   "NULL", "errno", "signbit", "isnan",  "isinf",  "isfinite", "blockIdx", "threadIdx", "blockDim", "gridDim", "i386",
};
/* Functions of <math.h>, <string.h>, <stdio.h>, <stdlib.h> and what POSIX has beside them: a kernel may be called like one, a C function may not, or a
 * program that it is linked into calls it in the place of the library's. f and l may follow those of <math.h>. */
static const char *const library[] = {
	"abs",         "acos",
	"acosh",       "asin",
	"asinh",       "atan",
	"atan2",       "atanh",
	"cbrt",        "ceil",
	"copysign",    "cos",
	"cosh",        "erf",
	"erfc",        "exp",
	"exp2",        "exp10",
	"expm1",       "fabs",
	"fdim",        "floor",
	"fma",         "fmax",
	"fmin",        "fmod",
	"frexp",       "gamma",
	"hypot",       "ilogb",
	"j0",          "j1",
	"jn",          "ldexp",
	"lgamma",      "llrint",
	"llround",     "log",
	"log10",       "log1p",
	"log2",        "logb",
	"lrint",       "lround",
	"modf",        "nan",
	"nearbyint",   "nextafter",
	"nexttoward",  "pow",
	"remainder",   "remquo",
	"rint",        "round",
	"scalb",       "scalbn",
	"scalbln",     "sin",
	"sincos",      "sinh",
	"sqrt",        "tan",
	"tanh",        "tgamma",
	"trunc",       "y0",
	"y1",          "yn",
	"div",         "index",
	"rindex",      "select",
	"puts",        "read",
	"write",       "open",
	"close",       "send",
	"dot",         "malloc",
	"free",        "exit",
	"abort",       "signal",
	"accept",      "access",
	"alarm",       "atexit",
	"atof",        "atoi",
	"atol",        "basename",
	"bind",        "brk",
	"bsearch",     "calloc",
	"clearerr",    "clock",
	"clone",       "connect",
	"creat",       "ctime",
	"daemon",      "difftime",
	"dirname",     "dup",
	"dup2",        "environ",
	"err",         "error",
	"execv",       "fcntl",
	"feof",        "ferror",
	"fflush",      "fgetc",
	"fgetpos",     "fgets",
	"fileno",      "fork",
	"fputc",       "fputs",
	"fread",       "fseek",
	"fsetpos",     "ftell",
	"fwrite",      "fclose",
	"freopen",     "getc",
	"getchar",     "getenv",
	"getline",     "getopt",
	"gets",        "glob",
	"gmtime",      "ioctl",
	"kill",        "labs",
	"ldiv",        "link",
	"listen",      "llabs",
	"lldiv",       "localtime",
	"lockf",       "longjmp",
	"lseek",       "mkdir",
	"mktime",      "mmap",
	"mount",       "munmap",
	"nice",        "pause",
	"perror",      "pipe",
	"poll",        "popen",
	"pclose",      "putc",
	"putchar",     "qsort",
	"raise",       "rand",
	"random",      "realloc",
	"recv",        "remove",
	"rename",      "rewind",
	"rmdir",       "sbrk",
	"setbuf",      "setjmp",
	"setvbuf",     "shutdown",
	"sigaction",   "sleep",
	"socket",      "splice",
	"srand",       "stat",
	"swab",        "sync",
	"syscall",     "sysconf",
	"system",      "tee",
	"time",        "times",
	"tempnam",     "tmpfile",
	"tmpnam",      "truncate",
	"umask",       "ungetc",
	"unlink",      "usleep",
	"utime",       "wait",
	"waitpid",     "warn",
	"bcmp",        "bcopy",
	"bzero",       "ctermid",
	"drem",        "explicit_bzero",
	"fdopen",      "ffs",
	"ffsll",       "finite",
	"flockfile",   "fmemopen",
	"fpclassify",  "fseeko",
	"ftello",      "ftrylockfile",
	"funlockfile", "getdelim",
	"getw",        "math_errhandling",
	"offsetof",    "open_memstream",
	"putw",        "renameat",
	"setbuffer",   "setlinebuf",
	"signgam",     "significand",
	"stderr",      "stdin",
	"stdout",      "stpcpy",
	"stpncpy",
};

static bool is_prefixed(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/* getc_unlocked, lgammaf_r */
static size_t stem_length(const char *name)
{
	static const char *const endings[] = {"_unlocked", "_r"};
	const size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (length > strlen(endings[i]) && !strcmp(name + length - strlen(endings[i]), endings[i]))
			return length - strlen(endings[i]);
	return length;
}

static bool is_library(const char *name)
{
	const size_t length = stem_length(name);

	for (size_t i = 0; i < sizeof(library) / sizeof(*library); i++) {
		const size_t n = strlen(library[i]);

		if (!strncmp(name, library[i], n) && (length == n || (length == n + 1 && strchr("fl", name[n]))))
			return true;
	}
	return is_prefixed(name, "mem") || is_prefixed(name, "str") || is_prefixed(name, "is") || strstr(name, "printf") || strstr(name, "scanf") ||
	       is_prefixed(name, "fopen") || is_prefixed(name, "pthread_") || is_prefixed(name, "va_");
}

/* With or without a number behind it. */
static bool ends_in(const char *name, const char *ending)
{
	const size_t n = strlen(ending);
	size_t length = strlen(name), digits = length;

	while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
		digits--;
	if (digits < length && digits > 0 && name[digits - 1] == '_')
		length = digits - 1;
	return length >= n && !strncmp(name + length - n, ending, n);
}

/* Names that emitted code makes out of those of tiles and kernels end so. */
static bool is_made(const char *name)
{
	static const char *const endings[] = {"_tile", "_at", "_from", "_to", "_into", "_step", "_place", "_body", "_on_device"};

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (ends_in(name, endings[i]))
			return true;
	return false;
}

static bool is_taken(const char *name)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(name, words[i]))
			return true;
	return is_prefixed(name, "tile_") || is_prefixed(name, "isa_") || is_prefixed(name, "ptowsp_") || is_prefixed(name, "product_f") ||
	       is_prefixed(name, "product_u") || is_prefixed(name, "product_bias") || is_prefixed(name, "product_scaled") ||
	       is_prefixed(name, "product_widen") || is_prefixed(name, "product_narrow") || is_prefixed(name, "product_l") ||
	       is_prefixed(name, "product_part") || is_prefixed(name, "product_at") || is_prefixed(name, "next_") || is_prefixed(name, "ISA_") ||
	       is_prefixed(name, "TILE_") || is_prefixed(name, "PRODUCT_") || is_prefixed(name, "PTOWSP_") || ends_in(name, "_t");
}

/* Upper-case words are macros of some header. */
static bool is_macro(const char *name)
{
	for (; *name; name++)
		if (islower((unsigned char)*name))
			return false;
	return true;
}

static void plain_make(char plain[NAME_MOST], const char *name, char letter)
{
	size_t at = 0;

	if (!*name || isdigit((unsigned char)*name) || *name == '_') /* names that begin with '_' are the compiler's */
		plain[at++] = letter;
	for (; *name && at < NAME_MOST - 12; name++)
		plain[at++] = isalnum((unsigned char)*name) && (unsigned char)*name < 0x80 ? *name : '_';
	plain[at] = '\0';
	if (is_taken(plain) || is_library(plain) || (is_macro(plain) && at > 1))
		memcpy(plain + at, "_", 2);
}

void isa_emit_symbol(char *symbol_out, size_t size, const char *name)
{
	char plain[NAME_MOST];

	plain_make(plain, name, 'k');
	snprintf(symbol_out, size, "%s", plain);
}

static bool name_add(struct isa_emitter *e, const char *name, char letter)
{
	char plain[NAME_MOST];

	plain_make(plain, name, letter);
	if (is_made(plain))
		strcat(plain, "_");
	return common_names_choose(&e->names, plain, sizeof(plain), "_");
}

ptowsp_status isa_names_make(struct isa_emitter *e)
{
	const struct ptowsp_tile_header *h = &e->p->header;
	bool ok = name_add(e, e->symbol, 'k'); /* nothing else is called like the function */

	for (uint32_t i = 0; ok && i < h->param_count; i++)
		ok = name_add(e, e->p->param_names[i], 'm');
	for (uint32_t i = 0; ok && i < h->tile_count; i++)
		ok = name_add(e, e->p->tile_names[i], 't');
	for (uint32_t i = 0; ok && i < h->scalar_count; i++)
		ok = name_add(e, e->p->scalar_names[i], 's');
	return ok ? PTOWSP_OK : PTOWSP_NO_MEMORY;
}

const char *isa_param_name(const struct isa_emitter *e, uint32_t row)
{
	return e->names.rows[1 + row].text;
}

const char *isa_tile_name(const struct isa_emitter *e, uint32_t row)
{
	return e->names.rows[1 + e->p->header.param_count + row].text;
}

const char *isa_scalar_name(const struct isa_emitter *e, uint32_t row)
{
	return e->names.rows[1 + e->p->header.param_count + e->p->header.tile_count + row].text;
}
