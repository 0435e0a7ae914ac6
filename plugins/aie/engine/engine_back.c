/* SPDX-License-Identifier: MIT */
/* engine_back.c - the text of a map is read back, given its channels, checked and routed. */
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <string.h>

#include "aie/design/aie_check.h"
#include "aie/design/check_parts.h"
#include "aie/engine/aie_engine_own.h"
#include "base/error.h"
#include "rt/program/rt_program.h"

struct origin_args {
	const struct aie_map *map;
	const struct aie_design *design; /* read from its text, as far as it was */
	const struct base_kernels *kernels;
	struct base_sections *sections; /* of the package: where kernels stand in its source */
	const char *(*tensor_name)(const void *context, uint32_t tensor);
	const void *context;
};

struct origin {
	uint32_t act, tensor; /* AIE_NOTHING: not known */
};

/* ---- an operation --------------------------------------------------------------------------------------------------------- */

static struct origin job_origin(const struct aie_map *map, const struct aie_job *job)
{
	return (struct origin){job->act, job->area == AIE_NOTHING ? AIE_NOTHING : map->acts.areas.rows[job->area].tensor};
}

/* The first call of a cell. */
static struct origin cell_origin(const struct aie_map *map, uint32_t cell)
{
	const struct aie_lines *lines = cell < map->graph.cell_count ? &map->graph.cells[cell] : NULL;

	for (uint32_t l = 0; lines && l < lines->count; l++)
		if (lines->lines[l].kind == AIE_LINE_CALL)
			return (struct origin){lines->lines[l].act, AIE_NOTHING};
	return (struct origin){AIE_NOTHING, AIE_NOTHING};
}

/* The first move of the host, or who makes what goes through it. */
static struct origin stream_origin(const struct aie_map *map, uint32_t stream)
{
	for (uint32_t j = 0; j < map->graph.job_count; j++)
		if (map->graph.jobs[j].stream == stream)
			return job_origin(map, &map->graph.jobs[j]);
	return cell_origin(map, map->graph.streams[stream].from);
}

static struct origin step_origin(const struct aie_map *map, uint32_t step)
{
	const struct aie_order_step *row = &map->order.steps[map->lowered.steps[step]];

	return row->waits ? stream_origin(map, row->number) : job_origin(map, &map->graph.jobs[row->number]);
}

/* A design has its parts in the order of its text, and its map: steps, fifos of streams, cores of cells. */
static struct origin line_origin(const struct aie_map *map, const struct aie_design *design, unsigned line)
{
	for (uint32_t i = 0; i < design->step_count && i < map->lowered.step_count; i++)
		if (design->steps[i].op->line == line)
			return step_origin(map, i);
	for (uint32_t f = 0; f < design->fifo_count && f < map->graph.stream_count; f++)
		if (design->fifos[f].op->line == line)
			return stream_origin(map, f);
	for (uint32_t c = 0; c < design->core_count; c++)
		if (design->tiles[design->cores[c].tile].op->line == line)
			return cell_origin(map, c);
	for (uint32_t c = design->core_count; c-- > 0;)
		if (design->cores[c].op->line <= line)
			return cell_origin(map, c);
	return (struct origin){AIE_NOTHING, AIE_NOTHING};
}

/* ---- in words ------------------------------------------------------------------------------------------------------------- */

/* The sentence behind its place, and behind the operation that it is about; NULL: it begins with no place. */
static const char *behind_place(const char *text, unsigned *line_out)
{
	unsigned column;
	int length = 0, word = 0;

	if (sscanf(text, "line %u: %n", line_out, &length) == 1 && length)
		return text + length;
	if (sscanf(text, "%u:%u: %n", line_out, &column, &length) != 2 || !length)
		return NULL;
	text += length;
	sscanf(text, "%*s%n", &word);
	return word > 1 && text[word - 1] == ':' ? text + word + (text[word] == ' ') : text;
}

/* "tensor a: "; empty without one. */
static void tensor_put(char *text, size_t size, const struct origin_args *args, uint32_t tensor)
{
	*text = 0;
	if (tensor != AIE_NOTHING)
		snprintf(text, size, "tensor %.40s: ", args->tensor_name(args->context, tensor));
}

/* The part of a sentence that is told: of one about memory the sums alone, as names of stretches are those of a text that nobody wrote. */
static int length_of(const char *said, bool *memory_out)
{
	const char *names = strstr(said, " bytes of memory, of ") ? strstr(said, "; most for ") : NULL;

	*memory_out = names;
	return names ? (int)(names - said) : 110;
}

static ptowsp_status unplaced(struct ptowsp_error *error, ptowsp_status status, const char *tensor, const char *said)
{
	bool memory;
	const int length = length_of(said, &memory);

	return base_fail(error, status, "the design for it does not hold: %s%.*s; use %s--opt clock=reference", tensor, length, said,
			 memory ? "smaller tiles (ONNX: --tiles) or " : "");
}

/* Nobody typed the text, so the program is not at fault where it cannot be read. */
static ptowsp_status unread(struct ptowsp_error *error, const char *said)
{
	return base_fail(error, PTOWSP_UNSUPPORTED,
			 "a defect of aie, not of this program: the text of its design is refused, %.120s; please report it, and use --opt clock=reference",
			 said);
}

/* A place in the text of the map at the beginning of an error ("18:7: aie.tile: ..." or "line 18: ...") becomes "task 3, kernel gemm (gemm.pto:12), tensor a: ...",
 * as much as is known of it, and task and kernel are those of the error. INVALID becomes UNSUPPORTED: nobody typed that text, and what is wrong with it no design of this backend can say.
 * The status of the error. */
static ptowsp_status origin_say(struct ptowsp_error *error, const struct origin_args *args)
{
	const struct ptowsp_error found = *error;
	const ptowsp_status status = found.code == PTOWSP_INVALID ? PTOWSP_UNSUPPORTED : found.code;
	const struct aie_acts *acts = &args->map->acts;
	const struct base_kernel *kernel = NULL;
	const struct aie_act *act;
	unsigned line = 0;
	const char *said = behind_place(found.text, &line);
	const struct origin origin = said ? line_origin(args->map, args->design, line) : (struct origin){AIE_NOTHING, AIE_NOTHING};
	char tensor[60], place[80];
	uint32_t whole;
	uint64_t task;
	bool memory;
	int length;

	tensor_put(tensor, sizeof(tensor), args, origin.tensor);
	act = origin.act == AIE_NOTHING ? NULL : &acts->rows[origin.act];
	whole = act ? aie_divided_kernel(&args->map->divided, act->kernel) : 0;
	if (act && act->kind == AIE_ACT_CALL && whole < args->kernels->count)
		kernel = &args->kernels->rows[whole];
	if (!said)
		return status == found.code ? status : unplaced(error, status, "", found.text);
	if (!kernel)
		return unplaced(error, status, tensor, said);
	task = acts->first + aie_divided_task(&args->map->divided, act->task);
	base_sections_place(args->sections, whole, place, sizeof(place));
	length = length_of(said, &memory);
	return rt_fail_at(error, status, task, whole, "task %llu, kernel %.40s%s%s%s, %s%.*s; use %s--opt clock=reference", (unsigned long long)task,
			  kernel->name, *place ? " (" : "", place, *place ? ")" : "", tensor, length, said, memory ? "smaller tiles (ONNX: --tiles) or " : "");
}

/* The ring that would be refused if order.h had not run it with bounded buffers: for people. */
static ptowsp_status ring_find(struct aie_back *back, struct ptowsp_error *error)
{
	struct ptowsp_error found = {.head = PTOWSP_HEAD(found, ERROR)};
	ptowsp_status status = aie_check_streams(&back->design, &found);

	if (status == PTOWSP_UNSUPPORTED)
		base_text(back->ring, sizeof(back->ring), "%s", found.text);
	else if (status)
		*error = found;
	return status == PTOWSP_UNSUPPORTED ? PTOWSP_OK : status;
}

/* The package, where it has a name, and what the array is. */
static void title_make(struct aie_back *back, const struct aie_loaded *loaded)
{
	const char *name = base_sections_name(&loaded->sections);

	base_text(back->title, sizeof(back->title), "%.100s%s%.120s", name, *name ? ": " : "", back->design.arch->text);
}

static ptowsp_status read_all(struct aie_back *back, const struct aie_loaded *loaded, struct ptowsp_error *error)
{
	const struct aie_flow *flows;
	const uint32_t *fifos;
	uint32_t count;
	const struct aie_map *map = &loaded->map;
	struct base_patience *patience = map->acts.patience;
	ptowsp_status status = base_patience_check(patience, error);

	if (!status)
		status = aie_design_read(&back->design, &back->module, error);
	if (!status)
		status = base_patience_check(patience, error);
	if (!status)
		status = aie_channels_assign(&back->channels, &back->design, error);
	if (!status)
		status = aie_check(&back->design, true, error);
	if (!status)
		status = ring_find(back, error);
	if (!status)
		status = base_patience_check(patience, error);
	if (status)
		return status;
	aie_design_flows(&back->channels, &flows, &fifos, &count);
	status = aie_route(back->design.arch, flows, count, &back->routes, error);
	if (!status)
		status = aie_check_routes(&back->design, &back->channels, &back->routes, error);
	title_make(back, loaded);
	if (!status)
		status = aie_picture_of_design(&back->drawn, &back->design, &back->channels, &back->routes, back->title, error);
	memcpy(back->drawn.picture.grid, map->grid, sizeof(map->grid));
	return status;
}

static const char *tensor_name(const void *context, uint32_t tensor)
{
	return rt_tensor_name(context, tensor);
}

ptowsp_status aie_back_read(struct aie_back *back, struct aie_loaded *loaded, struct ptowsp_error *error)
{
	const struct origin_args origins = {&loaded->map, &back->design, &loaded->program->kernels, &loaded->sections, tensor_name, loaded->planned};
	struct ptowsp_error found = {.head = PTOWSP_HEAD(found, ERROR)};
	const size_t length = strlen(loaded->map.text);
	ptowsp_status status = aie_module_read(&back->module, loaded->map.text, length, &found);

	if (status == PTOWSP_INVALID && length <= AIE_READ_BYTES)
		return unread(error, found.text);
	if (!status)
		status = read_all(back, loaded, &found);
	if (status) {
		status = origin_say(&found, &origins);
		*error = found;
	}
	return status;
}

#define TOLD_MOST 4u

/* "(0,2) (1,2)" of the core tiles whose memory is used alike, which are not told before; how many they are. */
static uint32_t tiles_alike(const struct aie_back *back, const char *memory, bool *told, char *names, size_t size)
{
	uint32_t count = 0;

	*names = '\0';
	for (uint32_t t = 0; t < back->design.tile_count; t++) {
		const struct aie_tile *tile = &back->design.tiles[t];
		const size_t length = strlen(names);
		char own[96];

		aie_channels_memory(&back->channels, t, own, sizeof(own));
		if (tile->kind != AIE_CORE || told[t] || strcmp(own, memory) != 0)
			continue;
		told[t] = true;
		count++;
		base_text(names + length, size - length, "%s(%d,%d)", length ? " " : "", (int)tile->column, (int)tile->row);
	}
	return count;
}

/* The core tile with the most memory in use that is not told yet; tile_count: none. */
static uint32_t fullest(const struct aie_back *back, const bool *told)
{
	uint32_t most = back->design.tile_count;

	for (uint32_t t = 0; t < back->design.tile_count; t++)
		if (!told[t] && back->design.tiles[t].kind == AIE_CORE &&
		    (most == back->design.tile_count || back->channels.used[t][AIE_MEMORY] > back->channels.used[most][AIE_MEMORY]))
			most = t;
	return most;
}

/* ", kernel gemm" of the core's first call, "" where it has none. */
static void kernel_put(const struct aie_back *back, const struct aie_loaded *loaded, uint32_t tile, char *text, size_t size)
{
	const uint32_t core = aie_design_core(&back->design, tile);
	const struct origin origin = core == AIE_NONE ? (struct origin){AIE_NOTHING, AIE_NOTHING} : cell_origin(&loaded->map, core);
	const struct aie_act *act = origin.act == AIE_NOTHING ? NULL : &loaded->map.acts.rows[origin.act];
	const uint32_t whole = act ? aie_divided_kernel(&loaded->map.divided, act->kernel) : 0;

	*text = '\0';
	if (act && act->kind == AIE_ACT_CALL && whole < loaded->program->kernels.count)
		base_text(text, size, ", kernel %.40s", loaded->program->kernels.rows[whole].name);
}

/* The fullest few, as all that an array has would be cut. Only a core's memory has a stack, so those beside cores are told apart. */
void aie_back_tell(const struct aie_back *back, const struct aie_loaded *loaded)
{
	const struct ptowsp_host *host = loaded->planned->host;
	const uint64_t limit = aie_arch_core_bytes(loaded->arch);
	bool told[AIE_COLUMNS_MAX * AIE_ROWS] = {false};
	char text[1300] = "", rest[32];
	uint32_t t, left = 0;

	for (uint32_t line = 0; line < TOLD_MOST && (t = fullest(back, told)) < back->design.tile_count; line++) {
		const size_t length = strlen(text);
		char memory[96], names[200], kernel[60];
		uint32_t count;

		aie_channels_memory(&back->channels, t, memory, sizeof(memory));
		kernel_put(back, loaded, t, kernel, sizeof(kernel));
		count = tiles_alike(back, memory, told, names, sizeof(names));
		base_text(text + length, sizeof(text) - length, "%s%u %s%s %llu of %llu bytes of memory%s, %s: %s%s", length ? "; " : "", count,
			  aie_design_core(&back->design, t) == AIE_NONE ? "idle tile" : "core", count == 1 ? " uses" : "s use",
			  (unsigned long long)back->channels.used[t][AIE_MEMORY], (unsigned long long)limit, count == 1 ? "" : " each", memory, names, kernel);
	}
	for (; (t = fullest(back, told)) < back->design.tile_count; left++)
		told[t] = true;
	base_text(rest, sizeof(rest), "; %u more use less", left);
	base_text(text + strlen(text), sizeof(text) - strlen(text), "%s", left ? rest : "");
	if (*text && host && host->diagnose)
		host->diagnose(host->context, PTOWSP_FEATURE_HIGH_WATER, PTOWSP_STATE_DIAGNOSED, text, strlen(text));
}

void aie_back_finish(struct aie_back *back)
{
	aie_picture_design_finish(&back->drawn);
	aie_routes_finish(&back->routes);
	aie_channels_finish(&back->channels);
	aie_design_finish(&back->design);
	aie_module_finish(&back->module);
}
