/* SPDX-License-Identifier: MIT */
#include "starpu/spu_measure.h"

#include "base/digest.h"
#include "base/kernels.h"
#include "starpu/spu_cache.h"
#include <pthread.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct measure {
	struct measure *next;
	struct starpu_perfmodel model;
	char symbol[48];
} * all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */

bool spu_measure_needed(const char *sched)
{
	return !strncmp(sched, "dm", 2) || strstr(sched, "heft");
}

static struct measure *measure_find(const char *symbol)
{
	struct measure *measure = all;

	while (measure && strcmp(measure->symbol, symbol))
		measure = measure->next;
	if (measure)
		return measure;
	measure = calloc(1, sizeof(*measure));
	if (!measure)
		return NULL;
	strcpy(measure->symbol, symbol);
	spu_cache_kernel(symbol);
	measure->model.type = STARPU_HISTORY_BASED;
	measure->model.symbol = measure->symbol;
	measure->next = all;
	all = measure;
	return measure;
}

struct starpu_perfmodel *spu_measure_of(const struct base_kernel *kernel)
{
	struct base_digest digest;
	struct measure *measure;
	char symbol[sizeof(measure->symbol)];

	base_digest_init(&digest);
	base_digest_add(&digest, kernel->name, strlen(kernel->name));
	if (kernel->payload)
		base_digest_add(&digest, kernel->payload, kernel->payload_size);
	snprintf(symbol, sizeof(symbol), "ptowsp_%016llx%016llx", (unsigned long long)digest.words[0], (unsigned long long)digest.words[1]);
	pthread_mutex_lock(&lock);
	measure = measure_find(symbol);
	pthread_mutex_unlock(&lock);
	return measure ? &measure->model : NULL;
}

void spu_measure_forget(void)
{
	while (all) {
		struct measure *next = all->next;

		free(all);
		all = next;
	}
}
