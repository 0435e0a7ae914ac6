/* SPDX-License-Identifier: MIT */
/* numerics.h - what --opt numerics=fast means for the kernels of a program. */
#ifndef BASE_NUMERICS_H
#define BASE_NUMERICS_H

#include "kernels.h"

/* Says as a diagnostic which instructions are no longer exact and how far each may be off. Nothing with numerics=exact. */
void base_numerics_tell(const struct base_kernels *kernels);

#endif
