/* SPDX-License-Identifier: MIT */
/* model.h - the arrays as devices of the backend. */
#ifndef AIE_MODEL_DEVICES_H
#define AIE_MODEL_DEVICES_H

#include "arch.h"
#include "base/models.h"

/* Words of --opt device=, in the order of the options' values. */
enum aie_choice { AIE_NPU1, AIE_NPU2, AIE_CHOICES };
/* All devices, those of the choice first; own: with the clock of the array. Static. Any thread. */
const struct base_model *aie_models(enum aie_choice choice, bool own, uint32_t *count_out);
const struct aie_arch *aie_model_arch(const struct base_model *model);

#endif
