/* SPDX-License-Identifier: MIT */
/* body_lanes.c - which loops can be run many rounds at once: those of numbers, loads and stores, whose indices are counters or the same in all rounds, and loops of such. */
#include "aie/body_lanes.h"

/* What a register is within a round; LOOP and more: the counter of that loop. */
enum { SAME, VARIES, LOOP };
struct lane_maker {
	struct aie_body_maker *maker;
	struct aie_body *body;
	struct aie_lanes lanes;
	uint32_t column_count;
	uint32_t loop;             /* at hand */
	bool failed;               /* no memory */
};

enum aie_lane_kind aie_lane_kind(const struct aie_type *type)
{
	switch (type->kind) {
	case AIE_TYPE_INDEX: return AIE_LANE_I64;
	case AIE_TYPE_INT: return type->bits <= 32 ? AIE_LANE_I32 : AIE_LANE_I64;
	case AIE_TYPE_BF16:
	case AIE_TYPE_F16:
	case AIE_TYPE_F32: return AIE_LANE_F32;
	case AIE_TYPE_F64: return AIE_LANE_F64;
	default: return AIE_LANE_NONE;
	}
}

/* A new row, or NULL and `failed`. */
#define ROW(make, row) row_of(make, AIE_BODY_ROW((make)->body, row)) == AIE_NONE ? NULL : &(make)->body->row##_rows[(make)->body->row##_count - 1]
static uint32_t row_of(struct lane_maker *make, uint32_t row)
{
	make->failed |= row == AIE_NONE;
	return row;
}

/* Of this loop: what was said of others is forgotten. */
static struct aie_lane_register *register_of(const struct lane_maker *make, uint32_t reg)
{
	struct aie_lane_register *row = &make->maker->lane_registers[reg];

	if (row->loop != make->maker->lane_loops)
		*row = (struct aie_lane_register){.loop = make->maker->lane_loops, .role = SAME};
	return row;
}

static uint32_t role_of(const struct lane_maker *make, uint32_t reg)
{
	return register_of(make, reg)->role;
}

static enum aie_lane_kind kind_of(const struct lane_maker *make, uint32_t reg)
{
	return make->maker->kinds[reg];
}

/* ---- registers ---------------------------------------------------------------------------------------------------- */

static bool writes(const struct aie_ins *in)
{
	bool store;
	enum aie_lane_kind kind;
	uint32_t bytes;

	if (in->code == AIE_CODE_STEP || in->code == AIE_CODE_NONZERO || in->code == AIE_CODE_NEXT || in->code == AIE_CODE_RELEASE)
		return false;
	return !aie_lane_element(in->code, &store, &kind, &bytes) || !store;
}

/* Which of a, b and c are registers: 1, 2, 4. */
static unsigned reads(uint16_t code)
{
	switch (code) {
#define INTEGER(op, name, cost, value) case AIE_CODE_##op:
#define FLOAT(op, name, cost, value) case AIE_CODE_##op: case AIE_CODE_##op##64:
#define COMPARE(op, number, value) case AIE_CODE_##op:
#include "aie/body.def"
	case AIE_CODE_CMPF: return 3;
	case AIE_CODE_SELECT:
	case AIE_CODE_FMA:
	case AIE_CODE_FMA64: return 7;
	default: return 1;
	}
}

/* Operands of what computes; what others read, such as loops their bounds, is not counted. */
static void reads_count(const struct lane_maker *make, const struct aie_ins *in)
{
	const unsigned read = reads(in->code);
	bool store;
	enum aie_lane_kind kind;
	uint32_t bytes;

	if (aie_lane_element(in->code, &store, &kind, &bytes)) {
		if (store)
			register_of(make, in->d)->reads++;
		return;
	}
	register_of(make, in->a)->reads++;
	if (read & 2)
		register_of(make, in->b)->reads++;
	if (read & 4)
		register_of(make, in->c)->reads++;
}

static void roles_find(struct lane_maker *make, uint32_t head, uint32_t next)
{
	const struct aie_ins *code = make->body->code_rows;
	uint32_t loops = 1;

	for (uint32_t i = head + 1; i < next; i++) {
		if (code[i].code != AIE_CODE_STEP && code[i].code != AIE_CODE_FOR && code[i].code != AIE_CODE_NEXT && code[i].code != AIE_CODE_NONZERO)
			reads_count(make, &code[i]);
		if (writes(&code[i]))
			register_of(make, code[i].d)->role = code[i].code == AIE_CODE_FOR ? LOOP + loops++ : VARIES;
	}
	register_of(make, code[head].d)->role = LOOP;
}

static struct aie_lane_loop *loop_of(const struct lane_maker *make, uint32_t number)
{
	return &make->body->lane_loop_rows[make->lanes.loop + number];
}

/* Of what an instruction reads or gives. */
static uint32_t column_of(struct lane_maker *make, uint32_t reg)
{
	struct aie_lane_register *row = register_of(make, reg);
	const uint32_t column = row->column ? row->column - 1 : make->column_count;
	struct aie_lane_splat *splat;

	if (row->column)
		return column;
	row->column = ++make->column_count;
	if (row->role >= LOOP) {
		loop_of(make, row->role - LOOP)->column = column;
	} else if (row->role == SAME) {
		splat = ROW(make, lane_splat);
		if (splat)
			*splat = (struct aie_lane_splat){reg, column, kind_of(make, reg)};
	}
	return column;
}

/* ---- instructions ------------------------------------------------------------------------------------------------- */

/* Whether indices are counters of loops around it, or the same in all rounds. */
static bool indices_find(struct lane_maker *make, const struct aie_access *access, struct aie_lane_access *made)
{
	for (uint32_t d = 0; d < access->rank; d++) {
		const uint32_t role = role_of(make, access->at[d]);

		if (role == VARIES)
			return false;
		made->loops[d] = role >= LOOP ? role - LOOP : AIE_NONE;
	}
	return true;
}

static bool element_make(struct lane_maker *make, const struct aie_ins *in, bool store, enum aie_lane_kind kind, uint32_t bytes)
{
	struct aie_lane_access access = {.access = in->c, .memref = in->a, .bytes = bytes, .store = store}, *row;
	struct aie_lane_ins *ins;
	uint32_t column;

	if (role_of(make, in->a) != SAME || kind_of(make, in->d) != kind || (store && make->loop) || !indices_find(make, &make->body->access_rows[in->c], &access))
		return false;
	column = column_of(make, in->d);
	row = ROW(make, lane_access);
	ins = ROW(make, lane_ins);
	if (row && ins) {
		*row = access;
		*ins = (struct aie_lane_ins){.run = aie_lane_move(in->code), .d = column, .b = make->body->lane_access_count - 1 - make->lanes.access};
	}
	return true;
}

/* The instruction before this one, if it makes this register, nobody else reads that, and both are in one loop. */
static struct aie_lane_ins *maker_of(const struct lane_maker *make, uint32_t reg)
{
	const struct aie_lane_register *row = register_of(make, reg);
	struct aie_lane_ins *last;

	if (make->body->lane_ins_count == make->lanes.first || row->role != VARIES || row->reads != 1)
		return NULL;
	last = &make->body->lane_ins_rows[make->body->lane_ins_count - 1];
	return last->run && last->d == row->column - 1 && !aie_lane_stores(last->run) ? last : NULL;
}

/* What is only moved on is made where it goes to; a product that is only added to something is added at once, each of the two rounded. */
static bool joined(struct lane_maker *make, const struct aie_ins *in)
{
	struct aie_lane_ins *last;
	aie_lane_run *run;

	if (in->code == AIE_CODE_MOVE) {
		last = maker_of(make, in->a);
		if (last)
			last->d = column_of(make, in->d);
		return last;
	}
	last = maker_of(make, in->b);
	run = last && in->a != in->b ? aie_lane_join(last->run, in->code) : NULL;
	if (!run)
		return false;
	last->run = run;
	last->c = column_of(make, in->a);
	last->d = column_of(make, in->d);
	return true;
}

static bool number_make(struct lane_maker *make, const struct aie_ins *in)
{
	const unsigned read = reads(in->code);
	struct aie_lane_ins made = {.run = NULL}, *ins;

	if (in->code == AIE_CODE_MOVE && !make->maker->kinds[in->d])
		make->maker->kinds[in->d] = make->maker->kinds[in->a];
	if (!kind_of(make, in->d) || !kind_of(make, in->a))
		return false;
	made.run = aie_lane_find(in, kind_of(make, in->d), kind_of(make, in->a), &made.shift);
	if (!made.run)
		return false;
	if ((in->code == AIE_CODE_MOVE || read == 3) && joined(make, in))
		return true;
	made.a = column_of(make, in->a);
	made.b = read & 2 ? column_of(make, in->b) : 0;
	made.c = read & 4 ? column_of(make, in->c) : 0;
	made.d = column_of(make, in->d);
	ins = ROW(make, lane_ins);
	if (ins)
		*ins = made;
	return true;
}

/* ---- loops within a round ----------------------------------------------------------------------------------------- */

static struct aie_lane_loop *loop_add(struct lane_maker *make, const struct aie_ins *head, const struct aie_ins *next, uint32_t parent, uint32_t depth)
{
	struct aie_lane_loop *loop = ROW(make, lane_loop);

	if (loop)
		*loop = (struct aie_lane_loop){.counter = head->d, .from = head->a, .to = head->b, .step = next->a, .parent = parent, .depth = depth, .column = AIE_NONE,
					       .kind = kind_of(make, head->d), .cost = next->cost, .count = 1};
	return loop;
}

static bool same(const struct lane_maker *make, const struct aie_ins *head, const struct aie_ins *next)
{
	return role_of(make, head->a) == SAME && role_of(make, head->b) == SAME && role_of(make, next->a) == SAME && kind_of(make, head->d);
}

static bool loop_begin(struct lane_maker *make, const struct aie_ins *in)
{
	const struct aie_ins *next = &make->body->code_rows[in->c - 1];
	const uint32_t parent = make->loop, depth = parent ? loop_of(make, parent)->depth + 1 : 0;
	struct aie_lane_ins *ins;

	if (depth == AIE_LANES_DEPTH || !same(make, in, next) || !loop_add(make, in, next, parent, depth))
		return false;
	make->loop = make->body->lane_loop_count - 1 - make->lanes.loop;
	ins = ROW(make, lane_ins);
	if (ins)
		*ins = (struct aie_lane_ins){.a = make->loop};
	return true;
}

static bool loop_end(struct lane_maker *make)
{
	const uint32_t end = make->body->lane_ins_count - make->lanes.first;
	struct aie_lane_ins *ins = ROW(make, lane_ins), *rows = make->body->lane_ins_rows + make->lanes.first;
	uint32_t begin = end;

	if (!ins)
		return true;
	while (rows[--begin].run || rows[begin].d || rows[begin].a != make->loop)
		;
	*ins = (struct aie_lane_ins){.d = 1, .a = make->loop, .b = begin + 1};
	rows[begin].b = end + 1;
	make->loop = loop_of(make, make->loop)->parent;
	return true;
}

static bool divisor_add(struct lane_maker *make, const struct aie_ins *in)
{
	uint32_t *row;

	if (role_of(make, in->a) != SAME)
		return false;
	row = ROW(make, divisor);
	if (row)
		*row = in->a;
	return true;
}

static bool ins_make(struct lane_maker *make, const struct aie_ins *in)
{
	struct aie_lane_loop *loop = loop_of(make, make->loop);
	enum aie_lane_kind kind;
	uint32_t bytes;
	bool store;

	if (in->code != AIE_CODE_NEXT) {
		loop->cost += in->cost;
		loop->count++;
	}
	switch (in->code) {
	case AIE_CODE_STEP: return true; /* looked at when the rounds begin */
	case AIE_CODE_NONZERO: return divisor_add(make, in);
	case AIE_CODE_FOR: return loop_begin(make, in);
	case AIE_CODE_NEXT: return loop_end(make);
	default: return aie_lane_element(in->code, &store, &kind, &bytes) ? element_make(make, in, store, kind, bytes) : number_make(make, in);
	}
}

/* ---- a loop ------------------------------------------------------------------------------------------------------- */

static bool all_make(struct lane_maker *make, uint32_t head, uint32_t next)
{
	const struct aie_ins *code = make->body->code_rows;

	roles_find(make, head, next);
	if (!same(make, &code[head], &code[next]) || !loop_add(make, &code[head], &code[next], 0, 0))
		return false;
	for (uint32_t i = head + 1; i < next; i++)
		if (!ins_make(make, &code[i]) || make->failed)
			return false;
	return true;
}

/* What was made of a loop that cannot be run so. */
static void unmake(struct aie_body *body, const struct aie_lanes *lanes)
{
	body->lane_ins_count = lanes->first;
	body->lane_access_count = lanes->access;
	body->lane_loop_count = lanes->loop;
	body->lane_splat_count = lanes->splat;
	body->divisor_count = lanes->divisor;
}

static void take(struct lane_maker *make, uint32_t head)
{
	struct aie_body *body = make->body;
	struct aie_lanes *row = ROW(make, lanes);

	if (!row)
		return;
	make->lanes.count = body->lane_ins_count - make->lanes.first;
	make->lanes.access_count = body->lane_access_count - make->lanes.access;
	make->lanes.loop_count = body->lane_loop_count - make->lanes.loop;
	make->lanes.splat_count = body->lane_splat_count - make->lanes.splat;
	make->lanes.divisor_count = body->divisor_count - make->lanes.divisor;
	*row = make->lanes;
	body->column_count = make->column_count > body->column_count ? make->column_count : body->column_count;
	body->code_rows[head - 1].b = body->lanes_count;
}

ptowsp_status aie_body_lanes(struct aie_body_maker *maker, uint32_t head, uint32_t next)
{
	struct aie_body *body = maker->body;
	struct lane_maker make = {.maker = maker, .body = body,
				  .lanes = {.first = body->lane_ins_count, .access = body->lane_access_count, .loop = body->lane_loop_count, .splat = body->lane_splat_count,
					    .divisor = body->divisor_count}};

	if (body->outside->plain || maker->frame > maker->kind_room || maker->frame > maker->lane_register_room)
		return PTOWSP_OK;
	maker->lane_loops++;
	if (all_make(&make, head, next))
		take(&make, head);
	else
		unmake(body, &make.lanes);
	return make.failed ? aie_body_no_memory(maker) : PTOWSP_OK;
}
