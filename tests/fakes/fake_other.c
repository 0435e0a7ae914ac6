/* SPDX-License-Identifier: MIT */
/* fake_other.c - libraries that are no pto-runtime of generation 4. FAKE: 1, 2 older generations; 3 none; 4 lacks a function; 5 another contract. */
#include "ascend/engine/pod.h"

#if FAKE == 1
int launch_runtime(void);
int launch_runtime(void)
{
	return 0;
}
#elif FAKE == 2
int run_runtime(void);
void *create_device_context(void);
int run_runtime(void)
{
	return 0;
}
void *create_device_context(void)
{
	return 0;
}
#elif FAKE == 3
int nothing(void);
int nothing(void)
{
	return 0;
}
#else
int simpler_host_log_bind_state(struct ascend_log_state *state);
int simpler_host_log_bind_state(struct ascend_log_state *state)
{
	return state ? 0 : -1;
}
int simpler_launch_run(void *context, void *storage);
int simpler_launch_run(void *context, void *storage)
{
	return context && storage ? 0 : -1;
}
#endif
#if FAKE == 5
const struct ascend_contract *get_pipeline_contract(void);
const struct ascend_contract *get_pipeline_contract(void)
{
	static const struct ascend_contract contract = {.abi_version = 2, .depth = 1};

	return &contract;
}
#define STUB(name)                                                                                                                                             \
	int name(void);                                                                                                                                        \
	int name(void)                                                                                                                                         \
	{                                                                                                                                                      \
		return -2;                                                                                                                                     \
	}
STUB(create_device_context)
STUB(destroy_device_context)
STUB(get_runtime_size)
STUB(get_runtime_alignment)
STUB(simpler_init)
STUB(finalize_device)
STUB(simpler_register_callable)
STUB(simpler_unregister_callable)
STUB(simpler_prepare_run)
STUB(simpler_poll_run)
STUB(simpler_wait_run)
STUB(simpler_finalize_run)
#endif
