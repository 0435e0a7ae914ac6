/* SPDX-License-Identifier: MIT */
#include "builder_deps.h"

#include <stdlib.h>
#include <string.h>

namespace {
struct Node { /* a piece, or a reader of one */
	uint64_t from, to; /* reader: from is the task */
	uint64_t writer;   /* + 1, 0: nobody */
	Node *readers, *next;
};
} // namespace

struct BuilderTracker {
	Node *pool, *spare;
	Node **pieces; /* by tensor, sorted, disjoint */
	Node **hints;  /* by tensor: a piece near the latest access */
	uint64_t room, used;
	uint32_t tensors;
};

BuilderTracker *tracker_create(uint32_t tensors, uint32_t pieces)
{
	BuilderTracker *t = (BuilderTracker *)calloc(1, sizeof(*t));

	if (!t)
		return nullptr;
	t->tensors = tensors;
	t->room = pieces;
	t->pool = (Node *)calloc((size_t)pieces + 1, sizeof(*t->pool));
	t->pieces = (Node **)calloc((size_t)tensors + 1, sizeof(*t->pieces));
	t->hints = (Node **)calloc((size_t)tensors + 1, sizeof(*t->hints));
	if (t->pool && t->pieces && t->hints)
		return t;
	tracker_destroy(t);
	return nullptr;
}

void tracker_destroy(BuilderTracker *t)
{
	if (!t)
		return;
	free(t->pool);
	free(t->pieces);
	free(t->hints);
	free(t);
}

void tracker_clear(BuilderTracker *t)
{
	memset(t->pieces, 0, sizeof(*t->pieces) * t->tensors);
	memset(t->hints, 0, sizeof(*t->hints) * t->tensors);
	t->used = 0;
	t->spare = nullptr;
}

bool tracker_fits(const BuilderTracker *t, uint64_t pieces)
{
	return pieces < t->room / 8 && t->used + 8 * pieces <= t->room;
}

static Node *node_make(BuilderTracker *t)
{
	Node *node = t->spare;

	if (node) {
		t->spare = node->next;
		return node;
	}
	return t->used < t->room ? &t->pool[t->used++] : nullptr;
}

static void readers_drop(BuilderTracker *t, Node *piece)
{
	while (piece->readers) {
		Node *reader = piece->readers;

		piece->readers = reader->next;
		reader->next = t->spare;
		t->spare = reader;
	}
}

static void reader_add(BuilderTracker *t, Node *piece, uint64_t task)
{
	Node *reader;

	if (piece->readers && piece->readers->from == task)
		return;
	reader = node_make(t);
	if (!reader)
		return; /* tracker_fits has been asked */
	reader->from = task;
	reader->next = piece->readers;
	piece->readers = reader;
}

/* Where the first piece hangs that ends behind `from`. */
static Node **place_of(BuilderTracker *t, uint32_t tensor, uint64_t from)
{
	Node **at = &t->pieces[tensor], *hint = t->hints[tensor];

	if (hint && hint->to <= from)
		at = &hint->next;
	while (*at && (*at)->to <= from) {
		t->hints[tensor] = *at;
		at = &(*at)->next;
	}
	return at;
}

static Node *piece_make(BuilderTracker *t, Node **at, uint64_t from, uint64_t to)
{
	Node *piece = node_make(t);

	if (!piece)
		return nullptr;
	*piece = Node{from, to, 0, nullptr, *at};
	*at = piece;
	return piece;
}

/* Cuts the piece at `where`, which lies inside it; the readers of both are those of the whole. */
static void piece_cut(BuilderTracker *t, Node *piece, uint64_t where)
{
	Node *rest = piece_make(t, &piece->next, where, piece->to);

	if (!rest)
		return;
	rest->writer = piece->writer;
	for (Node *reader = piece->readers; reader; reader = reader->next)
		reader_add(t, rest, reader->from);
	piece->to = where;
}

/* The piece that begins at `from` and ends at `to` or before, made or cut out. */
static Node *piece_at(BuilderTracker *t, Node **at, uint64_t from, uint64_t to)
{
	if (!*at || (*at)->from >= to)
		return piece_make(t, at, from, to);
	if ((*at)->from > from)
		return piece_make(t, at, from, (*at)->from);
	if ((*at)->from < from) {
		piece_cut(t, *at, from);
		at = &(*at)->next;
	}
	if (*at && (*at)->to > to)
		piece_cut(t, *at, to);
	return *at;
}

void tracker_read(BuilderTracker *t, uint32_t tensor, uint64_t from, uint64_t to, uint64_t task, tracker_found found, void *context)
{
	while (from < to) {
		Node *piece = piece_at(t, place_of(t, tensor, from), from, to);

		if (!piece)
			return;
		if (piece->writer && piece->writer - 1 != task)
			found(context, piece->writer - 1);
		reader_add(t, piece, task);
		from = piece->to;
	}
}

void tracker_write(BuilderTracker *t, uint32_t tensor, uint64_t from, uint64_t to, uint64_t task, bool full, tracker_found found, void *context)
{
	while (from < to) {
		Node *piece = piece_at(t, place_of(t, tensor, from), from, to);

		if (!piece)
			return;
		if (full && piece->writer && piece->writer - 1 != task)
			found(context, piece->writer - 1);
		for (Node *reader = piece->readers; full && reader; reader = reader->next)
			if (reader->from != task)
				found(context, reader->from);
		readers_drop(t, piece);
		piece->writer = task + 1;
		from = piece->to;
	}
}

void tracker_look(const BuilderTracker *t, uint32_t tensor, uint64_t from, uint64_t to, bool readers, tracker_found found, void *context)
{
	for (const Node *piece = t->pieces[tensor]; piece && piece->from < to; piece = piece->next) {
		if (piece->to <= from)
			continue;
		if (piece->writer)
			found(context, piece->writer - 1);
		for (const Node *reader = piece->readers; readers && reader; reader = reader->next)
			found(context, reader->from);
	}
}
