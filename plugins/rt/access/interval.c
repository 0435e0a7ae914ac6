/* SPDX-License-Identifier: MIT */
#include "rt/access/interval.h"
#include "registry/common/common_grow.h"
#include "registry/common/common_hash.h"

#include <stdlib.h>
#include <string.h>

/* ---- storage --------------------------------------------------------------------------------------------------- */

bool rt_intervals_init(struct rt_intervals *set, uint32_t tensors)
{
	memset(set, 0, sizeof(*set));
	set->tensors = tensors;
	set->room = 32;
	set->mask = set->room * 4 - 1;
	set->nodes = calloc(set->room, sizeof(*set->nodes));
	set->roots = malloc(((size_t)tensors + 1) * sizeof(*set->roots));
	set->table = calloc((size_t)set->mask + 1, sizeof(*set->table));
	set->spare = malloc(set->room * sizeof(*set->spare));
	if (!set->nodes || !set->roots || !set->table || !set->spare)
		return false;
	memset(set->roots, 0xFF, ((size_t)tensors + 1) * sizeof(*set->roots));
	for (uint32_t i = set->room; i > 0; i--)
		set->spare[set->spare_count++] = i - 1;
	return true;
}

void rt_intervals_finish(struct rt_intervals *set)
{
	free(set->nodes);
	free(set->roots);
	free(set->table);
	free(set->spare);
	memset(set, 0, sizeof(*set));
}

static uint32_t hash(const struct rt_intervals *set, uint32_t tensor, int64_t start, int64_t end)
{
	return (uint32_t)(common_hash(common_hash(common_hash(0, tensor), (uint64_t)start), (uint64_t)end) >> 32) & set->mask;
}

static uint32_t place(const struct rt_intervals *set, uint32_t tensor, int64_t start, int64_t end)
{
	uint32_t at = hash(set, tensor, start, end);

	while (set->table[at]) {
		const struct rt_interval *node = &set->nodes[set->table[at] - 1];

		if (node->start == start && node->end == end && node->tensor == tensor)
			break;
		at = (at + 1) & set->mask;
	}
	return at;
}

static void table_add(struct rt_intervals *set, uint32_t node)
{
	const struct rt_interval *n = &set->nodes[node];

	set->table[place(set, n->tensor, n->start, n->end)] = node + 1;
}

static void table_drop(struct rt_intervals *set, uint32_t node)
{
	const struct rt_interval *n = &set->nodes[node];
	uint32_t hole = place(set, n->tensor, n->start, n->end), at = hole;

	for (;;) {
		uint32_t home;

		at = (at + 1) & set->mask;
		if (!set->table[at])
			break;
		n = &set->nodes[set->table[at] - 1];
		home = hash(set, n->tensor, n->start, n->end);
		if (((at - home) & set->mask) >= ((at - hole) & set->mask)) {
			set->table[hole] = set->table[at];
			hole = at;
		}
	}
	set->table[hole] = 0;
}

static bool grow(struct rt_intervals *set)
{
	uint32_t room = set->room * 2;
	uint32_t *table;

	if (set->room >= UINT32_C(1) << 27 || !COMMON_RESIZE(set->nodes, room) || !COMMON_RESIZE(set->spare, room))
		return false;
	table = calloc((size_t)room * 4, sizeof(*table));
	if (!table)
		return false;
	memset(set->nodes + set->room, 0, (room - set->room) * sizeof(*set->nodes));
	free(set->table);
	set->table = table;
	set->mask = room * 4 - 1;
	for (uint32_t i = 0; i < set->room; i++)
		if (set->nodes[i].used)
			table_add(set, i);
	for (uint32_t i = room; i > set->room; i--)
		set->spare[set->spare_count++] = i - 1;
	set->room = room;
	return true;
}

/* ---- treap ----------------------------------------------------------------------------------------------------- */

static uint64_t priority(uint32_t node)
{
	return common_mix(node + UINT64_C(1));
}

/* Puts `child` where `node` hung below its parent. */
static void hang(struct rt_intervals *set, uint32_t node, uint32_t child)
{
	uint32_t parent = set->nodes[node].parent;

	if (parent == RT_NO_NODE)
		set->roots[set->nodes[node].tensor] = child;
	else if (set->nodes[parent].left == node)
		set->nodes[parent].left = child;
	else
		set->nodes[parent].right = child;
	if (child != RT_NO_NODE)
		set->nodes[child].parent = parent;
}

/* node moves up over its parent. */
static void rotate(struct rt_intervals *set, uint32_t node)
{
	struct rt_interval *n = &set->nodes[node], *p = &set->nodes[n->parent];
	uint32_t parent = n->parent, inner;

	hang(set, parent, node);
	if (p->left == node) {
		inner = n->right;
		p->left = inner;
		n->right = parent;
	} else {
		inner = n->left;
		p->right = inner;
		n->left = parent;
	}
	p->parent = node;
	if (inner != RT_NO_NODE)
		set->nodes[inner].parent = parent;
}

/* Between two neighbours, which may be none. */
static void line_enter(struct rt_intervals *set, uint32_t node, uint32_t before, uint32_t behind)
{
	set->nodes[node].before = before;
	set->nodes[node].behind = behind;
	if (before != RT_NO_NODE)
		set->nodes[before].behind = node;
	if (behind != RT_NO_NODE)
		set->nodes[behind].before = node;
}

static void line_leave(struct rt_intervals *set, uint32_t node)
{
	const struct rt_interval *n = &set->nodes[node];

	if (n->before != RT_NO_NODE)
		set->nodes[n->before].behind = n->behind;
	if (n->behind != RT_NO_NODE)
		set->nodes[n->behind].before = n->before;
}

static void tree_add(struct rt_intervals *set, uint32_t node)
{
	struct rt_interval *n = &set->nodes[node];
	uint32_t *down = &set->roots[n->tensor], before = RT_NO_NODE, behind = RT_NO_NODE;

	n->left = n->right = n->parent = RT_NO_NODE;
	while (*down != RT_NO_NODE) {
		const bool left = n->start < set->nodes[*down].start;

		n->parent = *down;
		*(left ? &behind : &before) = *down;
		down = left ? &set->nodes[*down].left : &set->nodes[*down].right;
	}
	*down = node;
	line_enter(set, node, before, behind);
	while (n->parent != RT_NO_NODE && priority(node) > priority(n->parent))
		rotate(set, node);
}

static void tree_drop(struct rt_intervals *set, uint32_t node)
{
	struct rt_interval *n = &set->nodes[node];

	line_leave(set, node);
	while (n->left != RT_NO_NODE && n->right != RT_NO_NODE)
		rotate(set, priority(n->left) > priority(n->right) ? n->left : n->right);
	hang(set, node, n->left != RT_NO_NODE ? n->left : n->right);
}

/* ---- what the map uses ----------------------------------------------------------------------------------------- */

uint32_t rt_interval_exact(const struct rt_intervals *set, uint32_t tensor, int64_t start, int64_t end)
{
	return set->table[place(set, tensor, start, end)] - 1; /* 0 - 1: none */
}

uint32_t rt_interval_after(const struct rt_intervals *set, uint32_t tensor, int64_t position)
{
	uint32_t at = set->roots[tensor], found = RT_NO_NODE;

	while (at != RT_NO_NODE) {
		const struct rt_interval *n = &set->nodes[at];

		if (n->end > position) {
			found = at;
			at = n->left;
		} else {
			at = n->right;
		}
	}
	return found;
}

uint32_t rt_interval_insert(struct rt_intervals *set, uint32_t tensor, int64_t start, int64_t end, struct rt_cell cell)
{
	uint32_t node;

	if (!set->spare_count && !grow(set))
		return RT_NO_NODE;
	node = set->spare[--set->spare_count];
	set->nodes[node] = (struct rt_interval){.start = start, .end = end, .cell = cell, .tensor = tensor, .used = true};
	tree_add(set, node);
	table_add(set, node);
	return node;
}

void rt_interval_remove(struct rt_intervals *set, uint32_t node)
{
	table_drop(set, node);
	tree_drop(set, node);
	set->nodes[node].used = false;
	set->spare[set->spare_count++] = node;
}

uint32_t rt_interval_cut(struct rt_intervals *set, uint32_t node, int64_t at)
{
	struct rt_interval *n = &set->nodes[node];
	int64_t end = n->end;

	table_drop(set, node);
	n->end = at;
	table_add(set, node);
	return rt_interval_insert(set, n->tensor, at, end, n->cell);
}

void rt_intervals_sweep(struct rt_intervals *set, const struct rt_track *track, uint32_t steps)
{
	for (uint32_t k = 0; k < steps; k++) {
		uint32_t node = set->hand;

		set->hand = (node + 1) % set->room;
		if (set->nodes[node].used && rt_cell_dead(&set->nodes[node].cell, track))
			rt_interval_remove(set, node);
	}
}
