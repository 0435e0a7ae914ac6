/* SPDX-License-Identifier: MIT */
/* bytes.h - what the host looks at of a plugin's file, in memory. */
#ifndef HOST_BYTES_H
#define HOST_BYTES_H

#include "ptowsp/base.h"

#define HOST_BYTES_LIMIT (INT64_C(2) << 30) /* of one plugin; compilers inside plugins take some hundred MiB */

/* Head and parts of a file (host/find/elf.h), each where it stands in the file; what lies between them is undefined. *size_out: of the file; of one
 * that becomes shorter meanwhile, as far as it was there. Release *bytes_out also after a failure. Errors: PLUGIN_REFUSED, NO_MEMORY. */
ptowsp_status host_bytes_read(int fd, const char *path, unsigned char **bytes_out, size_t *size_out, struct ptowsp_error *error);
void host_bytes_release(unsigned char *bytes);

#endif
