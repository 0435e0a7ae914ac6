/* SPDX-License-Identifier: MIT
 * test_pack_library.c - libptowsp-pack.so as other languages call it: by names that dlsym finds, and from Python. */
#include "format/format_file.h"
#include "lang/ptowsp_pack.h"
#include "tests/check.h"
#include "tests/lang/source.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

TEST(the_library_packs_for_any_language)
{
	void *lib = dlopen(check_fmt("%s/lib/libptowsp-pack.so", check_build()), RTLD_NOW | RTLD_LOCAL);
	ptowsp_status (*text)(const char *, const char *, struct ptowsp_pack_result **);
	uint64_t (*size)(const struct ptowsp_pack_result *);
	const void *(*bytes)(const struct ptowsp_pack_result *);
	const char *(*message)(const struct ptowsp_pack_result *, uint32_t);
	void (*destroy)(struct ptowsp_pack_result *);
	struct ptowsp_pack_result *result = NULL;
	struct pkg *package = NULL;

	REQUIRE(lib != NULL);
	*(void **)&text = dlsym(lib, "ptowsp_pack_text");
	*(void **)&size = dlsym(lib, "ptowsp_pack_size");
	*(void **)&bytes = dlsym(lib, "ptowsp_pack_bytes");
	*(void **)&message = dlsym(lib, "ptowsp_pack_message");
	*(void **)&destroy = dlsym(lib, "ptowsp_pack_destroy");
	REQUIRE(text && size && bytes && message && destroy);
	REQUIRE_INT(text("x/odd.pto", SOURCE_ODD, &result), 0);
	CHECK_INT(pkg_open_memory(&package, bytes(result), (size_t)size(result), "odd", NULL, NULL), 0);
	CHECK_CONTAINS(message(result, 0), "x/odd.pto:4:8: warning: ");
	CHECK_CONTAINS(message(result, 0), "\n           ^~~~\n");
	CHECK(message(result, 1) == NULL);
	pkg_close(package);
	destroy(result);
	CHECK_INT(text("bad.pto", "func", &result), PTOWSP_BAD_PACKAGE);
	CHECK(bytes(result) == NULL && size(result) == 0);
	CHECK_CONTAINS(message(result, 0), "bad.pto:1:");
	destroy(result);
	destroy(NULL);
	CHECK_INT(text(NULL, "func", &result), PTOWSP_INVALID);
	CHECK(result == NULL);
	dlclose(lib);
}

/* The source and the file that it names, which lies beside it. */
TEST(the_library_reads_files_that_sources_name)
{
	void *lib = dlopen(check_fmt("%s/lib/libptowsp-pack.so", check_build()), RTLD_NOW | RTLD_LOCAL);
	ptowsp_status (*files)(const char *const *, uint32_t, const char *, const char *, struct ptowsp_pack_result **);
	uint64_t (*size)(const struct ptowsp_pack_result *);
	const void *(*bytes)(const struct ptowsp_pack_result *);
	const char *(*message)(const struct ptowsp_pack_result *, uint32_t);
	void (*destroy)(struct ptowsp_pack_result *);
	struct ptowsp_pack_result *result = NULL;
	const char *folder = check_tmp(), *path;
	struct pkg *package = NULL;

	REQUIRE(lib != NULL);
	*(void **)&files = dlsym(lib, "ptowsp_pack_files");
	*(void **)&size = dlsym(lib, "ptowsp_pack_size");
	*(void **)&bytes = dlsym(lib, "ptowsp_pack_bytes");
	*(void **)&message = dlsym(lib, "ptowsp_pack_message");
	*(void **)&destroy = dlsym(lib, "ptowsp_pack_destroy");
	REQUIRE(files && size && bytes && message && destroy);
	check_put("named.pto", "kernel @k(%n: i64) { image dav-c220 \"named.bin\" }\n");
	check_put("named.bin", "bytes");
	path = check_fmt("%s/named.pto", folder);
	REQUIRE_INT(files(&path, 1, NULL, NULL, &result), 0);
	REQUIRE_INT(pkg_open_memory(&package, bytes(result), (size_t)size(result), "named", NULL, NULL), 0);
	CHECK_UINT(pkg_tables(package)->payload_count, 1);
	CHECK(!memcmp(pkg_tables(package)->code, "bytes", 5));
	pkg_close(package);
	destroy(result);
	check_put("named.pto", "kernel @k(%n: i64) { image dav-c220 \"other.bin\" }\n");
	path = check_fmt("%s/named.pto", folder);
	CHECK_INT(files(&path, 1, NULL, NULL, &result), PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(message(result, 0), "other.bin cannot be opened");
	destroy(result);
	path = check_fmt("%s/none.pto", folder);
	CHECK_INT(files(&path, 1, NULL, NULL, &result), PTOWSP_IO);
	CHECK_CONTAINS(message(result, 0), "none.pto: error: ");
	CHECK(bytes(result) == NULL);
	destroy(result);
	CHECK_INT(files(NULL, 1, NULL, NULL, &result), PTOWSP_INVALID);
	CHECK(result == NULL);
	dlclose(lib);
}

TEST(the_library_packs_from_python)
{
	const char *script = "import ctypes, sys\n"
			     "lib = ctypes.CDLL(sys.argv[1])\n"
			     "lib.ptowsp_pack_bytes.restype = ctypes.c_void_p\n"
			     "lib.ptowsp_pack_size.restype = ctypes.c_uint64\n"
			     "result = ctypes.c_void_p()\n"
			     "status = lib.ptowsp_pack_text(b'copy.pto', open(sys.argv[2], 'rb').read(), ctypes.byref(result))\n"
			     "assert status == 0, status\n"
			     "package = ctypes.string_at(lib.ptowsp_pack_bytes(result), lib.ptowsp_pack_size(result))\n"
			     "lib.ptowsp_pack_destroy(result)\n"
			     "open(sys.argv[3], 'wb').write(package)\n";
	struct source s;
	size_t size = 0;
	char *bytes, *out, *err;

	check_tmp();
	check_put("copy.pto", SOURCE_COPY);
	check_put("pack.py", script);
	if (check_run("python3 -c 'import ctypes'", NULL, NULL))
		CHECK_SKIP("python3 is not installed");
	if (strstr(check_build(), "asan") || strstr(check_build(), "tsan"))
		CHECK_SKIP("python3 has no sanitizer");
	s = source_compile_as("copy.pto", SOURCE_COPY, strlen(SOURCE_COPY), NULL);
	CHECK_INT(check_run(check_fmt("cd '%s' && python3 pack.py '%s/lib/libptowsp-pack.so' copy.pto copy.pkg.zst", check_dir(), check_build()), &out, &err),
		  0);
	free(out);
	free(err);
	bytes = check_read(check_fmt("%s/copy.pkg.zst", check_dir()), &size);
	CHECK(bytes && size == s.size && !memcmp(bytes, s.bytes, size));
	free(bytes);
	source_free(&s);
}
