/* SPDX-License-Identifier: MIT */
/* aie_text.h - text that grows. A failed allocation is remembered, what is added behind it is lost. One thread. */
#ifndef AIE_TEXT_H
#define AIE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct aie_text {
	char *bytes;         /* owned, ends with a 0; NULL: nothing was added */
	size_t length, room;
	bool failed;
};
void aie_text_finish(struct aie_text *text);
void aie_text_add(struct aie_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void aie_text_bytes(struct aie_text *text, const char *bytes, size_t length);
void aie_text_put(struct aie_text *text, const char *string);
/* A name as a string of JSON, quotes included, and as text of XML; `short` of at most so many bytes, "..." behind what is cut. Bytes that are no UTF-8 and what XML
 * does not know become '?'. */
void aie_text_json(struct aie_text *text, const char *name);
void aie_text_xml(struct aie_text *text, const char *name);
void aie_text_xml_short(struct aie_text *text, const char *name, size_t bytes);

#endif
