/* SPDX-License-Identifier: MIT */
/* conform_patience.c - the record of a test says where it is; /proc says what its threads waited for. */
#include "tools/conform/conform_patience.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry/common/common_hash.h"
#include "tools/conform/conform.h"

static uint64_t text_hash(uint64_t hash, const char *text, size_t room)
{
	for (size_t i = 0; i < room && text[i]; i++)
		hash = common_hash(hash, (unsigned char)text[i]);
	return hash;
}

enum { LEAST = 10 }; /* a part of the time that always counts: one that computes for ever waits most of the time where others do so, too */

/* The child may be writing what is read: that looks like one step more. */
static uint64_t step_of(const struct conform_record *record)
{
	const uint64_t hash = text_hash(common_hash(0, record->seed), record->package, sizeof(record->package));

	return text_hash(hash, record->about, sizeof(record->about));
}

void conform_patience_begin(struct conform_patience *p, pid_t child, const struct conform_record *record)
{
	memset(p, 0, sizeof(*p));
	p->child = child;
	p->record = record;
	p->step = step_of(record);
	p->looked_ns = host_now_ns();
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

static void process_look(struct conform_patience *p, pid_t process);

static FILE *thread_file(pid_t process, pid_t thread, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)process, (int)thread, name);
	return fopen(path, "re");
}

static void thread_look(struct conform_patience *p, pid_t process, pid_t thread)
{
	FILE *file = thread_file(process, thread, "schedstat");
	unsigned long long ran, waited;
	int child;

	if (file && fscanf(file, "%llu %llu", &ran, &waited) == 2 && p->count < PATIENCE_THREADS)
		p->threads[p->count++] = (struct patience_thread){thread, waited};
	if (file)
		fclose(file);
	file = thread_file(process, thread, "children");
	while (file && fscanf(file, "%d", &child) == 1)
		process_look(p, (pid_t)child);
	if (file)
		fclose(file);
}

static void process_look(struct conform_patience *p, pid_t process)
{
	char path[32];
	struct dirent *entry;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)process);
	threads = opendir(path);
	while (threads && (entry = readdir(threads)))
		if (entry->d_name[0] != '.')
			thread_look(p, process, (pid_t)strtol(entry->d_name, NULL, 10));
	if (threads)
		closedir(threads);
}

/* Since the last look, the most of any thread. One that is new began behind it. */
static uint64_t waited(struct conform_patience *p)
{
	uint64_t most = 0;

	memcpy(p->before, p->threads, sizeof(p->before));
	p->before_count = p->count;
	p->count = 0;
	process_look(p, p->child);
	for (uint32_t i = 0; i < p->count; i++) {
		uint64_t since = p->threads[i].waited_ns;

		for (uint32_t k = 0; k < p->before_count; k++)
			since -= p->before[k].id == p->threads[i].id ? p->before[k].waited_ns : 0;
		most = since > most ? since : most;
	}
	return most;
}

uint64_t conform_patience_spent(struct conform_patience *p)
{
	const uint64_t now = host_now_ns(), step = step_of(p->record), passed = now - p->looked_ns, others = waited(p);

	p->spent_ns += passed > others && passed - others > passed / LEAST ? passed - others : passed / LEAST;
	if (step != p->step)
		p->spent_ns = 0;
	p->step = step;
	p->looked_ns = now;
	return p->spent_ns;
}
