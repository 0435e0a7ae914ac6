/* SPDX-License-Identifier: MIT */
#include "command.h"

#include "error.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void base_command_add(struct base_command *command, const char *format, ...)
{
	char text[2048];
	va_list list;

	va_start(list, format);
	command->full |= vsnprintf(text, sizeof(text), format, list) >= (int)sizeof(text) || command->count == BASE_COMMAND_WORDS;
	va_end(list);
	if (!command->full && !(command->words[command->count++] = strdup(text)))
		command->full = true;
}

void base_command_begin(struct base_command *command, const char *variable, const char *standard)
{
	const char *at = secure_getenv(variable);
	size_t length;

	for (at = at && *at ? at : standard; *at; at += length + (at[length] == ' ')) {
		length = strcspn(at, " ");
		if (length)
			base_command_add(command, "%.*s", (int)length, at);
	}
}

void base_command_finish(struct base_command *command)
{
	for (uint32_t i = 0; i < command->count; i++)
		free(command->words[i]);
	*command = (struct base_command){0};
}

int base_command_run(const struct base_command *command, const char *folder, const char *log)
{
	posix_spawn_file_actions_t actions;
	int status = 0, failed;
	pid_t pid;

	if (posix_spawn_file_actions_init(&actions))
		return 127;
	failed = posix_spawn_file_actions_addchdir_np(&actions, folder) || posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) ||
		 posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0644) ||
		 posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO) ||
		 posix_spawnp(&pid, command->words[0], &actions, NULL, command->words, environ);
	posix_spawn_file_actions_destroy(&actions);
	while (!failed && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return failed ? 127 : WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* The first line with an error, of what a compiler wrote. */
static void complaint(const char *path, char *text, size_t room)
{
	char line[400];
	FILE *file = fopen(path, "r");

	*text = 0;
	while (file && fgets(line, sizeof(line), file))
		if (!*text || (strstr(line, "error") && !strstr(text, "error")))
			snprintf(text, room, "%.*s", (int)strcspn(line, "\n"), line);
	if (file)
		fclose(file);
}

ptowsp_status base_command_compile(const struct base_command *command, const char *folder, const char *what, const char *whose, struct ptowsp_error *error)
{
	char log[1056], text[400];
	const char *program = command->words[0];
	int code;

	if (command->full)
		return base_fail(error, PTOWSP_INVALID, "the command that compiles %s is too long; use shorter paths", what);
	snprintf(log, sizeof(log), "%s/%s.log", folder, what);
	code = base_command_run(command, folder, log);
	if (!code)
		return PTOWSP_OK;
	if (code == 127)
		return base_fail(error, PTOWSP_NO_DEVICE, "%s%s, which compiles the %s%s, cannot be run; install it%s", strlen(program) > 90 ? "..." : "",
				 program + (strlen(program) > 90 ? strlen(program) - 90 : 0), what, whose, *program == '/' ? "" : ", or set CC and CXX");
	complaint(log, text, sizeof(text));
	return base_fail(error, PTOWSP_NO_DEVICE, "the %s cannot be compiled: %.90s; all of it is in %.70s", what, text, log);
}
