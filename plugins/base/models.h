/* SPDX-License-Identifier: MIT */
/* models.h - the devices of a backend: which there are, and which one is meant. */
#ifndef BASE_MODELS_H
#define BASE_MODELS_H

#include "ptowsp/arch.h"
#include "rt/rt_platform.h"
#include <stdbool.h>

struct base_backend;
struct base_options;

/* A device as data. */
struct base_model {
	struct ptowsp_device device;
	enum rt_platform platform; /* has at least its instructions of task graphs */
	bool untested;             /* no row of it is self-tested, as with base_backend.untested */
};

/* The model of `selector` (NULL and "": the first one) among those of the backend under these options. Errors: NO_DEVICE naming what there is. */
ptowsp_status base_model_find(const struct base_backend *backend, const struct base_options *options, const char *selector, const struct base_model **model_out,
			      struct ptowsp_error *error);
/* The op `devices`. */
ptowsp_status base_models_list(const struct base_backend *backend, struct ptowsp_object *instance, const struct ptowsp_device **devices_out, uint32_t *count,
			       struct ptowsp_error *error);

#endif
