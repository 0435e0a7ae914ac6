/* SPDX-License-Identifier: MIT */
/* json_work.c - the WORK section as a list of [mnemonic, operand1, operand2] and its three row tables. */
#include "format/json/json_rows.h"

#include "ptowsp/workload.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Two operands read better in another form: two halves, and a signed number. */
static bool is_pair(uint32_t opcode)
{
	return opcode == PTOWSP_OP_TASK;
}

static int is_signed(uint32_t opcode)
{
	return opcode == PTOWSP_OP_PARAM_CONST;
}

/* How many operands an opcode has: all that exist are written, even zeros. */
static int operand_count(uint32_t opcode)
{
	if (!pkg_word(PKG_WORDS_opcode, opcode))
		return 2;
	return *pkg_operand(opcode, 1) ? 2 : *pkg_operand(opcode, 0) ? 1 : 0;
}

static json_t *operand2_write(const struct ptowsp_instruction *i)
{
	if (is_pair(i->opcode))
		return json_pack("[i, i]", (int)(i->operand2 >> 16), (int)(i->operand2 & 0xFFFF));
	if (is_signed(i->opcode))
		return json_integer((int32_t)i->operand2);
	return json_integer(i->operand2);
}

static json_t *instruction_write(const struct ptowsp_instruction *i)
{
	const char *mnemonic = pkg_word(PKG_WORDS_opcode, i->opcode);
	json_t *list = json_array();

	json_array_append_new(list, mnemonic ? json_string(mnemonic) : json_integer(i->opcode));
	if (operand_count(i->opcode) > 0 || i->operand1 || i->operand2 || i->flags)
		json_array_append_new(list, json_integer(i->operand1));
	if (operand_count(i->opcode) > 1 || i->operand2 || i->flags)
		json_array_append_new(list, operand2_write(i));
	if (i->flags)
		json_array_append_new(list, json_integer(i->flags));
	return list;
}

static json_t *rows_write(const uint8_t **at, uint32_t count)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < count; i++, *at += 4) {
		uint32_t row;

		memcpy(&row, *at, sizeof(row));
		json_array_append_new(list, json_integer(row));
	}
	return list;
}

json_t *pkg_json_work(const struct pkg_tables *tables)
{
	json_t *object = json_object(), *instructions = json_array();
	struct ptowsp_workload_header header;
	const uint8_t *at = tables->raw_work + sizeof(header);

	memcpy(&header, tables->raw_work, sizeof(header));
	for (uint32_t i = 0; i < header.num_instructions; i++, at += 8) {
		struct ptowsp_instruction instruction;

		memcpy(&instruction, at, sizeof(instruction));
		json_array_append_new(instructions, instruction_write(&instruction));
	}
	json_object_set_new(object, "axes", rows_write(&at, header.num_axes));
	json_object_set_new(object, "kernels", rows_write(&at, header.num_kernels));
	json_object_set_new(object, "tensors", rows_write(&at, header.num_tensors));
	json_object_set_new(object, "instructions", instructions);
	return object;
}

static ptowsp_status opcode_read(struct pkg_json_reader *reader, const json_t *json, struct ptowsp_instruction *i)
{
	uint64_t value = 0;
	uint32_t code;
	ptowsp_status status;

	if (json_is_string(json)) {
		if (!pkg_word_find(PKG_WORDS_opcode, json_string_value(json), &code))
			return pkg_json_refuse(reader, ": \"%.40s\" is no opcode of the workload bytecode", json_string_value(json));
		i->opcode = (uint8_t)code;
		return PTOWSP_OK;
	}
	status = pkg_json_number_read(reader, json, 1, 0, &value);
	i->opcode = (uint8_t)value;
	return status;
}

static ptowsp_status operand2_read(struct pkg_json_reader *reader, const json_t *json, struct ptowsp_instruction *i)
{
	uint64_t high = 0, low = 0;
	ptowsp_status status;

	if (is_signed(i->opcode) && json_is_integer(json) && json_integer_value(json) < 0) {
		i->operand2 = (uint32_t)json_integer_value(json);
		return json_integer_value(json) >= INT32_MIN ? PTOWSP_OK : pkg_json_refuse(reader, ": operand 2 does not fit 32 bits");
	}
	if (!is_pair(i->opcode) || !json_is_array(json)) {
		status = pkg_json_number_read(reader, json, 4, 0, &low);
		i->operand2 = (uint32_t)low;
		return status;
	}
	if (json_array_size(json) != 2)
		return pkg_json_refuse(reader, ": operand 2 of task is [arguments, tensors]");
	status = pkg_json_number_read(reader, json_array_get(json, 0), 2, 0, &high);
	if (!status)
		status = pkg_json_number_read(reader, json_array_get(json, 1), 2, 0, &low);
	i->operand2 = (uint32_t)(high << 16 | low);
	return status;
}

static ptowsp_status instruction_read(struct pkg_json_reader *reader, const json_t *list, struct ptowsp_instruction *i)
{
	size_t size = json_array_size(list);
	uint64_t value = 0;
	ptowsp_status status;

	if (size < 1 || size > 4)
		return pkg_json_refuse(reader, " must be a list [mnemonic, operand1, operand2]");
	status = opcode_read(reader, json_array_get(list, 0), i);
	if (!status && size > 1)
		status = pkg_json_number_read(reader, json_array_get(list, 1), 2, 0, &value);
	i->operand1 = (uint16_t)value;
	if (!status && size > 2)
		status = operand2_read(reader, json_array_get(list, 2), i);
	value = 0;
	if (!status && size > 3)
		status = pkg_json_number_read(reader, json_array_get(list, 3), 1, 0, &value);
	i->flags = (uint8_t)value;
	return status;
}

/* The section being put together; `at` runs through it. */
struct work {
	struct ptowsp_workload_header header;
	uint8_t *bytes, *at;
	size_t size;
};

static ptowsp_status instructions_read(struct pkg_json_reader *reader, const json_t *list, struct work *work)
{
	ptowsp_status status = PTOWSP_OK;

	reader->section = "WORK.instructions";
	reader->key = NULL;
	for (size_t i = 0; i < json_array_size(list) && !status; i++, work->at += 8) {
		struct ptowsp_instruction instruction = {0};

		reader->row = i;
		status = instruction_read(reader, json_array_get(list, i), &instruction);
		memcpy(work->at, &instruction, sizeof(instruction));
	}
	return status;
}

static ptowsp_status rows_read(struct pkg_json_reader *reader, const json_t *list, const char *where, uint32_t type, struct work *work)
{
	ptowsp_status status = PTOWSP_OK;

	reader->section = where;
	for (size_t i = 0; i < json_array_size(list) && !status; i++, work->at += 4) {
		uint64_t value = 0;
		uint32_t row;

		reader->row = i;
		status = pkg_json_reference_read(reader, json_array_get(list, i), pkg_schema_find(type), &value);
		row = (uint32_t)value;
		memcpy(work->at, &row, sizeof(row));
	}
	return status;
}

static ptowsp_status work_allocate(struct pkg_json_reader *reader, const json_t *const lists[4], const char *const keys[4], struct work *work)
{
	uint32_t *const counts[4] = {&work->header.num_instructions, &work->header.num_axes, &work->header.num_kernels, &work->header.num_tensors};

	work->header.magic = PTOWSP_WORKLOAD_MAGIC;
	work->header.version = PTOWSP_WORKLOAD_VERSION;
	work->size = sizeof(work->header);
	for (int i = 0; i < 4; i++) {
		reader->key = keys[i];
		if (lists[i] && (!json_is_array(lists[i]) || json_array_size(lists[i]) > UINT32_MAX / 8))
			return pkg_json_refuse(reader, " must be a list");
		*counts[i] = (uint32_t)json_array_size(lists[i]);
		work->size += (size_t)*counts[i] * (i ? 4 : 8);
	}
	work->bytes = malloc(work->size);
	if (!work->bytes)
		return pkg_fail(reader->place.error, PTOWSP_NO_MEMORY, "%s: out of memory", reader->place.file);
	memcpy(work->bytes, &work->header, sizeof(work->header));
	work->at = work->bytes + sizeof(work->header);
	return PTOWSP_OK;
}

ptowsp_status pkg_json_work_read(struct pkg_json_reader *reader, const json_t *object)
{
	static const char *const keys[] = {"instructions", "axes", "kernels", "tensors", NULL};
	static const char *const places[] = {"", "WORK.axes", "WORK.kernels", "WORK.tensors"};
	static const uint32_t types[] = {0, PTOWSP_SECTION_AXES, PTOWSP_SECTION_KREG, PTOWSP_SECTION_TENS};
	const json_t *lists[4];
	struct work work = {0};
	ptowsp_status status;

	if (!json_is_object(object))
		return pkg_json_refuse(reader, " must be an object");
	status = pkg_json_keys_check(reader, object, keys);
	for (int i = 0; i < 4; i++)
		lists[i] = json_object_get(object, keys[i]);
	if (!status)
		status = work_allocate(reader, lists, keys, &work);
	if (!status)
		status = instructions_read(reader, lists[0], &work);
	for (int i = 1; i < 4 && !status; i++)
		status = rows_read(reader, lists[i], places[i], types[i], &work);
	if (!status)
		pkg_writer_bytes(reader->writer, PTOWSP_SECTION_WORK, work.bytes, work.size, 8);
	free(work.bytes);
	return status;
}
