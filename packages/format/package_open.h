/* SPDX-License-Identifier: MIT */
/* package_open.h - a package while it is opened; shared by format_package.c and package_tables.c. */
#ifndef FORMAT_PACKAGE_OPEN_H
#define FORMAT_PACKAGE_OPEN_H

#include "format/container.h"
#include "format/format_package.h"

#include <pthread.h>

#define PKG_NOTICE_SIZE 128

struct pkg {
	struct pkg_container container;
	uint8_t identity[PKG_DIGEST_SIZE];
	struct pkg_caps caps;
	struct pkg_signature signatures[PKG_SIGNATURE_ROWS];
	uint32_t signature_count;
	char *path;                                        /* owned copy of the name in messages */
	uint8_t *file;                                     /* owned bytes of a file that was read here, NULL for pkg_open_memory */
	uint8_t *data[PKG_SECTION_LIMIT];                  /* owned decoded sections; NULL for TBLB and for unknown sections */
	struct ptowsp_section sections[PKG_SECTION_LIMIT]; /* known ones but TBLB */
	uint32_t section_count;
	void *native[PKG_SECTION_LIMIT]; /* owned copies of tables that have another stride */
	struct pkg_tables tables;
	char notices[PKG_SECTION_LIMIT + 1][PKG_NOTICE_SIZE];
	uint32_t notice_count;
	uint32_t sample_row;         /* of TBLB in the table of contents, section_count of the header without one */
	pthread_mutex_t sample_lock; /* guards data[sample_row] */
};

static inline struct pkg_place pkg_place_of(const struct pkg *p, struct ptowsp_error *error)
{
	return (struct pkg_place){p->path, error};
}

/* format: with one %s. */
void pkg_notice_add(struct pkg *p, const char *format, const char *what);
/* Section i of the table of contents, decoded into its table. Errors: BAD_PACKAGE, NO_MEMORY. */
ptowsp_status pkg_section_open(struct pkg *p, uint32_t i, struct ptowsp_error *error);

#endif
