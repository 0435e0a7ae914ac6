/* SPDX-License-Identifier: MIT */
/* layer_validate.c - the rules of abi/README.md that one call shows, or the calls of one object in their order: heads, sizes, strides, tails, handles, loans,
 * results, error records, completions, until_ns, the rounding mode. All from the description. */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "host/call/loan.h"
#include "host/call/struct_check.h"
#include "host/host_error.h"
#include "host/layers/layers.h"
#include "host/run/runs.h"

#define LATE_NS     UINT64_C(5000000000) /* after until_ns: what a loaded machine may take */
#define LATE_RUN_NS UINT64_C(1000000000) /* after a run's deadline: what an isolated one has, too */

struct validate {
	struct host_layer layer;
	struct host_breaches *breaches;
	struct host_handles handles;
};

/* One call between before and after. */
struct kept {
	struct host_loan loan;
	union host_value values[HOST_PARAMETERS]; /* as they came */
	struct ptowsp_error *error;               /* likewise */
	struct ptowsp_error before;               /* the plugin's record */
	struct ptowsp_error untouched;            /* its content before the call */
	int rounding;
};

static void host_broke(struct validate *v, const char *rule, const struct host_call *call, const char *what)
{
	host_breach(v->breaches, HOST_SIDE_HOST, rule, call, "%s", what);
}
static void plugin_broke(struct validate *v, const char *rule, const struct host_call *call, const char *what)
{
	host_breach(v->breaches, HOST_SIDE_PLUGIN, rule, call, "%s", what);
}

/* ---- what goes in ---- */

static bool parameter_check(struct host_check *c, const struct host_parameter *p, const struct host_call *call, const union host_value *value)
{
	if (p->kind == HOST_PARAMETER_ONE && p->direction == HOST_DIRECTION_IN)
		return host_check_struct(c, p->of, value->data, 0);
	if (p->kind == HOST_PARAMETER_STRING || p->kind == HOST_PARAMETER_ADDRESS) {
		c->what = p->of || value->data ? "" : "a parameter that is never NULL is";
		return !*c->what;
	}
	if (p->kind == HOST_PARAMETER_HANDLE && p->direction != HOST_DIRECTION_OUT && (value->pointer || p->of != HOST_HANDLE_INSTANCE)) {
		c->what = !c->handles || host_handles_find(c->handles, p->of, (uintptr_t)value->pointer, NULL) ? "" : "a handle is no object that is alive";
		return !*c->what;
	}
	if (p->kind == HOST_PARAMETER_ROWS && p->direction == HOST_DIRECTION_IN) {
		c->what = (call->values[p->count].number && !value->data) || call->values[p->stride].number < host_struct_size(p->of, 0)
				  ? "rows are NULL, or their stride is below the size of one"
				  : "";
		return !*c->what;
	}
	return true;
}

/* The caller's side of a call, whoever it is. */
static bool parameters_check(struct validate *v, const struct host_caller *caller, const struct host_call *call)
{
	const bool host = call->operation->caller == HOST_SIDE_HOST;
	struct host_check check = {.minor = caller->minor, .exact = host, .handles = host ? &v->handles : NULL};

	for (unsigned i = 0; i < call->operation->parameter_count; i++)
		if (!parameter_check(&check, &call->operation->parameters[i], call, &call->values[i])) {
			host_breach(v->breaches, call->operation->caller, host ? "HO1" : "PL3", call, "%s", check.what);
			return false;
		}
	return true;
}

/* Bytes of a result's room in the caller's memory; 0: it is none. */
static size_t result_size(const struct host_parameter *p, const struct host_call *call, const union host_value *value)
{
	if (p->direction != HOST_DIRECTION_OUT && p->direction != HOST_DIRECTION_INOUT)
		return 0;
	switch (p->kind) {
	case HOST_PARAMETER_VALUE: return p->of;
	case HOST_PARAMETER_ONE: return ((const struct ptowsp_head *)value->data)->size;
	case HOST_PARAMETER_VALUES: return (size_t)host_call_number(call, p->count) * p->of;
	case HOST_PARAMETER_HANDLE:
	case HOST_PARAMETER_ADDRESS:
	case HOST_PARAMETER_LENT: return sizeof(void *);
	case HOST_PARAMETER_TABLES: return (size_t)host_call_number(call, p->count) * sizeof(void *);
	case HOST_PARAMETER_ROWS: return (size_t)host_call_number(call, p->count) * (size_t)host_call_number(call, p->stride);
	}
	return 0;
}

static void lend(struct validate *v, struct kept *k, struct host_call *call)
{
	const union host_value *from = k->values;

	for (unsigned i = 0; i < call->operation->parameter_count; i++) {
		const struct host_parameter *p = &call->operation->parameters[i];
		const bool out = p->direction == HOST_DIRECTION_OUT || p->direction == HOST_DIRECTION_INOUT;

		if (p->kind == HOST_PARAMETER_STRING)
			call->values[i].data = host_loan_string(&k->loan, from[i].data);
		else if (p->kind == HOST_PARAMETER_ONE && p->direction == HOST_DIRECTION_IN && host_structs[p->of].class == HOST_CLASS_ARGUMENTS)
			call->values[i].data = host_loan_struct(&k->loan, p->of, from[i].data, 0);
		else if (out && from[i].pointer) {
			const struct host_call as_it_came = {.operation = call->operation,
							     .values = {from[0], from[1], from[2], from[3], from[4], from[5], from[6], from[7]}};

			call->values[i].pointer = host_loan_result(&k->loan, from[i].pointer, result_size(p, &as_it_came, &from[i]));
		}
	}
	if (call->operation->result != HOST_RESULT_IS_STATUS)
		return;
	if (!k->error || k->error->head.size != sizeof(k->before)) { /* a record of the host may be absent; a smaller one is its own affair */
		if (k->error)
			host_broke(v, "HO1", call, "the error record has another size");
		k->before = (struct ptowsp_error){.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
		k->error = NULL;
	} else {
		k->before = *k->error;
	}
	k->untouched = k->before;
	call->error = host_loan_result(&k->loan, &k->before, sizeof(k->before));
}

/* ---- objects and runs ---- */

static void objects_check(struct validate *v, const struct host_call *call)
{
	const uint64_t first = (uintptr_t)call->values[0].pointer;
	const enum host_operation_id id = host_call_id(call);
	uint64_t token;

	if (id == HOST_OPERATION_unload && host_handles_children(&v->handles, HOST_HANDLE_RUN, first))
		host_broke(v, "HO7", call, "a run of the program is in flight");
	else if (id == HOST_OPERATION_close && host_handles_children(&v->handles, HOST_HANDLE_PROGRAM, first))
		host_broke(v, "HO7", call, "the device has programs");
	else if (id == HOST_OPERATION_close && host_handles_children(&v->handles, HOST_HANDLE_BUFFER, first))
		host_broke(v, "HO7", call, "the device has buffers");
	else if (id == HOST_OPERATION_close && host_handles_children(&v->handles, HOST_HANDLE_FENCE, first))
		host_broke(v, "HO7", call, "the device has fences");
	else if (id == HOST_OPERATION_fini && host_handles_children(&v->handles, HOST_HANDLE_DEVICE, first))
		host_broke(v, "HO6", call, "the instance has devices");
	else if (id == HOST_OPERATION_submit) {
		const struct ptowsp_run_args *args = call->values[1].data;

		token = args->token;
		if (!host_handles_add(&v->handles, HOST_HANDLE_RUN, token, (uintptr_t)args->program))
			host_broke(v, "HO7", call, "the token is in flight already");
		host_handles_deadline(&v->handles, token, args->deadline_ns);
	}
}

/* Handle that a call made; of `sort`, below its first parameter. */
static void object_add(struct validate *v, const struct host_call *call, const struct host_parameter *p, const union host_value *value)
{
	struct ptowsp_object *made = *(struct ptowsp_object **)value->pointer;

	if (!made)
		plugin_broke(v, "its result", call, "0 is returned, and the object is NULL");
	else if (!host_handles_add(&v->handles, p->of, (uintptr_t)made, (uintptr_t)call->values[0].pointer))
		plugin_broke(v, "its result", call, "the object is one that is alive already");
}

/* false: the host must not hear of it. */
static bool done_check(struct validate *v, const struct host_call *call)
{
	const struct ptowsp_done *done = call->values[1].data;

	if (!host_handles_take(&v->handles, HOST_HANDLE_RUN, done->token, NULL)) {
		plugin_broke(v, "PL5", call, "the token is not in flight: it was completed before, or never accepted");
		return false;
	}
	if (!done->stats)
		plugin_broke(v, "PL5", call, "stats is NULL");
	if (done->status > 0)
		plugin_broke(v, "PL6", call, "the status is positive");
	if (!done->status != !done->error)
		plugin_broke(v, "PL6", call, done->error ? "there is an error, and the status is OK" : "the run failed, and there is no error");
	else if (done->error && (!done->error->text[0] || done->error->code != done->status))
		plugin_broke(v, "PL6", call, "the error has no sentence, or another code than the status");
	if (done->deadlock && done->status != PTOWSP_DEADLOCK)
		plugin_broke(v, "PL5", call, "there is a deadlock report, and the status is another one");
	return true;
}

/* ---- what comes out ---- */

static void error_check(struct validate *v, struct kept *k, struct host_call *call)
{
	const struct ptowsp_error *said = &k->before; /* settled: the plugin's record */

	if (call->status > 0)
		plugin_broke(v, "PL6", call, "the status is positive");
	else if (call->status && (said->code != call->status || !said->text[0] || !memchr(said->text, '\0', sizeof(said->text))))
		plugin_broke(v, "PL6", call, "the status is negative, and the record has another code or no sentence");
	else if (!call->status && memcmp(said, &k->untouched, sizeof(*said)) != 0)
		plugin_broke(v, "PL6", call, "the status is 0, and something was written into the error record");
	if (call->status && k->error)
		*k->error = *said;
	call->error = k->error;
}

static void rows_out_check(struct validate *v, const struct host_caller *caller, const struct host_call *call, const struct host_parameter *p, const void *rows)
{
	struct host_check check = {.minor = caller->minor};
	const uint32_t stride = p->stride == HOST_NOWHERE ? 0 : (uint32_t)host_call_number(call, p->stride);
	const uint32_t count = (uint32_t)host_call_number(call, p->count);

	if (p->kind == HOST_PARAMETER_LENT && count && (!rows || stride < host_struct_size(p->of, 0))) {
		plugin_broke(v, "PL3", call, "rows are NULL, or their stride is below the size of one");
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		const void *row = p->kind == HOST_PARAMETER_TABLES ? ((const void *const *)rows)[i] : (const char *)rows + (size_t)i * stride;

		if (!host_check_struct(&check, p->of, row, stride)) {
			plugin_broke(v, "PL3", call, check.what);
			return;
		}
	}
}

/* The values are the caller's again. */
static void results_check(struct validate *v, const struct host_caller *caller, const struct host_call *call)
{
	struct host_check check = {.minor = caller->minor};

	for (unsigned i = 0; i < call->operation->parameter_count; i++) {
		const struct host_parameter *p = &call->operation->parameters[i];

		if (p->direction == HOST_DIRECTION_LAST)
			host_handles_take(&v->handles, p->of, (uintptr_t)call->values[i].pointer, NULL);
		if (p->direction != HOST_DIRECTION_OUT || call->status)
			continue;
		if (p->kind == HOST_PARAMETER_HANDLE)
			object_add(v, call, p, &call->values[i]);
		else if (p->kind == HOST_PARAMETER_ONE && !host_check_struct(&check, p->of, call->values[i].data, 0))
			plugin_broke(v, "PL3", call, check.what);
		else if (p->kind == HOST_PARAMETER_TABLES || p->kind == HOST_PARAMETER_ROWS)
			rows_out_check(v, caller, call, p, call->values[i].data);
		else if (p->kind == HOST_PARAMETER_LENT)
			rows_out_check(v, caller, call, p, *(const void *const *)call->values[i].data);
	}
}

/* A list: OK fits into the room, MORE does not. */
static bool count_check(struct validate *v, const struct host_call *call, uint32_t room)
{
	const struct host_parameter *p = &call->operation->parameters[call->operation->parameter_count - 1];
	const uint32_t count = p->direction == HOST_DIRECTION_INOUT ? *(const uint32_t *)call->values[call->operation->parameter_count - 1].data : 0;

	if (p->direction != HOST_DIRECTION_INOUT || !((!call->status && count > room) || (call->status == PTOWSP_MORE && count <= room)))
		return true;
	plugin_broke(v, "PL3", call, "the count does not fit the status: OK means that there was room, MORE that there was too little");
	return false;
}

static void submit_check(struct validate *v, const struct host_call *call)
{
	const struct ptowsp_run_args *args = call->values[1].data;

	if (call->status && !host_handles_take(&v->handles, HOST_HANDLE_RUN, args->token, NULL))
		plugin_broke(v, "PL5", call, "the run is refused, and was completed");
}

static void until_check(struct validate *v, const struct host_call *call)
{
	const uint64_t until = call->values[1].number, now = host_now_ns();

	if ((host_call_id(call) == HOST_OPERATION_poll || host_call_id(call) == HOST_OPERATION_drain) && until < now && now - until > LATE_NS)
		plugin_broke(v, "PL10", call, "it returns more than 5 s after until_ns");
}

/* Runs that should be over by now. */
static void runs_check(struct validate *v, const struct host_call *call)
{
	const enum host_operation_id id = host_call_id(call);
	struct host_handle_row row;

	if (id != HOST_OPERATION_poll && id != HOST_OPERATION_drain && id != HOST_OPERATION_unload && id != HOST_OPERATION_close)
		return;
	while (id == HOST_OPERATION_drain && !call->status && host_handles_take_run(&v->handles, (uintptr_t)call->values[0].pointer, &row))
		host_breach(v->breaches, HOST_SIDE_PLUGIN, "PL5", call, "it returned 0, and the run 0x%llx is not completed", (unsigned long long)row.id);
	while (host_handles_late(&v->handles, host_now_ns() - LATE_RUN_NS, &row))
		host_breach(v->breaches, HOST_SIDE_PLUGIN, "PL10", call, "the run 0x%llx is not completed a second after its deadline",
			    (unsigned long long)row.id);
}

static void table_check(struct validate *v, const struct host_call *call)
{
	const enum host_struct_id id = host_extension_find(HOST_SIDE_PLUGIN, call->values[1].data);

	if (call->answer.data && id != HOST_STRUCT_COUNT && ((const struct ptowsp_head *)call->answer.data)->type != PTOWSP_STRUCT_EXTENSION)
		plugin_broke(v, "PL3", call, "the extension's head is of another type; use PTOWSP_HEAD");
	else if (call->answer.data && id != HOST_STRUCT_COUNT && ((const struct ptowsp_head *)call->answer.data)->size < host_struct_size(id, 0))
		plugin_broke(v, "PL3", call, "the extension's head says a size below that of 10.0; use PTOWSP_HEAD");
}

/* ---- the layer ---- */

static bool before(struct host_layer *layer, struct host_caller *caller, struct host_call *call)
{
	struct validate *v = (struct validate *)layer;
	const bool good = parameters_check(v, caller, call);
	struct kept *k;

	if (call->operation->caller == HOST_SIDE_PLUGIN)
		return host_call_id(call) != HOST_OPERATION_done || (good && done_check(v, call));
	if (!good)
		return true; /* nothing to follow; the plugin may find it, too */
	objects_check(v, call);
	k = calloc(1, sizeof(*k));
	call->kept[v->layer.place] = k;
	if (!k)
		return true;
	memcpy(k->values, call->values, sizeof(k->values));
	k->error = call->error;
	k->rounding = fegetround();
	lend(v, k, call);
	return true;
}

static uint32_t room_of(const struct kept *k, const struct host_call *call)
{
	const struct host_parameter *p = &call->operation->parameters[call->operation->parameter_count - 1];

	return p->direction == HOST_DIRECTION_INOUT ? *(const uint32_t *)k->values[call->operation->parameter_count - 1].data : 0;
}

static void after(struct host_layer *layer, struct host_caller *caller, struct host_call *call)
{
	struct validate *v = (struct validate *)layer;
	struct kept *k = call->kept[v->layer.place];
	uint32_t room;

	if (!k)
		return;
	room = room_of(k, call); /* as it was: settled below */
	if (!host_loan_settle(&k->loan))
		plugin_broke(v, "PL3", call, "it wrote behind the end of a result");
	memcpy(call->values, k->values, sizeof(call->values));
	if (call->operation->result == HOST_RESULT_IS_STATUS)
		error_check(v, k, call);
	if (fegetround() != k->rounding) {
		plugin_broke(v, "PL8", call, "the rounding mode is another one");
		fesetround(k->rounding);
	}
	if (count_check(v, call, room))
		results_check(v, caller, call);
	until_check(v, call);
	runs_check(v, call);
	if (host_call_id(call) == HOST_OPERATION_submit)
		submit_check(v, call);
	if (call->operation->result == HOST_RESULT_IS_TABLE)
		table_check(v, call);
	host_loan_finish(&k->loan);
	free(k);
}

static void destroy(struct host_layer *layer)
{
	struct validate *v = (struct validate *)layer;

	host_handles_finish(&v->handles);
	free(v);
}

ptowsp_status host_layer_validate(struct host_layer **out, const char *parameter, struct host_breaches *breaches, struct ptowsp_error *error)
{
	struct validate *v = calloc(1, sizeof(*v));

	(void)parameter;
	if (!v)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the layer validate");
	v->layer = (struct host_layer){.before = before, .after = after, .destroy = destroy};
	v->breaches = breaches;
	host_handles_init(&v->handles);
	*out = &v->layer;
	return PTOWSP_OK;
}
