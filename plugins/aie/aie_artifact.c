/* SPDX-License-Identifier: MIT */
#include "aie/aie_artifact.h"

#include "base/cache.h"
#include "base/command.h"
#include "base/digest.h"
#include "base/error.h"
#include "registry/common/common_text.h"
#include "rt/program/rt_error.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_PATH = AIE_PATH + 64 };

/* ---- the script --------------------------------------------------------------------------------------------------------- */

/* A core's stack takes the frames of the kernel that it calls: the function's own, and of its object those that the design does not call, as none calls itself; and the core's own. A stack that the
 * design states without having seen a compiler is raised where it is less. */
static void stack_measure(struct common_text *text)
{
	common_text_put(text, "awk -F '\t' '\n"
			      "FNR == 1 { frames = FILENAME ~ /[.]su$/; object = FILENAME; sub(/.*[/]/, \"\", object); sub(/su$/, \"o\", object) }\n"
			      "frames { sub(/.*:/, \"\", $1); frame[$1] = $2; all[object] += $2; next }\n"
			      "/\"func.func\"/ { name = of = $0; sub(/.*sym_name = \"/, \"\", name); sub(/\".*/, \"\", name)\n"
			      "  sub(/.*link_with = \"/, \"\", of); sub(/\".*/, \"\", of); file[name] = of; called[of] += frame[name] }\n"
			      "/callee = @/ { name = $0; sub(/.*callee = @/, \"\", name); sub(/[^A-Za-z0-9_].*/, \"\", name)\n"
			      "  need = frame[name] + all[file[name]] - called[file[name]] + 256; if (need > most) most = need }\n"
			      "/stack_size = / { given = $0; sub(/.*stack_size = /, \"\", given); most += 31 - (most + 31) % 32\n"
			      "  if (most > given + 0) sub(/stack_size = [0-9]*/, \"stack_size = \" most); most = 0 }\n"
			      "{ print }' \"$work\"/*.su design.mlir >\"$work/design.mlir\" # stacks by the frames that were measured\n");
}

/* All that is missing is named before anything begins; paths are those of the folder that the user is in. */
static void tools_check(struct common_text *text, bool compiles)
{
	common_text_put(text, "from() { case $1 in /*) echo \"$1\" ;; *) echo \"$PWD/$1\" ;; esac; }\n"
			      "lacks=\nlack() { echo \"build.sh: $*\" >&2; lacks=1; }\n"
			      "peano=${1:-$PEANO_INSTALL_DIR}\naiecc=${2:-aiecc}\n"
			      "test -z \"$peano\" || peano=$(from \"$peano\")\n"
			      "case $aiecc in */*) aiecc=$(from \"$aiecc\") ;; esac\n");
	if (compiles)
		common_text_put(text, "{ test -n \"$peano\" && test -x \"$peano/bin/clang\"; } || lack \"no ${peano:-PEANO}/bin/clang: name the folder of "
				      "Peano (llvm-aie) as first "
				      "argument, or by PEANO_INSTALL_DIR\"\n");
	common_text_put(
		text,
		"command -v \"$aiecc\" >/dev/null || lack \"no $aiecc: name that of mlir-aie (1.4.3 or newer) as second argument, or put it into PATH\"\n"
		"command -v xclbinutil >/dev/null || echo \"build.sh: xclbinutil of XRT is not in PATH, where aiecc looks for it: XRT has it in its bin\" >&2\n"
		"test -z \"$lacks\" || exit 8\n");
}

/* Files get their names when all of them are there, the xclbin last: a folder that has one has a whole artifact. */
void aie_artifact_script(struct common_text *text, const struct aie_arch *arch, const struct aie_kernel_files *files, const char *folder)
{
	common_text_put(text, "#!/bin/sh\n"
			      "# Compiles this design: its kernels by Peano, the rest by aiecc of mlir-aie (1.4.3 or newer): ./build.sh [PEANO [AIECC]]\n"
			      "set -e\n");
	tools_check(text, files->kernel_count != 0);
	common_text_put(text, "cd \"$(dirname \"$0\")\"\n"
			      "work=$PWD/work.$$\nfailed=\nmkdir \"$work\"\ntrap 'rm -rf \"$work\"' EXIT\ncp design.mlir \"$work\"\n");
	if (files->kernel_count) {
		common_text_put(text,
				"api=$(dirname \"$(command -v \"$aiecc\")\")/../include\n"
				"set -- -std=gnu11\n"
				"test ! -e \"$api/aie_api/aie.hpp\" || set -- -x c++ -std=c++20 -fno-strict-aliasing -I\"$api\" # products by the core's unit\n"
				"for source in");
		for (uint32_t f = 0; f < files->kernel_count; f++)
			common_text_add(text, " %.*s", (int)strlen(files->files[f].name) - 2, files->files[f].name);
		common_text_add(
			text,
			"; do\n\t\"$peano/bin/clang\" --target=%s-none-unknown-elf \"$@\" -O2 -ffp-contract=off -DNDEBUG -fstack-usage -ffunction-sections "
			"-fdata-sections -I%s -idirafter %s/bare -c \"%s/$source.c\" -o \"$work/$source.o\"\ndone\n",
			strcmp(arch->generation->name, "AIE2") ? "aie2p" : "aie2", folder, folder, folder);
		stack_measure(text);
	}
	for (uint32_t f = files->kernel_count; f < files->kernel_count + files->object_count; f++)
		common_text_add(text, "cp \"%s/%s\" \"$work\" # the user's own\n", folder, files->files[f].name);
	common_text_put(text, "cd \"$work\"\n"
			      "\"$aiecc\" --peano=\"$peano\" --get-xclbin --get-npu-insts --xclbin-name=aie.xclbin --npu-insts-name=insts.bin --output-dir=. "
			      "--tmpdir=steps design.mlir || failed=$?\n"
			      "mkdir -p ../cores # programs of cores, also of those that are too large: their size is asked\n"
			      "find . -name '*core_*_*.elf' -exec mv {} ../cores/ \\;\n"
			      "test -z \"$failed\" || exit $failed\n"
			      "mv insts.bin ../insts.bin\nmv aie.xclbin ../aie.xclbin\n");
}

/* ---- the folder --------------------------------------------------------------------------------------------------------- */

static void digest_text(struct base_digest *digest, const char *text)
{
	base_digest_add(digest, text, strlen(text) + 1);
}

static struct base_digest digest_of(const struct aie_artifact_args *args, const char *script)
{
	struct base_digest digest;

	base_digest_init(&digest);
	digest_text(&digest, args->text);
	digest_text(&digest, script);
	for (uint32_t f = 0; f < args->files->count; f++) {
		base_digest_add(&digest, &args->files->files[f].size, sizeof(args->files->files[f].size));
		base_digest_add(&digest, args->files->files[f].text, args->files->files[f].size);
	}
	return digest;
}

static const char *const folders[] = {"isa", "ptowsp", "bare"}; /* of headers */
enum { FOLDERS = sizeof(folders) / sizeof(*folders) };

static bool file_write(const char *folder, const char *name, const void *bytes, size_t size)
{
	char path[FILE_PATH + AIE_FILE_NAME];
	FILE *file;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	ok = file && fwrite(bytes, 1, size, file) == size;
	return file && !fclose(file) && ok;
}

bool aie_artifact_sources_write(const char *folder, const struct aie_kernel_files *files)
{
	char path[FILE_PATH];
	bool ok = true;

	for (size_t i = 0; ok && i < FOLDERS; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, folders[i]);
		ok = !mkdir(path, 0755);
	}
	for (uint32_t f = 0; ok && f < files->count; f++)
		ok = file_write(folder, files->files[f].name, files->files[f].text, files->files[f].size);
	return ok;
}

void aie_artifact_sources_remove(const char *folder, const struct aie_kernel_files *files)
{
	char path[FILE_PATH + AIE_FILE_NAME];

	for (uint32_t f = 0; f < files->count; f++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files->files[f].name);
		unlink(path);
	}
	for (size_t i = 0; i < FOLDERS; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, folders[i]);
		rmdir(path);
	}
}

static bool sources_write(const char *folder, const struct aie_artifact_args *args, const char *script)
{
	char path[FILE_PATH];
	const bool ok = file_write(folder, "design.mlir", args->text, strlen(args->text)) && file_write(folder, "build.sh", script, strlen(script)) &&
			aie_artifact_sources_write(folder, args->files);

	snprintf(path, sizeof(path), "%s/build.sh", folder);
	return ok && !chmod(path, 0755);
}

/* Files that sources_write made, and the folder. */
static void folder_remove(const char *folder, const struct aie_artifact_args *args)
{
	static const char *const own[] = {"design.mlir", "build.sh"};
	char path[FILE_PATH + AIE_FILE_NAME];

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, own[i]);
		unlink(path);
	}
	aie_artifact_sources_remove(folder, args->files);
	rmdir(folder);
}

/* In a folder of its own, which then becomes the one that is kept; who comes second uses the first one's. */
static ptowsp_status folder_make(const char *kept, const struct aie_artifact_args *args, const char *script, struct ptowsp_error *error)
{
	char folder[AIE_PATH];

	if (!access(kept, R_OK | X_OK))
		return PTOWSP_OK;
	snprintf(folder, sizeof(folder), "%.1000s.XXXXXX", kept);
	if (!mkdtemp(folder) || !sources_write(folder, args, script))
		return rt_fail(error, PTOWSP_IO, "%.120s cannot be written: %s; name another folder with cache=DIR", folder, strerror(errno));
	chmod(folder, 0755); /* others of this machine may use it */
	if (rename(folder, kept))
		folder_remove(folder, args);
	return PTOWSP_OK;
}

/* ---- what comes out ----------------------------------------------------------------------------------------------------- */

/* The end of a path: its beginning is the cache, which the user knows. */
static const char *end_of(const char *path, size_t length)
{
	return strlen(path) > length ? path + strlen(path) - length : path;
}

static ptowsp_status words_read(struct aie_artifact *artifact, struct ptowsp_error *error)
{
	char path[FILE_PATH];
	struct stat about;
	FILE *file;
	ptowsp_status status = PTOWSP_OK;

	snprintf(path, sizeof(path), "%s/insts.bin", artifact->folder);
	file = fopen(path, "rb");
	if (!file || fstat(fileno(file), &about) || about.st_size <= 0 || about.st_size % 4)
		status = rt_fail(error, PTOWSP_NO_DEVICE,
				 "...%s is no file of instructions, which are words of 4 bytes; remove its folder, and it is compiled again", end_of(path, 60));
	if (!status && !(artifact->words = malloc((size_t)about.st_size)))
		status = rt_no_memory(error, "the instructions of a design");
	if (!status) {
		artifact->word_count = (uint64_t)about.st_size / 4;
		if (fread(artifact->words, 4, (size_t)artifact->word_count, file) != artifact->word_count)
			status = rt_fail(error, PTOWSP_IO, "...%s cannot be read: %s", end_of(path, 60), strerror(errno));
	}
	if (file)
		fclose(file);
	return status;
}

static ptowsp_status tools_run(struct aie_artifact *artifact, const struct aie_artifact_args *args, struct ptowsp_error *error)
{
	static const enum aie_piece_kind kinds[] = {AIE_PIECE_AIECC, AIE_PIECE_PEANO};
	struct base_command command = {0};
	ptowsp_status status = aie_pieces_need(args->pieces, kinds, 2, error);

	if (status)
		return status;
	base_command_add(&command, "/bin/sh");
	base_command_add(&command, "build.sh");
	base_command_add(&command, "%s", args->pieces[AIE_PIECE_PEANO].found);
	base_command_add(&command, "%s", args->pieces[AIE_PIECE_AIECC].found);
	status = base_command_compile(&command, artifact->folder, "design", " for the device", error);
	base_command_finish(&command);
	artifact->compiled = !status;
	if (!status && access(artifact->xclbin, R_OK))
		return rt_fail(error, PTOWSP_NO_DEVICE, "build.sh of ...%s left no aie.xclbin; design.log there has what the tools said",
			       end_of(artifact->folder, 60));
	return status;
}

ptowsp_status aie_artifact_make(struct aie_artifact *artifact, const struct aie_artifact_args *args, struct ptowsp_error *error)
{
	char cache[BASE_CACHE_PATH + 1];
	struct common_text script = {0};
	struct base_digest digest;
	ptowsp_status status = base_cache_find(cache, args->cache, error);

	aie_artifact_finish(artifact);
	aie_artifact_script(&script, args->arch, args->files, ".");
	if (!status && script.failed)
		status = rt_no_memory(error, "the script of a design");
	if (!status) {
		digest = digest_of(args, script.bytes);
		snprintf(artifact->folder, sizeof(artifact->folder), "%s/aie-%016llx%016llx", cache, (unsigned long long)digest.words[0],
			 (unsigned long long)digest.words[1]);
		snprintf(artifact->cores, sizeof(artifact->cores), "%s/cores", artifact->folder);
		snprintf(artifact->xclbin, sizeof(artifact->xclbin), "%s/aie.xclbin", artifact->folder);
		status = folder_make(artifact->folder, args, script.bytes, error);
	}
	if (!status && access(artifact->xclbin, R_OK))
		status = tools_run(artifact, args, error);
	if (!status)
		status = words_read(artifact, error);
	common_text_finish(&script);
	return status;
}

void aie_artifact_finish(struct aie_artifact *artifact)
{
	free(artifact->words);
	memset(artifact, 0, sizeof(*artifact));
}
