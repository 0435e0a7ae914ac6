/* SPDX-License-Identifier: MIT
 * test_contract_damage.c - damaged packages, and limits of the process: the exit code of the table and one sentence. */
#include "tests/contract/cli.h"

#include <stdlib.h>
#include <string.h>

/* Every prefix of a package, in steps, and every byte changed, in steps, is refused by a sentence and exit 3. */
static void refuse_bytes(const char *bytes, size_t size, const char *what, size_t where)
{
	char *text = NULL;
	int status;

	REQUIRE(check_write(check_fmt("%s/bad.pkg.zst", getenv("T")), bytes, size));
	status = cli("$B/ptowsp-run --entry mixed --out a=new.npy bad.pkg.zst");
	if (status != 3 || !strstr(cli_err, "bad.pkg.zst") || cli_lines(cli_err) != 1 || *cli_out)
		CHECK_FAIL("%s at byte %zu: exit %d, stderr \"%s\", stdout \"%s\"", what, where, status, cli_err, cli_out);
	text = check_read(check_fmt("%s/new.npy", getenv("T")), NULL);
	CHECK(text == NULL);
	free(text);
}

/* To be freed. */
static char *package_read(size_t *size_out)
{
	char *bytes;

	cli_begin();
	bytes = check_read(check_fmt("%s/vectors.pkg.zst", getenv("K")), size_out);
	REQUIRE(bytes != NULL && *size_out > 200);
	return bytes;
}

TEST(every_truncation_is_refused)
{
	size_t size = 0;
	char *bytes = package_read(&size);

	for (size_t n = 0; n < size; n += n < 64 && !cli_slow() ? 4 : size / 60)
		refuse_bytes(bytes, n, "cut", n);
	refuse_bytes(bytes, size - 1, "cut", size - 1);
	free(bytes);
}

TEST(every_flipped_bit_is_refused)
{
	size_t size = 0;
	char *bytes = package_read(&size);

	for (size_t at = 0; at < size; at += at < 256 && !cli_slow() ? 3 : size / 150 + 1) {
		bytes[at] ^= (char)(1 << at % 8);
		refuse_bytes(bytes, size, "flipped", at);
		bytes[at] ^= (char)(1 << at % 8);
	}
	free(bytes);
}

/* Nothing is wrong with a plugin then, nor with a worker. */
TEST(a_lack_of_descriptors_is_no_refusal)
{
	cli_begin();
	for (int number = 4; number < 16; number++)
		for (int isolated = 0; isolated < 2; isolated++) {
			const int status =
				cli(check_fmt("ulimit -n %d; exec $B/ptowsp-run %s $P/softmax.pkg.zst", number, isolated ? "--isolate=process" : ""));

			if (status != 0 && status != 1 && status != 127) /* 127: libptowsp.so itself cannot be opened */
				CHECK_FAIL("with %d descriptors: %d, %s", number, status, cli_err);
		}
}

TEST(the_limit_of_file_sizes_is_named)
{
	CHECK_INT(cli("ulimit -f 1; $B/ptowsp-run --isolate=process $P/softmax.pkg.zst"), 1);
	CHECK_CONTAINS(cli_err, "no file of its size (ulimit -f), which is shared memory, for a worker: File too large");
}
