/* SPDX-License-Identifier: MIT */
#include "command.h"

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

void ascend_command_add(struct ascend_command *command, const char *format, ...)
{
	char text[2048];
	va_list list;

	va_start(list, format);
	command->full |= vsnprintf(text, sizeof(text), format, list) >= (int)sizeof(text) || command->count == ASCEND_WORDS;
	va_end(list);
	if (!command->full && !(command->words[command->count++] = strdup(text)))
		command->full = true;
}

void ascend_command_begin(struct ascend_command *command, const char *variable, const char *standard)
{
	const char *at = getenv(variable);
	size_t length;

	for (at = at && *at ? at : standard; *at; at += length + (at[length] == ' ')) {
		length = strcspn(at, " ");
		if (length)
			ascend_command_add(command, "%.*s", (int)length, at);
	}
}

void ascend_command_finish(struct ascend_command *command)
{
	for (uint32_t i = 0; i < command->count; i++)
		free(command->words[i]);
	*command = (struct ascend_command){0};
}

int ascend_command_run(const struct ascend_command *command, const char *folder, const char *log)
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
