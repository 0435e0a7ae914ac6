# SPDX-License-Identifier: MIT
# texts.awk - literals of C source, one a line, neighbours joined, escapes undone (a line's end is a blank). all=1: all of them; all=0: those with a blank and 12
# characters or more within calls that say something to a user, formats as they are.
function literals_put(    i) {
	for (i = 0; i < held; i++)
		print text[i]
	held = 0
}
BEGIN {
	say = "lang_error|lang_warn|lang_help|lang_operand_refuse|build_refuse|build_fail"
}
{ source = source $0 "\n" }
END {
	n = length(source)
	depth = inside = joined = 0
	word = literal = ""
	for (i = 1; i <= n; i++) {
		c = substr(source, i, 1)
		if (c == "/" && substr(source, i, 2) == "/*") {
			rest = substr(source, i + 2)
			i += index(rest, "*/") + 2
			continue
		}
		if (c == "'") {
			i += substr(source, i + 1, 1) == "\\" ? 3 : 2
			continue
		}
		if (c == "\"") {
			for (i++; (c = substr(source, i, 1)) != "\""; i++) {
				if (c == "\\") {
					c = substr(source, ++i, 1)
					c = c == "n" ? "\n" : c == "t" ? "\t" : c
				}
				literal = literal c
			}
			open = 1
			continue
		}
		if (c == " " || c == "\t" || c == "\n") {
			if (!open)
				blank = 1
			continue
		}
		if (open) {
			if (all) {
				gsub(/%%/, "%", literal)
				print literal
			} else if (inside && length(literal) >= 12 && index(literal, " ")) {
				gsub(/\n/, " ", literal)
				print literal
			}
			literal = ""
			open = 0
		}
		if (c ~ /[A-Za-z0-9_]/) {
			word = blank ? c : word c
			blank = 0
			continue
		}
		blank = 1
		if (c == "(") {
			depth++
			if (!inside && word ~ "^(" say ")$")
				inside = depth
		} else if (c == ")") {
			if (inside == depth)
				inside = 0
			depth--
		}
		word = ""
	}
}
