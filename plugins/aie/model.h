/* SPDX-License-Identifier: MIT */
/* model.h - the arrays as devices of the backend. */
#ifndef AIE_MODEL_DEVICES_H
#define AIE_MODEL_DEVICES_H

#include "aie/aie_arch.h"
#include "base/models.h"

/* Words of --opt device=, in the order of the options' values. */
enum aie_choice { AIE_NPU1, AIE_NPU2, AIE_CHOICES };
/* Times of a device: nanoseconds of the host's clock, from the start of a run to its end. */
#define AIE_DEVICE_MODEL "host clock, ns"
/* Clocks of devices: the runtime core's, the array's by its model, a device's. */
enum aie_times { AIE_TIMES_REFERENCE, AIE_TIMES_ARRAY, AIE_TIMES_DEVICE };
/* All devices, those of the choice first. Static. Any thread. */
const struct base_model *aie_models(enum aie_choice choice, enum aie_times times, uint32_t *count_out);
const struct aie_arch *aie_model_arch(const struct base_model *model);

#endif
