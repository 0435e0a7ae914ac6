/* SPDX-License-Identifier: MIT */
/* task_board.c - what devices tell each other whose tasks come from C. */
#include "registry/common/common_grow.h"
#include "rt/graph/tasks.h"
#include "rt/program/rt_error.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { WAIT_NS = 10000000 }; /* then it is asked whether the run is to end */

/* Notifications that nobody has taken. */
struct letters {
	uint32_t from, to, notification;
	uint64_t count;
};
struct device {
	uint64_t begun, ended; /* runs */
};
struct rt_board {
	pthread_mutex_t lock;
	pthread_cond_t news;
	struct device *devices;
	uint32_t device_count;
	struct letters *letters;
	uint32_t count, room;
};

ptowsp_status rt_board_create(struct rt_board **board_out, uint32_t devices, struct ptowsp_error *error)
{
	struct rt_board *board = calloc(1, sizeof(*board));

	*board_out = board;
	if (board)
		board->devices = calloc((size_t)devices + 1, sizeof(*board->devices));
	if (!board || !board->devices) {
		free(board);
		*board_out = NULL;
		return rt_no_memory(error, "a board");
	}
	board->device_count = devices;
	pthread_mutex_init(&board->lock, NULL);
	pthread_cond_init(&board->news, NULL);
	return PTOWSP_OK;
}

void rt_board_destroy(struct rt_board *board)
{
	if (!board)
		return;
	pthread_cond_destroy(&board->news);
	pthread_mutex_destroy(&board->lock);
	free(board->devices);
	free(board->letters);
	free(board);
}

void rt_task_board_run(const struct rt_tasks *tasks, bool ends)
{
	struct rt_board *board = tasks->config.board;

	if (!board || tasks->config.device >= board->device_count)
		return;
	pthread_mutex_lock(&board->lock);
	board->devices[tasks->config.device].begun += !ends;
	board->devices[tasks->config.device].ended += ends;
	pthread_cond_broadcast(&board->news);
	pthread_mutex_unlock(&board->lock);
}

static ptowsp_status board_check(struct rt_tasks *tasks, uint32_t device)
{
	const struct rt_board *board = tasks->config.board;

	if (tasks->status)
		return tasks->status;
	if (!tasks->running || tasks->open || !board || device >= board->device_count || tasks->config.device >= board->device_count)
		return rt_tasks_fail(tasks, PTOWSP_INVALID, "devices of a board tell each other something, between tasks");
	return PTOWSP_OK;
}

/* Those between two devices, made if there are none yet. NULL: no memory. Under the lock. */
static struct letters *letters_of(struct rt_board *board, uint32_t from, uint32_t to, uint32_t notification)
{
	for (uint32_t i = 0; i < board->count; i++)
		if (board->letters[i].from == from && board->letters[i].to == to && board->letters[i].notification == notification)
			return &board->letters[i];
	if (!COMMON_GROW(board->letters, board->room, board->count))
		return NULL;
	board->letters[board->count] = (struct letters){from, to, notification, 0};
	return &board->letters[board->count++];
}

ptowsp_status rt_tasks_notify(struct rt_tasks *tasks, uint32_t device, uint32_t notification)
{
	struct rt_board *board = tasks->config.board;
	struct letters *letters;

	if (board_check(tasks, device))
		return tasks->status;
	if (tasks->next && !tasks->aloft)
		return rt_tasks_fail(tasks, PTOWSP_INVALID,
				     "a device is told when tasks have ended, and in the safe mode none has run yet; give the run a threshold of 1 or more");
	if (tasks->aloft)
		tasks->status = rt_flight_wait(&tasks->aloft->flight, tasks->next, &tasks->error);
	if (tasks->status)
		return tasks->status;
	pthread_mutex_lock(&board->lock);
	letters = letters_of(board, tasks->config.device, device, notification);
	if (letters)
		letters->count++;
	pthread_cond_broadcast(&board->news);
	pthread_mutex_unlock(&board->lock);
	return letters ? PTOWSP_OK : rt_tasks_fail(tasks, PTOWSP_NO_MEMORY, "no memory for a notification");
}

/* Under the lock. The device has no run any more that could send one. */
static bool is_over(const struct rt_tasks *tasks, uint32_t device)
{
	const struct rt_board *board = tasks->config.board;

	return board->devices[device].ended >= board->devices[tasks->config.device].begun;
}

ptowsp_status rt_tasks_wait_notify(struct rt_tasks *tasks, uint32_t device, uint32_t notification)
{
	struct rt_board *board = tasks->config.board;
	struct letters *letters;
	struct timespec until;

	if (board_check(tasks, device))
		return tasks->status;
	pthread_mutex_lock(&board->lock);
	while ((letters = letters_of(board, device, tasks->config.device, notification)) && !letters->count && !is_over(tasks, device) &&
	       !rt_tasks_cancelled(tasks)) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += WAIT_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&board->news, &board->lock, &until);
	}
	if (!letters)
		rt_tasks_fail(tasks, PTOWSP_NO_MEMORY, "no memory for a notification");
	else if (letters->count)
		letters->count--;
	else if (rt_tasks_cancelled(tasks))
		rt_tasks_fail(tasks, PTOWSP_CANCELLED, "the run was cancelled");
	else
		rt_tasks_fail(tasks, PTOWSP_DEADLOCK, "deadlock: a notification is waited for, and the run of the device that would send it has ended");
	pthread_mutex_unlock(&board->lock);
	return tasks->status;
}
