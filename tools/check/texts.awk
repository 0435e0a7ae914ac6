# SPDX-License-Identifier: MIT
# texts.awk - literals of C source, neighbours joined, escapes undone (a line's end is a blank). all=1: all of them, one a line. all=0: those that say something to a user, as
# "file<tab>sentence", formats as they are; forms: the file texts.forms.
function forms_read(    line, field, at) {
	while ((getline line < forms) > 0) {
		if (line ~ /^(#|$)/)
			continue
		if (line ~ /^= /) {
			none[substr(line, 3)]
			continue
		}
		split(line, field, " ")
		at = field[1] " " field[2]
		sub(/^[^ ]+ [^ ]+ /, "", line)
		form[at] = line
		if (field[2] ~ /\+$/)
			from[field[1]] = field[2] + 0
	}
}
# The form of the text's place: that of the innermost call around it; "" if none is listed.
function form_here(    d) {
	for (d = depth; d > 0 && called[d] == ""; d--)
		;
	place = d
	if (d <= 0 || called[d] == "{")
		return ""
	if (called[d] " " comma[d] in form)
		return form[called[d] " " comma[d]]
	if (called[d] in from && comma[d] >= from[called[d]])
		return form[called[d] " " from[called[d]] "+"]
	return ""
}
function literal_put(file,    here, at, said) {
	if (all) {
		gsub(/%%/, "%", literal)
		print literal
		return
	}
	here = form_here()
	if (here == "-" || literal in none || literal !~ /[A-Za-z]/ || directive || literal ~ /%%?[a-z]+ = [^ ]*$|\n./)
		return
	if (here == "") {
		if (literal !~ /[A-Za-z,;:)] [A-Za-z]/)
			return
		here = "@"
	}
	gsub(/\n/, " ", literal)
	said = ""
	while ((at = index(here, "@"))) {
		said = said substr(here, 1, at - 1)
		here = substr(here, at + 1)
		if (here ~ /^[0-9]/) {
			said = said (character[place] == "" ? "%s" : character[place])
			here = substr(here, 2)
		} else {
			said = said literal
		}
	}
	print file "\t" said here
}
function source_read(file,    i, n, c, rest, word, blank, open) {
	n = length(source)
	depth = directive = 0
	word = literal = ""
	for (i = 1; i <= n; i++) {
		c = substr(source, i, 1)
		if (c == "/" && substr(source, i, 2) == "/*") {
			rest = substr(source, i + 2)
			i += index(rest, "*/") + 2
			continue
		}
		if (c == "'") {
			rest = substr(source, i + 1, 1) == "\\" ? 3 : 2
			character[depth] = substr(source, i + 1, rest - 1)
			i += rest
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
			if (c == "\n" && !open)
				directive = 0
			continue
		}
		if (open) {
			literal_put(file)
			literal = ""
			open = directive = 0
		}
		if (c == "#" && substr(source, i, 8) ~ /^#(include|error)/)
			directive = 1
		if (c ~ /[A-Za-z0-9_]/) {
			word = blank ? c : word c
			blank = 0
			continue
		}
		blank = 1
		if (c == "(" || c == "{") {
			depth++
			called[depth] = c == "{" ? c : word
			comma[depth] = 0
			character[depth] = ""
		} else if (c == ")" || c == "}") {
			depth--
		} else if (c == ",") {
			comma[depth]++
		}
		word = ""
	}
	source = ""
}
BEGIN {
	if (!all)
		forms_read()
}
FNR == 1 && NR > 1 { source_read(file) }
FNR == 1 { file = FILENAME }
{ source = source $0 "\n" }
END { source_read(file) }
