/* SPDX-License-Identifier: MIT
 * test_process.c - channels and processes of the source as rows of the package. */
#include "tests/check.h"
#include "tests/lang/source.h"

#include "ptowsp/workload.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL                                                                                                                                                 \
	"func @one(%x: !pto.memref<gm,...,f32>) {\n"                                                                                                           \
	"  %t = alloc_tile : !pto.tile<1x8xf32>\n"                                                                                                             \
	"  %t = tload %x[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<1x8xf32>\n"                                                              \
	"  tstore %t, %x[0, 0]\n"                                                                                                                              \
	"  return\n"                                                                                                                                           \
	"}\n"

static int channel_find(const struct source *s, const char *name)
{
	for (uint32_t i = 0; i < s->t->channel_count; i++)
		if (!strcmp(pkg_string(s->t, s->t->channel[i].name), name))
			return (int)i;
	return -1;
}

static const struct ptowsp_process_record *process_of(const struct source *s, const char *name)
{
	for (uint32_t i = 0; i < s->t->process_count; i++)
		if (!strcmp(pkg_string(s->t, s->t->process[i].name), name))
			return &s->t->process[i];
	CHECK_FAIL("there is no process %s", name);
	return &s->t->process[0];
}

/* Instruction `at` of a process. */
static struct ptowsp_instruction word_of(const struct source *s, const char *process, uint32_t at)
{
	const struct ptowsp_workload_header *header = (const void *)s->t->raw_work;
	const struct ptowsp_instruction *code = (const void *)(header + 1);
	uint32_t place = process_of(s, process)->instruction + at;

	return place < header->num_instructions ? code[place] : (struct ptowsp_instruction){0};
}

static struct source compiled(const char *text)
{
	struct source s = source_compile(text);

	CHECK_STR(s.messages, "");
	REQUIRE(s.t != NULL);
	return s;
}

TEST(channels_have_their_kind_capacity_and_latency)
{
	struct source s = compiled(KERNEL "tensor %x : f32[8, 4] inout\n"
					  "channel %plain : token\n"
					  "channel %meeting : token capacity 0\n"
					  "channel %late : token latency 1099511627776 capacity 4294967295\n"
					  "channel %tiles : payload f32[2, 4] capacity 3 latency 7\n"
					  "process @a produces(%plain, %meeting, %late, %tiles) {\n"
					  "  send %plain, 1 send %meeting, 2 send %late, 3\n"
					  "  send %tiles, 4 from %x[2, 0]\n"
					  "}\n"
					  "process @b consumes(%plain, %meeting, %late, %tiles) {\n"
					  "  consume %plain as %i { } consume %meeting as %i { } consume %late as %i { }\n"
					  "  consume %tiles as %i into %x[%i * 2, 0] { }\n"
					  "}\n");
	static const struct {
		const char *name;
		uint16_t kind;
		uint32_t capacity;
		uint64_t latency;
	} want[] = {{"plain", 0, 1, 0}, {"meeting", 0, 0, 0}, {"late", 0, UINT32_MAX, UINT64_C(1) << 40}, {"tiles", 1, 3, 7}};

	CHECK_UINT(s.t->channel_count, 4);
	for (size_t i = 0; i < 4; i++) {
		int row = channel_find(&s, want[i].name);

		REQUIRE(row >= 0);
		CHECK_UINT(s.t->channel[row].kind, want[i].kind);
		CHECK_UINT(s.t->channel[row].capacity, want[i].capacity);
		CHECK_UINT(s.t->channel[row].latency, want[i].latency);
	}
	source_free(&s);
}

TEST(processes_keep_their_order_replicas_and_channels)
{
	struct source s = compiled("channel %c : token\nchannel %d : token\n"
				   "process @zebra produces(%c) replicate 3 { send %c, instance }\n"
				   "process @ant consumes(%c) produces(%d) { consume %c as %i { send %d, %i } }\n"
				   "process @mole consumes(%d) { consume %d as %i { } }\n");
	const struct ptowsp_process_record *ant = process_of(&s, "ant");

	CHECK_UINT(process_of(&s, "zebra")->order, 0);
	CHECK_UINT(ant->order, 1);
	CHECK_UINT(process_of(&s, "mole")->order, 2);
	CHECK_UINT(process_of(&s, "zebra")->replicas, 3);
	CHECK_UINT(ant->replicas, 1);
	REQUIRE_INT(ant->channel_count, 2);
	CHECK_UINT(s.t->process_channel[ant->channels].channel, (unsigned)channel_find(&s, "c"));
	CHECK_UINT(s.t->process_channel[ant->channels].direction, PTOWSP_CHANNEL_CONSUMES);
	CHECK_UINT(s.t->process_channel[ant->channels + 1].channel, (unsigned)channel_find(&s, "d"));
	CHECK_UINT(s.t->process_channel[ant->channels + 1].direction, PTOWSP_CHANNEL_PRODUCES);
	source_free(&s);
}

TEST(bodies_are_the_words_of_the_bytecode)
{
	struct source s = compiled("tensor %x : f32[8, 4] in\ntensor %y : f32[8, 4] out\n"
				   "channel %c : payload f32[2, 4]\n"
				   "process @a produces(%c) { parallel_for %k in 0 to 4 { send %c, %k from %x[%k * 2, 0] } close %c }\n"
				   "process @b consumes(%c) { consume %c as %i into %y[%i * 2, 0] { } }\n");
	static const struct {
		const char *process;
		uint8_t opcodes[6];
	} want[] = {{"a", {PTOWSP_OP_PARALLEL_FOR, PTOWSP_OP_SEND, PTOWSP_OP_IO_INPUT, PTOWSP_OP_CLOSE, PTOWSP_OP_HALT}},
		    {"b", {PTOWSP_OP_CONSUME, PTOWSP_OP_IO_OUTPUT, PTOWSP_OP_HALT}}};
	struct ptowsp_region_record region;

	for (size_t p = 0; p < 2; p++)
		for (uint32_t i = 0; i < 6 && (i == 0 || want[p].opcodes[i]); i++)
			CHECK_UINT(word_of(&s, want[p].process, i).opcode, want[p].opcodes[i]);
	CHECK_UINT(word_of(&s, "b", 0).operand2, process_of(&s, "b")->instruction + 2);
	/* The token is the value of the loop that consume is, in the region behind it, too. */
	region = s.t->region[word_of(&s, "b", 1).operand2];
	CHECK_UINT(region.rows, 2);
	CHECK_UINT(region.columns, 4);
	CHECK_UINT(s.t->expr[region.row].op, PTOWSP_EXPR_MUL);
	CHECK_UINT(s.t->expr[s.t->expr[region.row].a].op, PTOWSP_EXPR_LOOP);
	CHECK_UINT(s.t->expr[s.t->expr[region.row].a].a, 0);
	source_free(&s);
}

#define PIPE                                                                                                                                                   \
	"channel %c : token\n"                                                                                                                                 \
	"symbol %n : u64\n"                                                                                                                                    \
	"process @a produces(%c) { send %c, %n }\n"                                                                                                            \
	"process @b consumes(%c) { consume %c as %i { } }\n"

TEST(a_pipeline_without_a_workload_has_the_entry_main)
{
	struct source s = compiled(KERNEL PIPE);
	int main = source_entry(&s, "main"), one = source_entry(&s, "one");

	REQUIRE(main >= 0 && one >= 0);
	CHECK_UINT(s.t->entry[main].flags, PTOWSP_ENTRY_DEFAULT | PTOWSP_ENTRY_PIPELINE);
	CHECK_UINT(s.t->entry[one].flags, PTOWSP_ENTRY_KERNEL);
	/* What the bodies read, the entry needs. */
	CHECK_UINT(s.t->entry[main].value_count, 1);
	source_free(&s);
}

TEST(processes_run_behind_each_workload)
{
	struct source s = compiled("workload @first { }\n" PIPE "workload @second { barrier }\n// Entry: @second\n");
	int first = source_entry(&s, "first"), second = source_entry(&s, "second");

	REQUIRE(first >= 0 && second >= 0);
	CHECK_UINT(s.t->entry_count, 2);
	CHECK_UINT(s.t->entry[first].flags, PTOWSP_ENTRY_PIPELINE);
	CHECK_UINT(s.t->entry[second].flags, PTOWSP_ENTRY_DEFAULT | PTOWSP_ENTRY_PIPELINE);
	CHECK_UINT(s.t->entry[first].value_count, 1);
	CHECK_UINT(s.t->entry[second].value_count, 1);
	source_free(&s);
}

/* Two declarations of one shape are one package whatever else is between them. */
TEST(nothing_of_a_package_without_processes_changes)
{
	struct source s = compiled("workload @main { barrier }\n");

	CHECK_UINT(s.t->entry[0].flags, PTOWSP_ENTRY_DEFAULT);
	CHECK_UINT(s.t->channel_count + s.t->process_count + s.t->process_channel_count, 0);
	source_free(&s);
}
