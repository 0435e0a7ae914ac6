/* SPDX-License-Identifier: MIT */
/* output.c - temporary files and renaming. */
#include "tools/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "registry/text.h"
#include "tools/place.h"

enum { SLOTS = 256 };

/* Paths for the signal handler; a slot is claimed by writing it and freed by NULL. */
static char *_Atomic pending[SLOTS];

static int pending_add(char *path)
{
	for (int i = 0; i < SLOTS; i++) {
		char *none = NULL;

		if (atomic_compare_exchange_strong(&pending[i], &none, path))
			return i;
	}
	return -1;
}

static void (*_Atomic hook)(void);

void output_abort_hook(void (*also)(void))
{
	atomic_store(&hook, also);
}

void output_abort_all(void)
{
	void (*also)(void) = atomic_load(&hook);

	if (also)
		also();
	for (int i = 0; i < SLOTS; i++) {
		const char *path = atomic_load(&pending[i]);

		if (path)
			unlink(path);
	}
}

/* Behind the handler the signal ends the process, as its parent expects. */
static void on_signal(int number)
{
	output_abort_all();
	raise(number);
}

void output_abort_on_signals(void)
{
	static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND}, old;

		sigfillset(&action.sa_mask); /* another one waits until all is removed */
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
	signal(SIGXFSZ, SIG_IGN);
}

static ptowsp_status fail(struct ptowsp_error *error, const char *path)
{
	return reg_fail(error, PTOWSP_IO, "%.140s cannot be written: %s", path, strerror(errno));
}

/* The mode that a plain creation would have given. */
static mode_t plain_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* Creates the temporary file and notes it at once: no signal comes in between. */
static int temporary_create(struct output *output)
{
	sigset_t all, before;
	int fd;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	fd = mkostemp(output->temporary, O_CLOEXEC);
	if (fd >= 0)
		output->slot = pending_add(output->temporary);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return fd;
}

ptowsp_status output_open(struct output *output, const char *path, struct ptowsp_error *error)
{
	ptowsp_status st;
	size_t length;
	int fd;

	*output = (struct output){.slot = -1};
	st = place_find(&output->path, path, error);
	if (st)
		return st;
	length = strlen(output->path);
	output->temporary = malloc(length + 16);
	if (!output->temporary) {
		output_drop(output);
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory to write %.140s", path);
	}
	memcpy(output->temporary, output->path, length);
	memcpy(output->temporary + length, ".XXXXXX", 8);
	fd = temporary_create(output);
	if (fd < 0) {
		ptowsp_status status = fail(error, path);

		*output->temporary = '\0';
		output_drop(output);
		return status;
	}
	fchmod(fd, plain_mode());
	output->file = fdopen(fd, "w");
	if (output->file)
		return PTOWSP_OK;
	close(fd);
	output_drop(output);
	return reg_fail(error, PTOWSP_NO_MEMORY, "no memory to write %.140s", path);
}

ptowsp_status output_finish(struct output *output, struct ptowsp_error *error)
{
	FILE *file = output->file;
	int bad;

	if (!file)
		return PTOWSP_OK;
	output->file = NULL;
	bad = ferror(file);
	if (fclose(file) || bad) {
		if (!errno)
			errno = EIO;
		return fail(error, output->path);
	}
	return PTOWSP_OK;
}

static void slot_free(struct output *output)
{
	if (output->slot >= 0)
		atomic_store(&pending[output->slot], NULL);
	output->slot = -1;
}

ptowsp_status output_publish(struct output *output, struct ptowsp_error *error)
{
	if (!output->temporary)
		return PTOWSP_OK;
	if (rename(output->temporary, output->path))
		return fail(error, output->path);
	slot_free(output);
	free(output->temporary);
	output->temporary = NULL;
	return PTOWSP_OK;
}

void output_drop(struct output *output)
{
	if (output->file)
		fclose(output->file);
	if (output->temporary && *output->temporary)
		unlink(output->temporary);
	slot_free(output);
	free(output->temporary);
	free(output->path);
	*output = (struct output){.slot = -1};
}

ptowsp_status output_save(const char *path, const void *head, size_t head_size, const void *bytes, size_t size, struct ptowsp_error *error)
{
	struct output output;
	ptowsp_status st = output_open(&output, path, error);

	if (!st) {
		if (head_size)
			fwrite(head, 1, head_size, output.file);
		if (size)
			fwrite(bytes, 1, size, output.file);
		st = output_finish(&output, error);
	}
	if (!st)
		st = output_publish(&output, error);
	output_drop(&output);
	return st;
}
