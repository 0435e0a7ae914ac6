# SPDX-License-Identifier: MIT
# arrows.awk - ninja -n -t deps | awk -f tools/check/arrows.awk tools/check/arrows.txt -
# Prints "not ok" for each include against arrows.txt and for each source in a folder that it does not list; else one "ok".
BEGIN { good = "ok includes_follow_the_arrows" }

# Where a path belongs: plugins/rt/threads/ring.h -> plugins/rt, plugins/aie/place/aie_place.c -> plugins/aie (rules of plugins/*), host/x.c -> host.
function folder(path,    part, n, two) {
	n = split(path, part, "/")
	two = part[1] "/" part[2]
	if (n > 2 && (two in allowed)) return two
	if (n > 2 && (part[1] "/*" in allowed)) return two
	return part[1] in allowed ? part[1] : ""
}
function rule(f,    part) {
	if (f in allowed) return allowed[f]
	split(f, part, "/")
	return allowed[part[1] "/*"]
}
function bad(name, why) { if (!((name, why) in said)) print "not ok " name " - " why; said[name, why] = 1; good = "" }

FNR == NR {
	if ($0 ~ /^#/ || NF == 0) next
	f = $1; $1 = ""
	allowed[f] = $0 " "
	next
}
/: #deps / { first = 1; stale = /\(STALE\)/; next }
NF == 0 || stale { next }
{
	path = $1
	sub(/^build\/minor\/abi\//, "abi/", path) # the headers of the test minor stand for those of abi
	if (first) {
		first = 0; source = path; from = folder(path); seen++
		if (path ~ /^build\//) from = "" # written by the build: it lies in no folder of the tree
		else if (from == "") bad("source_" path, "its folder is not in arrows.txt")
		next
	}
	if (path ~ /^\// || from == "") next # the system's
	to = folder(path)
	if (to == from || index(rule(from), " * ") || (to != "" && index(rule(from), " " to " "))) next
	bad("include_of_" path "_by_" source, from " may include" (rule(from) ~ /[^ ]/ ? rule(from) : " nothing ") "and itself only")
}
END {
	if (!seen) bad("includes_are_known", "ninja has no dependency records; build first")
	if (good) print good
}
