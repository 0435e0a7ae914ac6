/* SPDX-License-Identifier: MIT
 * test_aie_chain.c - random designs of locks and chains of descriptors, in the forms that tools write: a stream goes from DDR through tiles, each of which cuts it into objects
 * of another length and turns them by dimensions, and back to DDR, where every word is where a list of the same turns says. */
#include <stdlib.h>
#include <string.h>

#include "aie/array/array.h"
#include "tests/aie/aie_written.h"
#include "tests/check.h"
#include "tests/draw.h"

enum { UNIT = 48, UNITS = 4, MOST = UNIT * UNITS, HOPS = 5, SEEDS = 300 };

/* One tile of the way: objects of so many words, in so many buffers; how each is written and read: rows and columns, 0: as it lies. */
struct hop {
	int row, words, depth;
	int in_rows, out_rows;
	bool regions; /* by aie.dma, else by aie.dma_start and blocks */
	bool words_form, counts;
};
struct chain {
	struct hop hops[HOPS];
	int hop_count, words, sends, takes; /* tasks of the host each way */
	uint32_t buffering;
	bool twice; /* to two shim channels */
};

static int pick(uint64_t *state, int least, int most)
{
	return least + (int)draw(state, (uint64_t)(most - least + 1));
}

/* A divisor of n that is none of its ends; 0: as it lies. */
static int rows_pick(uint64_t *state, int n)
{
	const int rows = pick(state, 0, 1) ? pick(state, 2, 8) : 0;

	return rows && n % rows == 0 && rows < n ? rows : 0;
}

static struct chain chain_pick(uint64_t seed)
{
	static const int lengths[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 48};
	uint64_t state = draw_seed(seed);
	struct chain chain = {.hop_count = pick(&state, 1, HOPS), .words = UNIT * pick(&state, 1, UNITS)};
	int rows[HOPS] = {1, 2, 3, 4, 5};

	for (int i = HOPS - 1; i > 0; i--) {
		const int j = pick(&state, 0, i), row = rows[i];

		rows[i] = rows[j];
		rows[j] = row;
	}
	for (int i = 0; i < chain.hop_count; i++) {
		struct hop *hop = &chain.hops[i];

		hop->row = rows[i];
		hop->words = lengths[pick(&state, 0, 9)];
		hop->depth = pick(&state, 1, 3);
		hop->in_rows = rows_pick(&state, hop->words);
		hop->out_rows = rows_pick(&state, hop->words);
		hop->regions = pick(&state, 0, 1);
		hop->words_form = pick(&state, 0, 1);
		hop->counts = pick(&state, 0, 1);
	}
	chain.sends = pick(&state, 1, 3);
	chain.takes = pick(&state, 1, 3);
	chain.buffering = (uint32_t)pick(&state, 0, 8);
	chain.twice = pick(&state, 0, 1);
	return chain;
}

/* ---- as a design ---------------------------------------------------------------------------------------------------- */

/* Columns of the object one after the other. */
static void walk_write(struct written *t, const struct hop *hop, int rows)
{
	if (!rows && hop->words_form)
		written_add(t, " offset = 0 len = %d", hop->words);
	else if (!rows)
		written_add(t, ", 0, %d", hop->words);
	else if (hop->words_form)
		written_add(t, " len = %d sizes = [%d, %d] strides = [1, %d]", hop->words, hop->words / rows, rows, hop->words / rows);
	else
		written_add(t, ", 0, %d, [<size = %d, stride = 1>, <size = %d, stride = %d>]", hop->words, hop->words / rows, rows, hop->words / rows);
}

/* counts: the lock's value as a constant's. */
static void lock_write(struct written *t, const struct hop *hop, const char *lock, const char *action, int number)
{
	if (hop->counts)
		written_add(t, "%%one%d = arith.constant 1 : i32 aie.use_lock(%%%s%d, %s, %%one%d)\n", number, lock, hop->row, action, number);
	else
		written_add(t, "aie.use_lock(%%%s%d, %s, 1)\n", lock, hop->row, action);
}

static void descriptor_write(struct written *t, const struct hop *hop, int buffer, bool in, int number)
{
	lock_write(t, hop, in ? "room" : "full", "AcquireGreaterEqual", 2 * number);
	written_add(t, "aie.dma_bd(%%b%d_%d : memref<%dxi32>", hop->row, buffer, hop->words);
	walk_write(t, hop, in ? hop->in_rows : hop->out_rows);
	written_add(t, ")\n");
	lock_write(t, hop, in ? "full" : "room", "Release", 2 * number + 1);
}

static void regions_write(struct written *t, const struct hop *hop, bool in)
{
	written_add(t, "%%d%d = aie.dma(%s, 0) [", in, in ? "S2MM" : "MM2S");
	for (int i = 0; i < hop->depth; i++) {
		written_add(t, "%s{\n", i ? ", " : "");
		descriptor_write(t, hop, i, in, i);
		written_add(t, "}");
	}
	written_add(t, "]\n");
}

static void blocks_write(struct written *t, const struct hop *hop, bool in)
{
	const int first = in ? 0 : hop->depth;

	written_add(t, "%%d%d = aie.dma_start(%s, 0, ^b%d, ^n%d)\n", in, in ? "S2MM" : "MM2S", first, in);
	for (int i = 0; i < hop->depth; i++) {
		written_add(t, "^b%d:\n", first + i);
		descriptor_write(t, hop, i, in, first + i);
		written_add(t, "aie.next_bd ^b%d\n", first + (i + 1) % hop->depth);
	}
	written_add(t, "^n%d:\n", in);
}

static void hop_write(struct written *t, const struct hop *hop)
{
	written_add(t, "%%t%d = aie.tile(0, %d)\n", hop->row, hop->row);
	for (int i = 0; i < hop->depth; i++)
		written_add(t, "%%b%d_%d = aie.buffer(%%t%d) : memref<%dxi32>\n", hop->row, i, hop->row, hop->words);
	written_add(t, "%%room%d = aie.lock(%%t%d, 0) {init = %d : i32}\n%%full%d = aie.lock(%%t%d, 1)\n", hop->row, hop->row, hop->depth, hop->row, hop->row);
	written_add(t, "aie.%s(%%t%d) {\n", hop->row == 1 ? "memtile_dma" : "mem", hop->row);
	(hop->regions ? regions_write : blocks_write)(t, hop, true);
	(hop->regions ? regions_write : blocks_write)(t, hop, false);
	written_add(t, "aie.end\n}\n");
}

static void tasks_write(struct written *t, const struct chain *chain, const char *name, int argument, int parts, int id)
{
	const int each = chain->words / parts;

	for (int i = 0; i < parts; i++)
		written_add(t, "aiex.npu.dma_memcpy_nd(%%x%d[0, 0, 0, %d][1, 1, 1, %d][0, 0, 0, 1]) {id = %d : i64, metadata = @%s} : memref<%dxi32>\n",
			    argument, i * each, i + 1 == parts ? chain->words - i * each : each, id + i, name, chain->words);
}

static char *chain_write(const struct chain *chain)
{
	struct written t;
	char from[32] = "shim";

	written_begin(&t);
	written_add(&t, "aie.device(npu1_1col) {\n%%shim = aie.tile(0, 0)\n");
	for (int i = 0; i < chain->hop_count; i++) {
		hop_write(&t, &chain->hops[i]);
		written_add(&t, "aie.flow(%%%s, DMA : 0, %%t%d, DMA : 0)\n", from, chain->hops[i].row);
		*from = '\0';
		text_put(from, sizeof(from), "t%d", chain->hops[i].row);
	}
	for (int i = 0; i <= chain->twice; i++)
		written_add(&t, "aie.flow(%%%s, DMA : 0, %%shim, DMA : %d)\naie.shim_dma_allocation @out%d(%%shim, S2MM, %d)\n", from, i, i, i);
	written_add(&t,
		    "aie.shim_dma_allocation @in(%%shim, MM2S, 0)\naie.runtime_sequence(%%x0: memref<%dxi32>, %%x1: memref<%dxi32>, %%x2: memref<%dxi32>) {\n",
		    chain->words, chain->words, chain->words);
	for (int i = 0; i <= chain->twice; i++)
		tasks_write(&t, chain, i ? "out1" : "out0", 1 + i, chain->takes, 3 + 3 * i);
	tasks_write(&t, chain, "in", 0, chain->sends, 0);
	for (int i = 0; i <= chain->twice; i++)
		for (int w = 0; w < chain->takes; w++)
			written_add(&t, "aiex.npu.dma_wait {symbol = @out%d}\n", i);
	written_add(&t, "}\n}\n");
	return t.text;
}

/* ---- as a list ------------------------------------------------------------------------------------------------------ */

/* Word i of an object that goes by columns: of rows and columns, where it lies. */
static int place(const struct hop *hop, int rows, int i)
{
	return rows ? i % rows * (hop->words / rows) + i / rows : i;
}

static void chain_turn(const struct chain *chain, int32_t *words)
{
	int32_t object[UNIT];

	for (int h = 0; h < chain->hop_count; h++) {
		const struct hop *hop = &chain->hops[h];

		for (int32_t *at = words; at < words + chain->words; at += hop->words) {
			for (int i = 0; i < hop->words; i++)
				object[place(hop, hop->in_rows, i)] = at[i];
			for (int i = 0; i < hop->words; i++)
				at[i] = object[place(hop, hop->out_rows, i)];
		}
	}
}

struct content {
	int32_t in[MOST], out[2][MOST];
};

static ptowsp_status on_memories(void *context, const struct aie_array_memory *memories, uint32_t count, bool ran, struct ptowsp_error *error)
{
	struct content *content = context;

	(void)error;
	for (uint32_t i = 0; i < count; i++)
		if (!ran && !strcmp(memories[i].name, "arg0"))
			memcpy(memories[i].bytes, content->in, memories[i].size);
		else if (ran && !strncmp(memories[i].name, "arg", 3) && memories[i].name[3] != '0')
			memcpy(content->out[memories[i].name[3] - '1'], memories[i].bytes, memories[i].size);
	return PTOWSP_OK;
}

static bool chain_compare(uint64_t seed)
{
	const struct chain chain = chain_pick(seed);
	struct content content;
	struct aie_module module = {0};
	struct aie_array_device device;
	const struct aie_array_args args = {.module = &module,
					    .device = &device,
					    .buffering = chain.buffering,
					    .max_events = 1000000,
					    .memories = on_memories,
					    .memories_context = &content};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct aie_array_report report;
	struct aie_sim_stats stats = {0};
	char *text = chain_write(&chain);
	uint64_t state = draw_seed(seed + 1);
	bool same;

	for (int i = 0; i < MOST; i++)
		content.in[i] = (int32_t)draw(&state, 0);
	same = CHECK_INT(aie_module_read(&module, text, strlen(text), &error), PTOWSP_OK) && CHECK(aie_array_device_find(&module, 0, &device)) &&
	       CHECK_INT(aie_array_run(&args, &report, &stats, &error), PTOWSP_OK);
	chain_turn(&chain, content.in);
	for (int i = 0; same && i <= chain.twice; i++)
		same = CHECK_MEM(content.out[i], content.in, (size_t)chain.words * 4);
	if (!same)
		CHECK_FAIL("seed %llu: %s\n%s", (unsigned long long)seed, error.text, text);
	aie_sim_finish(&stats);
	aie_module_finish(&module);
	free(text);
	return same;
}

TEST(random_chains_turn_words_as_a_list_does)
{
	uint64_t count, first = check_seeds(&count, SEEDS);

	for (uint64_t seed = first; seed < first + count; seed++)
		if (!chain_compare(seed))
			return;
}

/* ---- packets -------------------------------------------------------------------------------------------------------- */

enum { SENDERS = 3, RECEIVERS = 2, PACKETS = 5, LENGTH = 12 };

/* Cores send packets of other lengths, each to one of two channels of the host or to both, which take all that is for them in one task. */
struct net {
	int senders, counts[SENDERS];
	struct packet {
		int words, to; /* to: bits of receivers */
	} packets[SENDERS][PACKETS];
	int totals[RECEIVERS];
	uint32_t buffering;
};

static struct net net_pick(uint64_t seed)
{
	uint64_t state = draw_seed(seed);
	struct net net = {.senders = pick(&state, 1, SENDERS), .buffering = (uint32_t)pick(&state, 0, 8)};

	for (int s = 0; s < net.senders; s++) {
		net.counts[s] = pick(&state, 1, PACKETS);
		for (int p = 0; p < net.counts[s]; p++) {
			struct packet *packet = &net.packets[s][p];

			*packet = (struct packet){pick(&state, 1, LENGTH), pick(&state, 1, 3)};
			for (int r = 0; r < RECEIVERS; r++)
				net.totals[r] += packet->to >> r & 1 ? packet->words : 0;
		}
	}
	return net;
}

/* A number of packets for each sender and each set of receivers. */
static int number_of(int sender, int to)
{
	return 3 * sender + to;
}

static int32_t word_of(int sender, int packet, int at)
{
	return 10000 * (sender + 1) + 100 * packet + at;
}

static void sender_write(struct written *t, const struct net *net, int s)
{
	written_add(t, "%%t%d = aie.tile(0, %d)\n", s, 2 + s);
	for (int to = 1; to <= 3; to++) {
		written_add(t, "aie.packet_flow(%d) {\naie.packet_source<%%t%d, DMA : 0>\n", number_of(s, to), s);
		for (int r = 0; r < RECEIVERS; r++)
			if (to >> r & 1)
				written_add(t, "aie.packet_dest<%%shim, DMA : %d>\n", r);
		written_add(t, "}\n");
	}
	for (int p = 0; p < net->counts[s]; p++) {
		written_add(t, "%%b%d_%d = aie.buffer(%%t%d) : memref<%dxi32> = dense<[", s, p, s, net->packets[s][p].words);
		for (int i = 0; i < net->packets[s][p].words; i++)
			written_add(t, "%s%d", i ? ", " : "", word_of(s, p, i));
		written_add(t, "]>\n");
	}
	written_add(t, "aie.mem(%%t%d) {\naie.dma_start(MM2S, 0, ^b0, ^end)\n", s);
	for (int p = 0; p < net->counts[s]; p++)
		written_add(t, "^b%d:\naie.dma_bd_packet(0, %d)\naie.dma_bd(%%b%d_%d : memref<%dxi32>)\naie.next_bd ^%s\n", p,
			    number_of(s, net->packets[s][p].to), s, p, net->packets[s][p].words, p + 1 < net->counts[s] ? check_fmt("b%d", p + 1) : "end");
	written_add(t, "^end:\naie.end\n}\n");
}

static char *net_write(const struct net *net)
{
	struct written t;

	written_begin(&t);
	written_add(&t, "aie.device(npu1_1col) {\n%%shim = aie.tile(0, 0)\n");
	for (int s = 0; s < net->senders; s++)
		sender_write(&t, net, s);
	written_add(&t,
		    "aie.shim_dma_allocation @out0(%%shim, S2MM, 0)\naie.shim_dma_allocation @out1(%%shim, S2MM, 1)\n"
		    "aie.runtime_sequence(%%x0: memref<1xi32>, %%x1: memref<%dxi32>, %%x2: memref<%dxi32>) {\n",
		    MOST, MOST);
	for (int side = 0; side < 2; side++)
		for (int r = 0; r < RECEIVERS; r++)
			if (net->totals[r] && side)
				written_add(&t, "aiex.npu.dma_wait {symbol = @out%d}\n", r);
			else if (net->totals[r])
				written_add(&t,
					    "aiex.npu.dma_memcpy_nd(%%x%d[0, 0, 0, 0][1, 1, 1, %d][0, 0, 0, 1]) {id = %d : i64, metadata = @out%d} : "
					    "memref<%dxi32>\n",
					    1 + r, net->totals[r], r, r, MOST);
	written_add(&t, "}\n}\n");
	return t.text;
}

/* Whole packets, those of a sender in their order, and no other. */
static bool received(const struct net *net, int r, const int32_t *words)
{
	int next[SENDERS] = {0}, at = 0;

	while (at < net->totals[r]) {
		const int sender = words[at] / 10000 - 1, packet = words[at] / 100 % 100;

		if (sender < 0 || sender >= net->senders || packet < next[sender] || packet >= net->counts[sender] ||
		    !(net->packets[sender][packet].to >> r & 1))
			return false;
		for (int p = next[sender]; p < packet; p++) /* those between were not for this one */
			if (net->packets[sender][p].to >> r & 1)
				return false;
		next[sender] = packet + 1;
		for (int i = 0; i < net->packets[sender][packet].words; i++)
			if (words[at++] != word_of(sender, packet, i))
				return false;
	}
	return true;
}

static bool net_compare(uint64_t seed)
{
	const struct net net = net_pick(seed);
	struct content content = {{0}, {{0}}};
	struct aie_module module = {0};
	struct aie_array_device device;
	const struct aie_array_args args = {
		.module = &module, .device = &device, .buffering = net.buffering, .max_events = 1000000, .memories = on_memories, .memories_context = &content};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct aie_array_report report;
	struct aie_sim_stats stats = {0};
	char *text = net_write(&net);
	bool same;

	same = CHECK_INT(aie_module_read(&module, text, strlen(text), &error), PTOWSP_OK) && CHECK(aie_array_device_find(&module, 0, &device)) &&
	       CHECK_INT(aie_array_run(&args, &report, &stats, &error), PTOWSP_OK);
	for (int r = 0; same && r < RECEIVERS; r++)
		same = CHECK(received(&net, r, content.out[r]));
	if (!same)
		CHECK_FAIL("seed %llu: %s\n%s", (unsigned long long)seed, error.text, text);
	aie_sim_finish(&stats);
	aie_module_finish(&module);
	free(text);
	return same;
}

TEST(random_packets_reach_those_whom_they_are_for)
{
	uint64_t count, first = check_seeds(&count, SEEDS);

	for (uint64_t seed = first; seed < first + count; seed++)
		if (!net_compare(seed))
			return;
}
