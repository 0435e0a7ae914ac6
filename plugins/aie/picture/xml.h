/* SPDX-License-Identifier: MIT */
/* xml.h - a name that somebody chose as text of XML. Bytes that are no UTF-8 and characters that XML does not know become '?'. */
#ifndef AIE_XML_H
#define AIE_XML_H

#include "registry/common/common_text.h"

void aie_xml_add(struct common_text *text, const char *name);
/* At most so many bytes of the name, with "..." behind a cut between characters. */
void aie_xml_add_short(struct common_text *text, const char *name, size_t bytes);

#endif
