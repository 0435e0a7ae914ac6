/* SPDX-License-Identifier: MIT
 * test_package_mutants.c - thousands of packages with random damage: each is refused or readable, none crashes or hangs.
 * PTOWSP_SEED=N repeats what a failure printed, PTOWSP_MUTANTS=N changes how many there are per test. */
#include "format/format_seal.h"
#include "format/json/json.h"
#include "tests/check.h"
#include "tests/draw.h"
#include "tests/format/sample.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ptowsp_error error;
static uint64_t state;

static uint64_t number(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static unsigned opened;

/* Opens; what opens must have a JSON form, and that must be read again or refused with a sentence. The JSON form, to be freed,
 * NULL if the package was refused. */
static char *try_package(const void *bytes, size_t size, uint64_t seed)
{
	struct pkg *package = NULL;
	struct pkg_writer *writer;
	char *text = NULL;
	ptowsp_status status = pkg_open_memory(&package, bytes, size, "mutant", NULL, &error);

	if (status) {
		if (status != PTOWSP_BAD_PACKAGE || strncmp(error.text, "mutant: ", 8))
			CHECK_FAIL("seed %" PRIu64 ": status %d: %s", seed, (int)status, error.text);
		return NULL;
	}
	opened++;
	writer = pkg_writer_create();
	status = pkg_to_json(package, &text, &error);
	if (!status)
		status = pkg_from_json(writer, text, strlen(text), "mutant.json", &error);
	if (status && status != PTOWSP_BAD_PACKAGE)
		CHECK_FAIL("seed %" PRIu64 ": status %d: %s", seed, (int)status, error.text);
	pkg_writer_destroy(writer);
	pkg_close(package);
	return text;
}

static void bytes_mutate(uint8_t *bytes, size_t size)
{
	static const uint8_t values[] = {0, 1, 0x7F, 0x80, 0xFF};

	for (uint64_t i = draw(&state, 4) + 1; i > 0 && size; i--) {
		uint8_t *at = &bytes[draw(&state, size)];

		switch (draw(&state, 3)) {
		case 0: *at ^= (uint8_t)(1u << draw(&state, 8)); break;
		case 1: *at = values[draw(&state, sizeof(values))]; break;
		default: *at = (uint8_t)(*at + 1 + draw(&state, 3));
		}
	}
}

/* Runs a mutation many times, each from a seed of its own that a failure names. */
static void mutants_run(void (*mutate)(const uint8_t *good, size_t size, uint64_t seed), uint64_t count)
{
	uint64_t first = number("PTOWSP_SEED", 1);
	size_t size;
	uint8_t *good = sample_seal(&size, &error);

	REQUIRE(good != NULL);
	count = getenv("PTOWSP_SEED") ? 1 : number("PTOWSP_MUTANTS", count);
	printf("# seeds %" PRIu64 " to %" PRIu64 "\n", first, first + count - 1);
	opened = 0;
	for (uint64_t seed = first; seed < first + count; seed++) {
		state = seed;
		mutate(good, size, seed);
	}
	free(good);
}

/* Is it refused with a sentence, if not when it is opened then when its sample data are read? */
static bool is_refused(const void *bytes, size_t size)
{
	struct pkg *package;
	const void *samples;
	uint64_t samples_size;
	ptowsp_status status;

	error.text[0] = '\0';
	status = pkg_open_memory(&package, bytes, size, "mutant", NULL, &error);
	if (!status)
		status = pkg_sample_section(package, &samples, &samples_size, &error);
	pkg_close(package);
	return status == PTOWSP_BAD_PACKAGE && !strncmp(error.text, "mutant: ", 8);
}

static void file_mutate(const uint8_t *good, size_t size, uint64_t seed)
{
	uint8_t *bytes = malloc(size);

	REQUIRE(bytes != NULL);
	memcpy(bytes, good, size);
	bytes_mutate(bytes, size);
	if (memcmp(bytes, good, size) && !is_refused(bytes, size))
		CHECK_FAIL("seed %" PRIu64 ": the damage was not seen", seed);
	free(bytes);
}

TEST(no_damage_to_a_file_stays_unseen)
{
	mutants_run(file_mutate, 4000);
}

TEST(every_flipped_bit_of_a_file_is_refused)
{
	size_t size;
	uint8_t *bytes = sample_seal(&size, &error);

	REQUIRE(bytes != NULL);
	CHECK(!is_refused(bytes, size));
	for (size_t i = 0; i < size * 8; i++) {
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
		if (!is_refused(bytes, size))
			CHECK_FAIL("bit %zu of byte %zu of %zu: not refused (%s)", i % 8, i / 8, size, error.text);
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	free(bytes);
}

/* Header and table of contents, with a fresh header digest. */
static void header_mutate(const uint8_t *good, size_t size, uint64_t seed)
{
	uint8_t *bytes = malloc(size);

	REQUIRE(bytes != NULL);
	memcpy(bytes, good, size);
	bytes_mutate(bytes + 8, 96 + 23 * 96);
	pkg_header_seal(bytes, size);
	free(try_package(bytes, size, seed));
	free(bytes);
}

TEST(sealed_headers_are_refused_or_readable)
{
	mutants_run(header_mutate, 4000);
}

static void section_mutate(const uint8_t *good, size_t size, uint64_t seed)
{
	struct pkg_image image;
	struct pkg_image_section *s;
	void *bytes = NULL;
	size_t sealed;

	REQUIRE_INT(pkg_image_read(&image, good, size, "sample", &error), PTOWSP_OK);
	s = &image.sections[draw(&state, image.section_count)];
	if (draw(&state, 8)) {
		bytes_mutate(s->data, s->size);
	} else { /* other sizes */
		s->count = draw(&state, s->count + 1);
		s->size = (size_t)s->count * s->stride;
		if (!draw(&state, 4))
			s->stride = (uint32_t)draw(&state, 100);
	}
	REQUIRE_INT(pkg_image_seal(&image, &bytes, &sealed, &error), PTOWSP_OK);
	pkg_image_finish(&image);
	free(try_package(bytes, sealed, seed));
	free(bytes);
}

TEST(sealed_sections_are_refused_or_readable)
{
	mutants_run(section_mutate, 3000);
	CHECK(opened > 100 || number("PTOWSP_MUTANTS", 3000) < 3000 || getenv("PTOWSP_SEED"));
}
