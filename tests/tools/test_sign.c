/* SPDX-License-Identifier: MIT
 * test_sign.c - keys, signatures as bytes, what ptowsp-pack signs and what ptowsp-inspect --verify says of it. */
#include "tests/contract/cli.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/container.h"
#include "format/format_package.h"
#include "format/format_signature.h"
#include "tests/format/sample.h"

static struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
static const struct pkg_place place = {"place", &error};

/* ---- bytes ---- */

static struct pkg_signature row_make(const char *plugins)
{
	struct pkg_signature row = {.abi_major = PTOWSP_ABI_MAJOR};

	memcpy(row.plugins, plugins, strlen(plugins));
	return row;
}

/* The seed is that of test 1 in RFC 8032, section 7.1, and so is the public key that must come of it. */
TEST(a_signature_is_ed25519)
{
	static const char secret[] = "ptowsp secret key 1 9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60\n";
	static const char public[] = "ptowsp public key 1 d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a\n";
	uint8_t seed[PKG_KEY_SIZE], key[PKG_KEY_SIZE], digest[PKG_DIGEST_SIZE] = {7};
	struct pkg_signature row = row_make("aie"), again = row_make("aie");
	char text[PKG_KEY_TEXT], id[PKG_KEY_ID];

	REQUIRE(!pkg_key_read(seed, PKG_KEY_SECRET, secret, strlen(secret)));
	REQUIRE(!pkg_key_read(key, PKG_KEY_PUBLIC, public, strlen(public)));
	REQUIRE_INT(pkg_signature_make(&row, PKG_SIGNED_PACKAGE, digest, seed, &error), 0);
	CHECK_MEM(row.key, key, sizeof(key));
	CHECK(pkg_signature_holds(&row, PKG_SIGNED_PACKAGE, digest));
	REQUIRE_INT(pkg_signature_make(&again, PKG_SIGNED_PACKAGE, digest, seed, &error), 0);
	CHECK_MEM(&row, &again, sizeof(row));
	pkg_key_write(text, PKG_KEY_PUBLIC, key);
	CHECK_STR(text, public);
	pkg_key_id(id, key);
	CHECK_STR(id, "21fe31dfa154a261");
}

/* As packages/FORMAT.md says it, by libsodium alone. */
TEST(what_is_signed_are_240_bytes)
{
	static const char *const begins[] = {"ptowsp package signature 1", "ptowsp plugin signature 1"};
	uint8_t seed[PKG_KEY_SIZE] = {4}, digest[PKG_DIGEST_SIZE] = {5}, bytes[240];

	for (int what = 0; what < 2; what++) {
		struct pkg_signature row = row_make("aie");

		row.expires = 0x123456789;
		row.abi_minor = 3;
		REQUIRE_INT(pkg_signature_make(&row, (enum pkg_signed)what, digest, seed, &error), 0);
		memset(bytes, 0, 32);
		memcpy(bytes, begins[what], strlen(begins[what]));
		memcpy(bytes + 32, digest, 32);
		memcpy(bytes + 64, &row.key, 176);
		CHECK_INT(crypto_sign_verify_detached(row.signature, bytes, sizeof(bytes), row.key), 0);
	}
}

static bool no_sodium;
int __real_sodium_init(void);
int __wrap_sodium_init(void);
int __wrap_sodium_init(void)
{
	return no_sodium ? -1 : __real_sodium_init();
}

TEST(without_random_numbers_nothing_is_signed)
{
	uint8_t seed[PKG_KEY_SIZE] = {4}, key[PKG_KEY_SIZE], digest[PKG_DIGEST_SIZE] = {5};
	struct pkg_signature row = row_make("aie"), good = row;

	REQUIRE_INT(pkg_signature_make(&good, PKG_SIGNED_PACKAGE, digest, seed, &error), 0);
	no_sodium = true;
	CHECK_INT(pkg_signature_make(&row, PKG_SIGNED_PACKAGE, digest, seed, &error), PTOWSP_NO_MEMORY);
	CHECK_STR(error.text, "libsodium cannot sign on this machine");
	CHECK_INT(pkg_key_make(seed, key, &error), PTOWSP_NO_MEMORY);
	CHECK_STR(error.text, "libsodium has no random numbers on this machine");
	CHECK(!pkg_signature_holds(&good, PKG_SIGNED_PACKAGE, digest));
	no_sodium = false;
	CHECK(pkg_signature_holds(&good, PKG_SIGNED_PACKAGE, digest));
}

TEST(each_bit_of_a_statement_is_signed)
{
	uint8_t seed[PKG_KEY_SIZE] = {1}, digest[PKG_DIGEST_SIZE] = {2};
	struct pkg_signature row = row_make("cpu_sim");
	uint8_t *bytes = (uint8_t *)&row;

	REQUIRE_INT(pkg_signature_make(&row, PKG_SIGNED_PLUGIN, digest, seed, &error), 0);
	CHECK(!pkg_signature_holds(&row, PKG_SIGNED_PACKAGE, digest));
	for (size_t bit = 0; bit < 8 * sizeof(row); bit++) {
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (pkg_signature_holds(&row, PKG_SIGNED_PLUGIN, digest))
			CHECK_FAIL("bit %zu is not signed", bit);
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	digest[31] ^= 1;
	CHECK(!pkg_signature_holds(&row, PKG_SIGNED_PLUGIN, digest));
}

TEST(rows_are_what_was_written)
{
	struct pkg_signature rows[PKG_SIGNATURE_ROWS], got[PKG_SIGNATURE_ROWS], row = row_make("*");
	uint8_t bytes[PKG_SIGNATURES_MOST];
	uint32_t count = 0, found;
	size_t size;

	for (uint8_t i = 0; i < PKG_SIGNATURE_ROWS; i++) {
		row.key[0] = i;
		CHECK(pkg_signatures_put(rows, &count, &row));
	}
	row.expires = 5; /* key 15 again: in its place */
	CHECK(pkg_signatures_put(rows, &count, &row));
	CHECK_UINT(count, PKG_SIGNATURE_ROWS);
	CHECK_UINT(rows[15].expires, 5);
	row.key[0] = 99;
	CHECK(!pkg_signatures_put(rows, &count, &row));
	size = pkg_signatures_write(bytes, rows, count);
	CHECK_UINT(size, PKG_SIGNATURES_MOST);
	REQUIRE_INT(pkg_signatures_read(got, &found, bytes, size, &place), 0);
	CHECK_MEM(got, rows, sizeof(rows));
	for (size_t cut = 0; cut < size; cut++)
		if (pkg_signatures_read(got, &found, bytes, cut, &place) != PTOWSP_BAD_PACKAGE || found)
			CHECK_FAIL("%zu bytes are taken", cut);
}

TEST(a_list_of_plugins_has_names_and_beginnings)
{
	static const struct {
		const char *list, *name;
		bool has;
	} rows[] = {{"*", "aie", true},         {"aie", "aie", true},    {"aie", "aie2", false},    {"aie", "ai", false},
		    {"aie*", "aie2", true},     {"aie*", "aie", true},   {"a2a3,aie", "aie", true}, {"a2a3,aie", "a2a3", true},
		    {"a2a3,aie", "a2a", false}, {"a*,b*", "cpu", false}, {"b*,c*", "cpu", true}};
	static const char *const wrong[] = {"", ",", "a,", ",a", "a b", "A", "a**", "*a", "a,,b", "a-b", "0123456789012345678901234567890123"};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK(!pkg_plugins_wrong(rows[i].list));
		if (pkg_plugins_have(rows[i].list, rows[i].name) != rows[i].has)
			CHECK_FAIL("%s and %s", rows[i].list, rows[i].name);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (!pkg_plugins_wrong(wrong[i]))
			CHECK_FAIL("\"%s\" is taken", wrong[i]);
}

TEST(a_key_is_exactly_one_line)
{
	static const char good[] = "ptowsp public key 1 d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a\n";
	char text[128];
	uint8_t key[PKG_KEY_SIZE];

	for (size_t i = 0; i + 1 < sizeof(good); i++) {
		memcpy(text, good, sizeof(good));
		text[i] = 'G';
		if (!pkg_key_read(key, PKG_KEY_PUBLIC, text, sizeof(good) - 1))
			CHECK_FAIL("byte %zu may be anything", i);
		CHECK(pkg_key_read(key, PKG_KEY_PUBLIC, good, i) != NULL);
	}
	CHECK(pkg_key_read(key, PKG_KEY_PUBLIC, good, sizeof(good)) != NULL); /* a NUL behind it */
	CHECK_STR(pkg_key_read(key, PKG_KEY_SECRET, good, sizeof(good) - 1), "is a public key; the secret one signs");
	CHECK_STR(pkg_key_read(key, PKG_KEY_SECRET, "", 0), "is no secret key of ptowsp; ptowsp-pack --make-key makes one");
	memcpy(text, good, sizeof(good));
	text[40] = 'A';
	CHECK_STR(pkg_key_read(key, PKG_KEY_PUBLIC, text, sizeof(good) - 1), "has digits that are not 0-9 and a-f");
	memcpy(text, "ptowsp secret", 13);
	CHECK_STR(pkg_key_read(key, PKG_KEY_PUBLIC, text, sizeof(good) - 1), "is a secret key; the public one is in the file with .pub");
}

/* Damage behind the sections: each is refused with a sentence that begins with the file's name, or leaves signatures that do not hold, or is not damage. */
TEST(damaged_signature_frames_are_refused_or_do_not_hold)
{
	size_t size, end;
	uint8_t *good = sample_seal(&size, &error), seed[PKG_KEY_SIZE] = {3}, frame[PKG_SIGNATURES_MOST];
	struct pkg_signature row = row_make("*"), rows[PKG_SIGNATURE_ROWS];
	struct pkg *package = NULL;
	uint32_t refused = 0, broken = 0;

	REQUIRE(good && !pkg_open_memory(&package, good, size, "sample", NULL, &error));
	REQUIRE_INT(pkg_signature_make(&row, PKG_SIGNED_PACKAGE, pkg_header_digest(package), seed, &error), 0);
	pkg_close(package);
	end = pkg_signatures_write(frame, &row, 1);
	good = realloc(good, size + 8 + end);
	memcpy(good + size, (const uint32_t[]){PKG_SIGNATURE_FRAME, (uint32_t)end}, 8);
	memcpy(good + size + 8, frame, end);
	for (size_t bit = 0; bit < 8 * (8 + end); bit++) {
		good[size + bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (pkg_open_memory(&package, good, size + 8 + end, "sample", NULL, &error)) {
			refused += !strncmp(error.text, "sample: ", 8);
		} else {
			broken += pkg_signatures(package, rows) == 1 && !pkg_signature_holds(&rows[0], PKG_SIGNED_PACKAGE, pkg_header_digest(package));
			pkg_close(package);
		}
		good[size + bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	CHECK_UINT(refused + broken, 8 * (8 + end));
	CHECK(refused > 0 && broken > 0);
	free(good);
}

/* ---- tools ---- */

static void begin(void)
{
	cli_begin();
	REQUIRE_INT(
		cli("$B/ptowsp-pack --make-key ann && $B/ptowsp-pack --make-key bob && mkdir keys && cp ann.pub keys && cp $P/vector_add.pkg.zst v.pkg.zst"),
		0);
}

TEST(a_key_pair_is_two_files_of_which_one_is_secret)
{
	struct stat info;

	begin();
	CHECK(!stat(check_fmt("%s/ann", getenv("T")), &info) && (info.st_mode & 0777) == 0600);
	CLI_ERR(2, "$B/ptowsp-pack --make-key ann", "ann is there already, and keys are not overwritten");
	cli_check_sentence();
	CLI_ERR(2, "chmod 640 ann; $B/ptowsp-pack --sign=ann v.pkg.zst", "others may read key ann (mode 0640); cure: chmod 600 'ann'");
	CHECK_INT(cli("chmod 600 ann; $B/ptowsp-pack --sign=ann.pub v.pkg.zst"), 2);
	CLI_ERR(2, "chmod 600 ann.pub; $B/ptowsp-pack --sign=ann.pub v.pkg.zst", "ann.pub is a public key; the secret one signs");
	CLI_ERR(2, "$B/ptowsp-pack --sign=nobody v.pkg.zst", "key nobody cannot be read");
	CHECK_INT(cli("cmp v.pkg.zst $P/vector_add.pkg.zst"), 0);
}

TEST(a_signed_package_is_the_same_package)
{
	begin();
	CHECK_INT(
		cli("$B/ptowsp-inspect v.pkg.zst | grep digest >before; $B/ptowsp-inspect --json v.pkg.zst >before.json; $B/ptowsp-pack --sign=ann v.pkg.zst"),
		0);
	CHECK_INT(
		cli("$B/ptowsp-inspect v.pkg.zst | grep digest | cmp - before && $B/ptowsp-inspect --json v.pkg.zst | cmp - before.json && zstd -qt v.pkg.zst"),
		0);
	CHECK_INT(cli("$B/ptowsp-pack --from-json before.json --sign=ann -o again.pkg.zst && cmp again.pkg.zst v.pkg.zst"),
		  0); /* packing again and signing again: the same bytes */
	CHECK_INT(cli("$B/ptowsp-run v.pkg.zst"), 0);
	CHECK_STR(cli_err, "");
}

TEST(verify_says_whose_signature_it_is_and_whether_it_counts)
{
	begin();
	CLI_OUT(0, "$B/ptowsp-inspect --verify --trust-dir keys v.pkg.zst", "v.pkg.zst: it is not signed\n");
	CLI_ERR(3, "$B/ptowsp-inspect --verify --trust=signed --trust-dir keys v.pkg.zst", "no signature of a trusted key counts for it");
	CHECK_INT(
		cli("$B/ptowsp-pack --sign=ann --sign-for=aie,cpu* --sign-abi=v10.3 --sign-until=2900-01-31 v.pkg.zst && $B/ptowsp-pack --sign=bob v.pkg.zst"),
		0);
	CLI_OUT(0, "$B/ptowsp-inspect --verify --trust=signed --trust-dir keys v.pkg.zst",
		" for plugins aie,cpu* from ABI v10.3 on, until 2900-01-31: valid: signed by ann (",
		" for plugins * from ABI v10.0 on: holds, but does not count: it is signed by ");
	CHECK_INT(cli("$B/ptowsp-pack --sign=ann --sign-until=2001-01-01 v.pkg.zst; $B/ptowsp-inspect --verify --trust=signed --trust-dir keys v.pkg.zst"), 3);
	CHECK_CONTAINS(cli_out, "holds, but does not count: the signature of ann has expired on 2001-01-01");
	CHECK_CONTAINS(cli_err, "--sign-until=2001-01-01 is past");
	CLI_OUT(0, "PTOWSP_TRUST_DIR=$T/keys $B/ptowsp-inspect --verify v.pkg.zst", "the signature of ann has expired");
	CLI_ERR(2, "$B/ptowsp-inspect --verify --trust-dir nowhere v.pkg.zst", "trust folder nowhere cannot be read");
	CHECK_INT(cli("$B/ptowsp-inspect --trust-dir keys v.pkg.zst"), 2);
	CHECK_INT(cli("$B/ptowsp-inspect --verify --trust signed --trust-dir=keys v.pkg.zst"), 3);
	CHECK_INT(cli("$B/ptowsp-inspect --verify --trust=all v.pkg.zst"), 2);
}

/* The line once began with the key, and ended with it. */
TEST(a_key_is_named_once)
{
	begin();
	CLI_OUT(0,
		"$B/ptowsp-pack --sign=ann v.pkg.zst && id=$($B/ptowsp-inspect --verify v.pkg.zst | sed -n 's/.* it is signed by "
		"\\([0-9a-f]*\\),.*/\\1/p') && echo $id && "
		"$B/ptowsp-inspect --verify v.pkg.zst | grep -o $id | wc -l && $B/ptowsp-inspect --verify --trust-dir keys v.pkg.zst | grep -o $id | wc "
		"-l",
		"\n1\n1\n");
}

TEST(a_signature_of_another_package_is_refused)
{
	begin();
	CHECK_INT(cli("cp $P/softmax.pkg.zst s.pkg.zst; n=$(stat -c %s v.pkg.zst); $B/ptowsp-pack --sign=ann v.pkg.zst; tail -c +$((n + 1)) v.pkg.zst "
		      ">>s.pkg.zst"),
		  0);
	CLI_OUT(3, "$B/ptowsp-inspect --verify --trust-dir keys s.pkg.zst", "not valid: it is not one of this package");
	CHECK_CONTAINS(cli_err, "s.pkg.zst: a signature is not one of this package");
	CHECK_INT(cli("$B/ptowsp-run s.pkg.zst"), 0); /* nobody asked who vouches for it */
}

TEST(keys_that_others_could_have_put_there_are_passed_over)
{
	begin();
	CLI_OUT(0, "$B/ptowsp-pack --sign=ann v.pkg.zst; chmod 666 keys/ann.pub; $B/ptowsp-inspect --verify --trust-dir keys v.pkg.zst", "does not count");
	CHECK_CONTAINS(cli_err, "a key is not used: anybody may write the key file");
	CLI_ERR(0, "$B/ptowsp-run --trust=signed --trust-dir keys --explain v.pkg.zst", "a key is not used: anybody may write the key file");
	CLI_ERR(0, "chmod 644 keys/ann.pub; chmod 777 keys; $B/ptowsp-inspect --verify --trust-dir keys v.pkg.zst", "anybody may write a folder above the key");
	CLI_ERR(0, "chmod 755 keys; echo x >>keys/ann.pub; $B/ptowsp-inspect --verify --trust-dir keys v.pkg.zst", "keys/ann.pub: is no public key of ptowsp");
	CLI_ERR(0, "echo y >keys/zoe.pub; $B/ptowsp-inspect --verify --trust-dir keys v.pkg.zst", "a key is not used: keys/ann.pub: is no public key of ptowsp",
		"a key is not used: keys/zoe.pub: is no public key of ptowsp");
	CLI_ERR(0, "$B/ptowsp-run --trust=signed --trust-dir keys --explain v.pkg.zst", "ann.pub: is no", "zoe.pub: is no");
	CHECK_INT(cli("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo z >keys/m$i.pub; done; $B/ptowsp-inspect --verify --trust-dir keys "
		      "v.pkg.zst"),
		  0);
	CHECK_UINT(cli_lines(cli_err), 17);
	CHECK_CONTAINS(cli_err, "6 more key files are not used");
	CHECK_INT(cli("rm keys/m*.pub keys/zoe.pub"), 0);
	CLI_ERR(0, "rm keys/ann.pub; mkfifo keys/f.pub; $B/ptowsp-inspect --verify --trust-dir keys v.pkg.zst", "not a regular file");
}

TEST(what_cannot_be_signed_is_said)
{
	static const struct {
		const char *arguments, *sentence;
	} rows[] = {
		{"--sign=ann --sign-for=Aie v.pkg.zst", "--sign-for=Aie is no list of plugin names"},
		{"--sign=ann --sign-until=2030-02-30 v.pkg.zst", "--sign-until=2030-02-30 is no day"},
		{"--sign=ann --sign-until=tomorrow v.pkg.zst", "--sign-until=tomorrow is no day"},
		{"--sign=ann --sign-abi=10 v.pkg.zst", "--sign-abi=10 is no ABI such as v10.0"},
		{"--sign=ann --sign-abi=v11.0 v.pkg.zst", "--sign-abi=v11.0 is no ABI"},
		{"--sign-for=aie v.pkg.zst", "belong to --sign=KEY"},
		{"--make-key new v.pkg.zst", "--make-key goes with nothing else"},
		{"--sign=ann v.pkg.zst $P/softmax.pkg.zst -o x", "-o takes one signed file"},
		{"--sign=ann v.pkg.zst $R/packages/examples/softmax.pto -o x", "cannot be signed together"},
		{"--sign=ann nowhere.pkg.zst", "nowhere.pkg.zst cannot be read: No such file"},
		{"--sign=ann $B/ptowsp-run", "say which plugin that is with --sign-for=NAME"},
	};

	begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CLI_ERR(2, check_fmt("$B/ptowsp-pack %s", rows[i].arguments), rows[i].sentence);
		cli_check_sentence();
	}
	CHECK_INT(cli("cmp v.pkg.zst $P/vector_add.pkg.zst && ! test -e x && ! test -e new"), 0);
}

TEST(there_is_room_for_sixteen_signatures)
{
	begin();
	CHECK_INT(cli("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do $B/ptowsp-pack --make-key k$i >/dev/null && $B/ptowsp-pack --sign=k$i v.pkg.zst || "
		      "exit 9; done"),
		  0);
	CLI_PRINTS(0, "$B/ptowsp-pack --sign=k7 --sign-for=aie v.pkg.zst && $B/ptowsp-inspect --verify v.pkg.zst | grep -c ': signature for plugins '", "16\n");
	CLI_ERR(3, "$B/ptowsp-pack --sign=ann v.pkg.zst", "v.pkg.zst has 16 signatures already, which is the limit");
}
