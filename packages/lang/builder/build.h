/* SPDX-License-Identifier: MIT */
/* build.h - what the files of the builder share: builder_value.c, builder_tensor.c, ... */
#ifndef LANG_BUILD_H
#define LANG_BUILD_H

#include <stdbool.h>

#include "format/graph/graph_builder.h"
#include "format/graph/graph_read.h"
#include "format/strings.h"
#include "lang/builder.h"
#include "lang/builder/tables.h"
#include "lang/builder/tile_code.h"
#include "lang/lang_map.h"
#include "ptowsp/workload.h"

/* A handle: what it stands for in the upper bits, its row below. */
enum build_kind {
	BUILD_NONE,
	BUILD_SLOT,
	BUILD_EXPR,
	BUILD_LEVELS,
	BUILD_AXIS,
	BUILD_TENSOR,
	BUILD_REGION,
	BUILD_KERNEL,
	BUILD_PARAM,
	BUILD_PAYLOAD,
	BUILD_TILE,
	BUILD_SCALAR,
	BUILD_EVENT,
	BUILD_CHANNEL,
	BUILD_PROCESS,
	BUILD_ENTRY,
	BUILD_DIRECTIVE,
	BUILD_KINDS
};
#define BUILD_ROW_BITS 26
#define BUILD_DONE     1u /* result of calls that make nothing */

/* A place in a source; line 0: nowhere. */
struct build_place {
	uint32_t file, line, column;
};

/* Names in all rows are offsets in the builder's own strings, and rows of other tables their numbers as declared. */
struct build_tensor {
	struct ptowsp_tensor_record record;
	struct ptowsp_dim_record *dims;      /* room for 4 with the first */
	struct ptowsp_memory_record *memory; /* NULL: row after row, without holes */
	uint32_t like;                       /* 1 + the tensor whose dimensions it has, 0: its own */
	uint8_t placed, shared;
};
struct build_param {
	struct ptowsp_param_record record;
	struct ptowsp_param_layout_record *dims; /* of its layout, room for 4 with the first */
	struct ptowsp_memory_record *memory;     /* NULL: it states none */
	uint32_t dim_count;                      /* 0: it states no layout */
	uint32_t kernel;
	uint32_t number; /* among the tensors, or the scalars, of its kernel */
};
struct build_payload {
	struct ptowsp_payload_record record;
	uint32_t kernel;
	const void *bytes; /* NULL: code */
	struct lang_tile_code *code;
	struct ptowsp_tile_param *params; /* of the code; NULL: those of the kernel */
	uint32_t param_count;
	uint32_t name;   /* of code, 0: the kernel's */
	uint32_t *names; /* of tiles and scalars in the order of declaration */
	uint32_t name_count, name_capacity;
};
struct build_kernel {
	struct ptowsp_kernel_record record;
	uint32_t *params, *payloads; /* rows of the builder's */
	struct ptowsp_variant_record *variants;
	uint32_t param_capacity, payload_capacity, variant_capacity; /* counts: of the record */
	uint32_t tensors, scalars;                                   /* of the params */
	uint32_t like;                                               /* 1 + the kernel whose payloads it has, 0: its own */
	uint32_t listed;                                             /* number in the list of WORK plus 1, 0: not there yet */
	uint8_t has_body;                                            /* 1: a body was opened: the parameters stand */
	struct build_place place;
};
struct build_entry {
	struct ptowsp_entry_record record;
	uint32_t *values;
	uint32_t value_capacity;
	uint8_t stated; /* 1: values come from calls */
	uint8_t made;   /* 1: a reduction made it: it stands before all workloads, as its function does in a source */
	struct build_place place;
};
struct build_process {
	struct ptowsp_process_record record;
	struct ptowsp_process_channel_record *uses;
	uint32_t use_capacity;
	struct build_place place; /* of its end, too */
};
struct build_sample {
	struct ptowsp_sample_record record;
	const void *bytes;
};
/* A call that was expanded in place; callee: name of an entry, which may come later. */
struct build_call_note {
	struct ptowsp_call_record record;
	uint32_t callee;
	struct ptowsp_call_argument_record *arguments; /* count: of the record */
	uint32_t argument_capacity;
};
/* One graph of the instruction form: rows of graph_builder.h with the builder's strings. */
struct build_graph_inst {
	const struct pkg_graph_form *form;
	uint64_t values[PTOWSP_GRAPH_ARGS];
	uint32_t count; /* operands stated */
};
struct build_graph {
	uint32_t name, device;
	struct build_graph_inst *insts;
	struct pkg_graph_name *names;
	struct pkg_graph_node *nodes;
	uint32_t *sets; /* length, then numbers */
	uint32_t inst_count, inst_capacity, name_count, name_capacity, node_count, node_capacity, set_count, set_capacity;
	uint32_t stack[64], depth; /* nodes that wait for their operation or their scalar */
};
struct build_section {
	uint32_t type;
	const void *bytes;
	size_t size;
};

/* Open construct in the code of an entry or process. */
struct build_block {
	uint8_t op;                /* of the instruction that opened it, HALT: the entry or process itself */
	uint8_t value;             /* 1: a loop with a value */
	uint32_t head;             /* that instruction */
	uint32_t branch, branches; /* COND, COMBINE, SEQUENTIAL: the current one, and how many */
};
/* The task whose words are being written. */
struct build_task {
	uint32_t head, kernel, args, uses;
	uint8_t open, afters;
	uint8_t copy; /* 1: a copy, whose words are there but its edges; kernel is none */
};
/* The portable kernel being written. */
struct build_body {
	uint32_t payload, kernel;
	struct lang_tile_code *code;       /* NULL: none is open */
	uint32_t *arguments;               /* scalar row plus 1 per scalar parameter */
	uint32_t tile_first, scalar_first; /* of the handles of this body */
};

#define BUILD_ARRAY(type, names, name)                                                                                                                         \
	type *names;                                                                                                                                           \
	uint32_t name##_count, name##_capacity

struct ptowsp_build {
	struct common_arena *arena; /* own, or the one of the compilation that builds */
	struct common_arena own;
	jmp_buf out;              /* every call that refuses leaves by it */
	const char *current_call; /* the call at hand; NULL: a compilation builds, whose messages have a place instead */
	ptowsp_status status;
	char error[512];
	struct pkg_strings strings;
	struct lang_tables tables;
	uint8_t closed, begun; /* begun: something but facts was built */
	struct build_place place;
	struct lang_map names[BUILD_KINDS]; /* of what has an id: name -> its row + 1 as a pointer */
	BUILD_ARRAY(const char *, notices, notice);
	BUILD_ARRAY(const char *, targets, target);
	BUILD_ARRAY(const char *, presets, preset);   /* strings in front */
	BUILD_ARRAY(uint32_t, code_names, code_name); /* strings of code, in the order in which they come */
	BUILD_ARRAY(struct ptowsp_meta_record, metas, meta);
	BUILD_ARRAY(struct ptowsp_slot_record, slots, slot);
	BUILD_ARRAY(struct ptowsp_axis_value_record, axis_values, axis_value);
	BUILD_ARRAY(struct build_tensor, tensors, tensor);
	uint32_t tensors_placed; /* of them: those with a place of their own */
	BUILD_ARRAY(struct build_kernel, kernels, kernel);
	BUILD_ARRAY(struct build_param, params, param);
	BUILD_ARRAY(struct build_payload, payloads, payload);
	BUILD_ARRAY(struct ptowsp_event_record, events, event);
	BUILD_ARRAY(struct ptowsp_channel_record, channels, channel);
	BUILD_ARRAY(struct build_process, processes, process);
	BUILD_ARRAY(struct build_entry, entries, entry);
	BUILD_ARRAY(struct ptowsp_directive_record, directives, directive);
	BUILD_ARRAY(struct ptowsp_requirement_record, requirements, requirement);
	BUILD_ARRAY(struct build_sample, samples, sample);
	BUILD_ARRAY(struct build_section, sections, section);
	BUILD_ARRAY(struct build_call_note, calls, call);
	BUILD_ARRAY(struct build_graph, graphs, graph);
	uint32_t call_open; /* depth in which the open call began, 0: none is open */
	uint8_t graph_open;
	uint16_t *needs; /* per expression: what its value needs, see build_needs */
	uint32_t need_count, need_capacity;
	BUILD_ARRAY(uint32_t, unseen, unseen); /* expressions that are still to be searched for symbols */
	BUILD_ARRAY(uint32_t, seens, seen);    /* per expression: the search that has looked at it */
	uint32_t stamp;                        /* the current one */
	struct build_block blocks[PTOWSP_NESTING_LIMIT + 1];
	uint32_t depth, loops;   /* open blocks; those with a value */
	uint32_t entry, process; /* whose code is open, PTOWSP_NONE */
	struct build_task task;
	unsigned carry; /* opcode of the word that the send or consume in front still needs, 0: none */
	struct build_body body;
	struct lang_tile_turn turns[PTOWSP_NESTING_LIMIT]; /* of the body */
	uint32_t tile_handles, scalar_handles;             /* given out so far */
	void *bytes;                                       /* sealed; malloc'd */
	size_t size;
	char digest[65];
	void *file; /* owned: the one being read; NULL: none is */
};

/* --- builder.c --- */

/* One without facts; arena: where its tables grow, NULL: its own. NULL without memory; ptowsp_build_destroy ends it. */
struct ptowsp_build *build_create(struct common_arena *arena);
/* 1: the call may go on. */
bool build_enter(struct ptowsp_build *b, const char *call);
/* Behind a refusal, or when memory ran out. */
void build_leave(struct ptowsp_build *b);
/* The first lines of every call: refusals below come back here. call: what it is called in them; it is given by parts of calls that go on with other
 * calls, which have a return address of their own. */
#define BUILD_CALL_OF(b, call)                                                                                                                                 \
	do {                                                                                                                                                   \
		if (!build_enter((b), call))                                                                                                                   \
			return 0;                                                                                                                              \
		if (setjmp((b)->out)) {                                                                                                                        \
			build_leave(b);                                                                                                                        \
			return 0;                                                                                                                              \
		}                                                                                                                                              \
	} while (0)
#define BUILD_CALL(b) BUILD_CALL_OF(b, __func__)
/* The order of memory that is stated there; made when it is asked for first. */
struct ptowsp_memory_record *build_memory(struct ptowsp_build *b, struct ptowsp_memory_record **memory);
/* Orders in memory, of what the calls name so: "tensor", "param". */
void build_memory_state(struct ptowsp_build *b, struct ptowsp_memory_record *memory, const char *order, uint32_t swizzle);
void build_memory_block(struct ptowsp_build *b, struct ptowsp_memory_record *memory, const char *what, uint32_t rows, uint32_t columns);
void build_memory_stride(struct ptowsp_build *b, struct ptowsp_memory_record *memory, const char *what, uint32_t elements);
_Noreturn void build_refuse(struct ptowsp_build *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void build_notice(struct ptowsp_build *b, const char *text);
/* The facts that every package begins with. producer NULL: LANG_PRODUCER; kind: of its entries. Then one of its own. */
void build_facts(struct ptowsp_build *b, const char *name, const char *version, const char *producer, const char *kind);
void build_meta(struct ptowsp_build *b, const char *key, const char *value);
void build_target(struct ptowsp_build *b, const char *target);

uint32_t build_handle(struct ptowsp_build *b, enum build_kind kind, uint32_t row);
/* The row of a handle that must stand for that kind. */
uint32_t build_row(struct ptowsp_build *b, enum build_kind kind, uint32_t handle);
/* A text that may be stored; offset in the builder's strings. NULL and what a package cannot hold are refused. */
uint32_t build_string(struct ptowsp_build *b, const char *text);
/* The same for a name that must not be empty and must be new among its kind; it stands for `row` from now on. */
uint32_t build_name(struct ptowsp_build *b, enum build_kind kind, const char *name, uint32_t row);
const char *build_text(const struct ptowsp_build *b, uint32_t string);
/* A string of code (builder_write.c writes them in this order). */
uint32_t build_code_name(struct ptowsp_build *b, uint32_t string);
/* Code of a word; what: "dtype". A word that is not there is refused with those that are. */
uint32_t build_word(struct ptowsp_build *b, uint32_t words, const char *word);
void *build_copy(struct ptowsp_build *b, const void *bytes, uint64_t size);
/* Bits of a value of that type that a text says. */
uint64_t build_bits(struct ptowsp_build *b, uint32_t dtype, const char *text);
#define BUILD_PUSH(b, names, name) COMMON_PUSH((b)->arena, (b)->names, (b)->name##_count, (b)->name##_capacity)

/* --- rows: what calls by handles and words, and the compilation of a source, add to. Names are texts, other rows their numbers. --- */

/* Each returns the new row. The name of the record is ignored. */
uint32_t build_slot_add(struct ptowsp_build *b, const char *name, struct ptowsp_slot_record slot);
uint32_t build_tensor_add(struct ptowsp_build *b, const char *name, const struct build_tensor *tensor);
uint32_t build_kernel_add(struct ptowsp_build *b, const char *name, struct ptowsp_kernel_record record);
uint32_t build_param_add(struct ptowsp_build *b, const char *name, struct build_param param);
uint32_t build_payload_add(struct ptowsp_build *b, struct build_payload payload);
uint32_t build_event_add(struct ptowsp_build *b, const char *name);
uint32_t build_channel_add(struct ptowsp_build *b, const char *name, struct ptowsp_channel_record channel);
uint32_t build_process_add(struct ptowsp_build *b, const char *name, uint32_t replicas);
uint32_t build_entry_add(struct ptowsp_build *b, const char *name, uint32_t flags, uint32_t instruction);
/* One more dimension of a tensor, which may be there already or yet to be added. */
void build_tensor_dim(struct ptowsp_build *b, struct build_tensor *tensor, struct ptowsp_dim_record dim);
/* The same of the layout of a parameter. */
void build_param_dim(struct ptowsp_build *b, struct build_param *param, struct ptowsp_param_layout_record dim);
void build_variant_add(struct ptowsp_build *b, uint32_t kernel, uint32_t rows, uint32_t other);
void build_process_use(struct ptowsp_build *b, uint32_t process, struct ptowsp_process_channel_record use);
void build_require(struct ptowsp_build *b, const char *feature, uint32_t state);
/* A graph of the instruction form, valid until the next one; its instructions and nodes are pushed as they are. */
struct build_graph *build_graph_add(struct ptowsp_build *b, const char *name, uint32_t device);
void build_graph_name_add(struct ptowsp_build *b, struct build_graph *graph, uint32_t object, uint32_t number, const char *name);
/* The row of the set. */
uint32_t build_graph_set_add(struct ptowsp_build *b, struct build_graph *graph, const uint32_t *numbers, uint32_t count);

/* --- builder_value.c --- */

/* The row of an expression, or of the value of a symbol or slot. */
uint32_t build_expr(struct ptowsp_build *b, uint32_t handle);
enum { BUILD_NEEDS_DEPTH = 127, BUILD_NEEDS_RUN = 128, BUILD_NEEDS_SYMBOL = 256 };
/* How many loops must be open (low bits), whether it needs more than constants and symbols, and whether there is a symbol in it. */
uint16_t build_needs(struct ptowsp_build *b, uint32_t expr);

/* --- builder_kernel.c --- */
/* The tile parameters of a kernel, names as they are. */
struct ptowsp_tile_param *build_tile_params(struct ptowsp_build *b, uint32_t kernel);

/* --- builder_body.c --- */

/* Opens the body of a kernel (a row) as one more payload of it. name: of the code; NULL: the kernel's. */
void build_body_open(struct ptowsp_build *b, uint32_t kernel, struct ptowsp_payload_record record, const char *name);
/* A tile, a scalar, a literal of the body that is open: rows of its tables. */
uint32_t build_tile_add(struct ptowsp_build *b, const char *name, struct ptowsp_tile_tile tile);
uint32_t build_scalar_add(struct ptowsp_build *b, const char *name, uint16_t dtype, uint16_t kind, uint64_t value);
uint32_t build_literal_add(struct ptowsp_build *b, uint16_t dtype, uint64_t bits);
/* Closes it. params: of the code, NULL: those of the kernel. The bytes of the payload, with the builder's strings. */
const void *build_body_close(struct ptowsp_build *b, struct ptowsp_tile_param *params, uint32_t param_count, size_t *size_out);
/* The code of the body that is open. */
struct lang_tile_code *build_tile_code(struct ptowsp_build *b);

/* --- builder_block.c, builder_task.c --- */

/* Ends the words of the task before; code must be open. */
void build_code(struct ptowsp_build *b);
uint32_t build_emit(struct ptowsp_build *b, unsigned opcode, uint32_t operand1, uint32_t operand2);
/* The same with the position. */
uint32_t build_emit_at(struct ptowsp_build *b, unsigned opcode, uint32_t operand1, uint32_t operand2);
void build_debug(struct ptowsp_build *b, uint16_t kind, uint32_t row, struct build_place place);
/* The code that is open evaluates an expression, or a region's: its loops are open, its symbols become the entry's values. */
void build_evaluate(struct ptowsp_build *b, uint32_t expr);
uint32_t build_region_row(struct ptowsp_build *b, uint32_t region);
void build_open(struct ptowsp_build *b, unsigned op, uint32_t head, int value);
/* The expression of the value of the loop that has just been opened, BUILD_DONE where rows are kept as stated. */
uint32_t build_loop_value(struct ptowsp_build *b);
/* The place of an axis in the list of WORK. */
uint32_t build_axis_listed(struct ptowsp_build *b, uint32_t axis);
void build_task_close(struct ptowsp_build *b);
uint32_t build_kernel_listed(struct ptowsp_build *b, uint32_t kernel);

/* --- builder_write.c --- */
/* Everything; how large section STRS was before the words of the schedule. */
size_t build_write(struct ptowsp_build *b, struct pkg_writer *writer);

#endif
