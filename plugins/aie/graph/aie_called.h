/* SPDX-License-Identifier: MIT */
/* aie_called.h - what a program calls its kernels, channels and tensors, for sentences and symbols. Any thread. */
#ifndef AIE_CALLED_H
#define AIE_CALLED_H

#include <stddef.h>
#include <stdint.h>

/* Rows of the package, or of what stands in its place; texts are borrowed from the program. */
struct aie_called {
	const char *(*kernel)(const void *context, uint32_t kernel);
	const char *(*channel)(const void *context, uint32_t channel);
	const char *(*tensor)(const void *context, uint32_t tensor);
	/* " (file.pto:4)", or "" where the package does not say it, into text of size bytes, its end where all of it is longer; that. */
	const char *(*place)(const void *context, uint32_t kernel, char *text, size_t size);
	const void *context;
};
enum { AIE_CALLED_PLACE = 28 }; /* bytes of a place in a sentence */

static inline const char *aie_kernel_name(const struct aie_called *names, uint32_t kernel)
{
	return names->kernel(names->context, kernel);
}
static inline const char *aie_channel_name(const struct aie_called *names, uint32_t channel)
{
	return names->channel(names->context, channel);
}
static inline const char *aie_tensor_name(const struct aie_called *names, uint32_t tensor)
{
	return names->tensor(names->context, tensor);
}
static inline const char *aie_kernel_place(const struct aie_called *names, uint32_t kernel, char text[AIE_CALLED_PLACE])
{
	return names->place(names->context, kernel, text, AIE_CALLED_PLACE);
}

#endif
