/* SPDX-License-Identifier: MIT */
/* torch.c - the work of bench/programs/layers.pto by torch, which a Python beside us has or not: bench/with_torch.py runs as long as we do and answers with times. */
#include "tools/bench/programs.h"
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The Python that answers; from NULL: there is none. */
static struct {
	bool asked;
	FILE *to, *from;
} torch;

static void python_become(const char *python, const char *script, int end)
{
	dup2(end, STDIN_FILENO);
	dup2(end, STDOUT_FILENO);
	if (freopen("/dev/null", "w", stderr))
		execlp(python, python, script, (char *)NULL);
	_exit(127);
}

/* The script first says its version of torch, and nothing where there is none. */
static bool python_start(const char *python, const char *script)
{
	char line[80];
	int ends[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return false;
	child = fork();
	if (!child)
		python_become(python, script, ends[1]);
	close(ends[1]);
	torch.from = fdopen(ends[0], "r");
	torch.to = fdopen(dup(ends[0]), "w");
	if (child > 0 && torch.from && torch.to && fgets(line, sizeof(line), torch.from) && !strncmp(line, "torch ", 6))
		return true;
	if (torch.to)
		fclose(torch.to);
	if (torch.from)
		fclose(torch.from);
	torch.from = torch.to = NULL;
	if (child > 0)
		waitpid(child, NULL, 0);
	return false;
}

bool bench_torch_is_here(const struct bench *bench)
{
	static const char *const known[] = {"python3", "/usr/bin/python3"};
	char script[BENCH_PATH];

	bench_build_path(bench, "../tools/bench/with_torch.py", script);
	for (size_t i = 0; !torch.asked && !torch.from && i < sizeof(known) / sizeof(*known); i++)
		python_start(known[i], script);
	torch.asked = true;
	return torch.from;
}

ptowsp_status bench_torch(void *context, double *value_out, struct ptowsp_error *error)
{
	const char *name = strchr(((const struct bench_program *)context)->hand, ' ');
	char line[80] = "";

	fprintf(torch.to, "%s\n", name + 1);
	fflush(torch.to);
	if (fgets(line, sizeof(line), torch.from)) {
		*value_out = strtod(line, NULL);
		return PTOWSP_OK;
	}
	snprintf(error->text, sizeof(error->text), "torch ended while it measured%s", name);
	return PTOWSP_RUN_FAILED;
}
