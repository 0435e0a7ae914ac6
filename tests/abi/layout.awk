# SPDX-License-Identifier: MIT
# layout.awk - readelf --debug-dump=info | awk -f layout.awk: structs ptowsp_* field by field, and enumerators PTOWSP_*.

# <1><2e>: Abbrev Number: 2 (DW_TAG_base_type)
$2 == "Abbrev" && $3 == "Number:" {
	if ($4 == 0) next # the end of a list
	split($1, part, /[<>]+/)
	depth = part[2]; die = part[3]
	tag[die] = substr($5, 9, length($5) - 9)
	at[depth] = die
	parent[die] = depth > 0 ? at[depth - 1] : ""
	if (parent[die] != "") child[parent[die], ++children[parent[die]]] = die
	order[++count] = die
	next
}
# <2f> DW_AT_name : (indirect string, offset: 0x1e): unsigned char
$2 ~ /^DW_AT_/ {
	attribute = substr($2, 7)
	sub(/:$/, "", attribute)
	value = $0
	if (attribute == "name" && value ~ /string, offset/) sub(/^.*offset: 0x[0-9a-f]+\): /, "", value)
	else sub(/^[^:]*: /, "", value)
	sub(/[ \t]+$/, "", value)
	if (attribute == "type") gsub(/[<>]|0x/, "", value)
	has[die, attribute] = value
}

function size_of(die,    t, n, i) {
	t = tag[die]
	if (t == "pointer_type") return 8
	if (t == "array_type") {
		n = size_of(has[die, "type"])
		for (i = 1; i <= children[die]; i++) n *= has[child[die, i], "upper_bound"] + 1
		return n
	}
	if ((die, "byte_size") in has) return has[die, "byte_size"]
	return size_of(has[die, "type"])
}
# A type as text; of a function also its parameters, as a changed one breaks callers without moving a field.
function text_of(die,    t, i, text) {
	if (die == "") return "void"
	t = tag[die]
	if (t == "typedef" || t == "base_type") return has[die, "name"]
	if (t == "structure_type") return "struct:" has[die, "name"]
	if (t == "const_type") return "const:" text_of(has[die, "type"])
	if (t == "pointer_type") return text_of(has[die, "type"]) "*"
	if (t == "array_type") {
		text = text_of(has[die, "type"])
		for (i = 1; i <= children[die]; i++) text = text "[" has[child[die, i], "upper_bound"] + 1 "]"
		return text
	}
	if (t == "subroutine_type") {
		text = text_of(has[die, "type"]) "("
		for (i = 1; i <= children[die]; i++) text = text (i > 1 ? "," : "") text_of(has[child[die, i], "type"])
		return text ")"
	}
	return t
}

END {
	for (i = 1; i <= count; i++) {
		die = order[i]
		name = has[die, "name"]
		if (tag[die] == "structure_type" && name ~ /^ptowsp_/ && (die, "byte_size") in has) {
			print "struct", name, "-", 0, has[die, "byte_size"], "-"
			for (j = 1; j <= children[die]; j++) {
				field = child[die, j]
				if (tag[field] != "member") continue
				text = text_of(has[field, "type"])
				gsub(/ /, "_", text)
				print "struct", name, has[field, "name"], has[field, "data_member_location"] + 0, size_of(has[field, "type"]), text
			}
		}
		if (tag[die] == "enumerator" && name ~ /^PTOWSP_/) print "constant", name, has[die, "const_value"]
	}
}
