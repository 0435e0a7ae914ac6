# SPDX-License-Identifier: MIT
# irdl.awk - a design in the generic form, as the printer of plugins/aie lays it out, to what mlir-opt can look at with aie.irdl.mlir: names without dots, dimensions of
# DMAs left out, ends that MLIR may take for terminators, and functions beside the device, where calls in cores find them.
function named(line) {
	gsub(/"aie\.objectfifo\.link"/, "\"aie.fifo_link\"", line)
	gsub(/"aie\.objectfifo\.allocate"/, "\"aie.fifo_allocate\"", line)
	gsub(/"aie\.objectfifo\.acquire"/, "\"aie.fifo_acquire\"", line)
	gsub(/"aie\.objectfifo\.release"/, "\"aie.fifo_release\"", line)
	gsub(/"aie\.objectfifo"/, "\"aie.fifo_declared\"", line)
	gsub(/"aiex\.npu\./, "\"aiex.npu_", line)
	gsub(/"aie\.end"/, "\"ends.here\"", line)
	return line
}
# Fewest characters between #aie< and its ]>: each attribute by itself.
function plain(line,    head, at, end) {
	head = ""
	while ((at = index(line, "#aie<"))) {
		end = index(substr(line, at), "]>")
		head = head substr(line, 1, at - 1) "unit"
		line = substr(line, at + end + 1)
	}
	return head line
}
/^    "func\.func"/ { inside = 1 }
inside {
	functions = functions plain($0) "\n"
	if ($0 ~ /\(\{\}\)/ || $0 ~ /^    }\)/)
		inside = 0
	next
}
/^    "aie\.runtime_sequence"/ { sequence = 1 }
sequence && /^    }\)/ {
	lines[++count] = "      \"ends.here\"() : () -> ()"
	sequence = 0
}
{ lines[++count] = named(plain($0)) }
END {
	for (i = 1; i <= count; i++) {
		print lines[i]
		if (lines[i] ~ /^"builtin\.module"/)
			printf "%s", functions
	}
}
