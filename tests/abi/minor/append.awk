# SPDX-License-Identifier: MIT
# append.awk - one header of the test minor out of one of abi/ptowsp; file: its name. First input: appended.txt.
function gated(text) { print "#if PTOWSP_ABI_TARGET >= 9999\n" text "\n#endif" }

BEGIN { FS = " [|] " }
NR == FNR {
	if (/^#/) next
	if ($2 == "append") rows[$1] = rows[$1] $3 "\n"
	else { size[$1] = $2; field[$1] = $3; row[$1] = $4 }
	next
}
# Rows come in front of what ends a table of macros, else at the end of the file. Ids need no gate: what does not know them does not use them.
file == "operations.def" && /^#undef EXTENSION/ { gated(substr(rows[file], 1, length(rows[file]) - 1)) }
file == "base.h" && /^#define PTOWSP_ABI_MINOR / { sub(/ [0-9]+/, " 9999") }
file == "structs.def" && match($0, /^END\([a-z_]+\)$/) && substr($0, 5, RLENGTH - 5) in row {
	name = substr($0, 5, RLENGTH - 5)
	gated("SIZE(" name ", 9999, " size[name] ")\n" row[name])
}
match($0, /^struct ptowsp_[a-z_]+ \{/) { name = substr($0, 15, RLENGTH - 16) }
/^};/ { if (name in field && file ~ /\.h$/) gated("\t" field[name]); name = "" }
{ print }
END { if (file in rows && file != "operations.def") printf "%s", rows[file] }
