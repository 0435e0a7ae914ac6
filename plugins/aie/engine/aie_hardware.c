/* SPDX-License-Identifier: MIT */
#include "aie/engine/aie_hardware.h"

#include "base/error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NODE    "/dev/accel/accel0"
#define LIBRARY "libxrt_coreutil.so.2"

struct aie_places aie_places(void)
{
	return (struct aie_places){
		.xilinx_xrt = secure_getenv("XILINX_XRT"), .peano_install = secure_getenv("PEANO_INSTALL_DIR"), .path = secure_getenv("PATH")};
}

static bool said(const char *text)
{
	return text && *text;
}

static const char *text_of(const char *text)
{
	return text ? text : "";
}

/* base/folder/file is there; found: base/folder. */
static bool in_folder(char *found, const char *base, const char *folder, const char *file, int how)
{
	char path[AIE_PATH];
	int length = snprintf(path, sizeof(path), "%s%s/%s", base, folder, file);
	bool there = length > 0 && length < (int)sizeof(path) && !access(path, how);

	snprintf(found, AIE_PATH, "%.*s", there ? length - (int)strlen(file) - 1 : 0, path);
	return there;
}

static void driver_find(struct aie_piece *piece, const struct aie_places *places)
{
	char path[AIE_PATH];

	snprintf(path, sizeof(path), "%.900s" NODE, text_of(places->root));
	if (access(path, F_OK))
		snprintf(piece->missing, sizeof(piece->missing), "no device %.80s" NODE ": load the driver amdxdna of Linux 6.14 or of amd/xdna-driver",
			 text_of(places->root));
	else if (access(path, R_OK | W_OK))
		snprintf(piece->missing, sizeof(piece->missing), "%.80s" NODE " may not be opened by this user: join the group that owns it, render",
			 text_of(places->root));
	else
		snprintf(piece->found, sizeof(piece->found), "%s", path);
}

/* Folders in which a file of XRT may lie, below the one of XRT. */
static bool xrt_file_find(char *found, const struct aie_places *places, const char *const *folders, const char *file)
{
	const char *const bases[] = {said(places->xrt) ? places->xrt : places->xilinx_xrt, "/opt/xilinx/xrt", "/usr"};
	char base[AIE_PATH];

	for (size_t b = said(bases[0]) ? 0 : 1; b < (said(bases[0]) ? 1 : 3); b++) {
		snprintf(base, sizeof(base), "%.400s%.600s", b ? text_of(places->root) : "", bases[b]);
		for (const char *const *folder = folders; *folder; folder++)
			if (in_folder(found, base, *folder, file, R_OK))
				return true;
	}
	return false;
}

/* "xrt=DIR", as far as a sentence has room for it. */
static void xrt_where(char *text, size_t room, const struct aie_places *places)
{
	if (said(places->xrt))
		snprintf(text, room, "xrt=%.60s", places->xrt);
	else if (said(places->xilinx_xrt))
		snprintf(text, room, "XILINX_XRT=%.60s", places->xilinx_xrt);
	else
		snprintf(text, room, "/opt/xilinx/xrt and /usr%s%.50s", said(places->root) ? " below " : "", text_of(places->root));
}

static void xrt_find(struct aie_piece *library, struct aie_piece *headers, const struct aie_places *places)
{
	static const char *const libraries[] = {"/lib", "/lib64", "/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", NULL}, *const includes[] = {"/include",
																		 NULL};
	char where[100];

	xrt_where(where, sizeof(where), places);
	if (!xrt_file_find(library->found, places, libraries, LIBRARY))
		snprintf(library->missing, sizeof(library->missing),
			 "no " LIBRARY " in lib, lib64 or lib/*-linux-gnu of %s: install XRT as amd/xdna-driver has it", where);
	if (!xrt_file_find(headers->found, places, includes, "xrt/xrt_hw_context.h"))
		snprintf(headers->missing, sizeof(headers->missing),
			 "no xrt/xrt_hw_context.h in include of %s: install XRT's development package, or name bridge=FILE", where);
}

static void peano_find(struct aie_piece *piece, const struct aie_places *places)
{
	const char *base = said(places->peano) ? places->peano : places->peano_install;

	if (!said(base))
		snprintf(piece->missing, sizeof(piece->missing), "no Peano: PEANO_INSTALL_DIR is not set; install llvm-aie, or name it with peano=DIR");
	else if (!in_folder(piece->found, base, "/bin", "clang", X_OK) || !in_folder(piece->found, base, "/bin", "ld.lld", X_OK))
		snprintf(piece->missing, sizeof(piece->missing), "no bin/clang and bin/ld.lld of Peano in %.90s: install llvm-aie", base);
	else
		snprintf(piece->found, sizeof(piece->found), "%s", base);
}

static bool in_path(char *found, const char *list, const char *file)
{
	char folder[AIE_PATH];

	for (const char *at = list; at && *at;) {
		size_t length = strcspn(at, ":");

		snprintf(folder, sizeof(folder), "%.*s", (int)length, at);
		if (*folder == '/' && in_folder(found, folder, "", file, X_OK))
			return snprintf(found, AIE_PATH, "%.900s/%s", folder, file) > 0;
		at += length + (at[length] == ':');
	}
	return false;
}

static void aiecc_find(struct aie_piece *piece, const struct aie_places *places)
{
	if (!said(places->aiecc)) {
		if (!in_path(piece->found, places->path, "aiecc"))
			snprintf(piece->missing, sizeof(piece->missing),
				 "no aiecc in the folders of PATH: install mlir-aie 1.4.3 or newer, or name it with aiecc=FILE");
	} else if (access(places->aiecc, X_OK)) {
		snprintf(piece->missing, sizeof(piece->missing), "aiecc=%.90s is no program: install mlir-aie 1.4.3 or newer", places->aiecc);
	} else {
		snprintf(piece->found, sizeof(piece->found), "%s", places->aiecc);
	}
}

void aie_pieces_find(struct aie_piece pieces_out[AIE_PIECES], const struct aie_places *places)
{
	memset(pieces_out, 0, AIE_PIECES * sizeof(*pieces_out));
	driver_find(&pieces_out[AIE_PIECE_DRIVER], places);
	xrt_find(&pieces_out[AIE_PIECE_XRT], &pieces_out[AIE_PIECE_HEADERS], places);
	aiecc_find(&pieces_out[AIE_PIECE_AIECC], places);
	peano_find(&pieces_out[AIE_PIECE_PEANO], places);
}

ptowsp_status aie_pieces_need(const struct aie_piece pieces[AIE_PIECES], const enum aie_piece_kind *kinds, unsigned count, struct ptowsp_error *error)
{
	for (unsigned k = 0; k < count; k++)
		if (!*pieces[kinds[k]].found)
			return base_fail(error, PTOWSP_NO_DEVICE, "engine=device: %s", pieces[kinds[k]].missing);
	return PTOWSP_OK;
}
