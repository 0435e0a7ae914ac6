/* SPDX-License-Identifier: MIT */
/* test_confine.c - the filter of a sandbox's system calls, asked by a few lines that do what the kernel does with it: on machines, too, whose kernel or emulator has no
 * seccomp. */
#include "tests/check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/sandbox/cgroup.h"
#include "host/sandbox/confine.h"
#include "host/sandbox/grants.h"

#if defined(__x86_64__)
#define HERE      AUDIT_ARCH_X86_64
#define ELSEWHERE AUDIT_ARCH_I386
#else
#define HERE      AUDIT_ARCH_AARCH64
#define ELSEWHERE AUDIT_ARCH_ARM
#endif

/* What the filter with these grants answers; 0 where it runs off its end or does what this does not know. */
static uint32_t answer_with(const char *grants, const struct seccomp_data *call)
{
	struct sock_filter rows[HOST_CONFINE_ROWS];
	const unsigned count = host_confine_filter(rows, grants);
	uint32_t word = 0;

	for (unsigned at = 0; at < count; at++) {
		const struct sock_filter *row = &rows[at];

		switch (row->code) {
		case BPF_LD | BPF_W | BPF_ABS: memcpy(&word, (const char *)call + row->k, sizeof(word)); break;
		case BPF_ALU | BPF_AND | BPF_K: word &= row->k; break;
		case BPF_JMP | BPF_JEQ | BPF_K: at += word == row->k ? row->jt : row->jf; break;
		case BPF_JMP | BPF_JGE | BPF_K: at += word >= row->k ? row->jt : row->jf; break;
		case BPF_RET | BPF_K: return row->k;
		default: return 0;
		}
	}
	return 0;
}

static uint32_t answer(const struct seccomp_data *call)
{
	return answer_with("", call);
}

static uint32_t answer_to(int number, uint64_t first)
{
	return answer(&(struct seccomp_data){.nr = number, .arch = HERE, .args = {first}});
}

static uint32_t answer_to_fcntl(uint64_t command)
{
	return answer(&(struct seccomp_data){.nr = SYS_fcntl, .arch = HERE, .args = {0, command}});
}

TEST(calls_that_compute_and_wait_are_there)
{
	static const int calls[] = {SYS_read, SYS_write,      SYS_openat,       SYS_mmap,          SYS_mprotect,   SYS_munmap, SYS_futex,
				    SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_clock_gettime, SYS_newfstatat, SYS_recvmsg};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (answer_to(calls[i], 0) != SECCOMP_RET_ALLOW)
			CHECK_FAIL("call %d is answered with %x", calls[i], answer_to(calls[i], 0));
	CHECK_UINT(answer_to(SYS_clone, CLONE_THREAD | CLONE_VM | CLONE_SIGHAND | CLONE_FILES), SECCOMP_RET_ALLOW);
	CHECK_UINT(answer_to(SYS_tgkill, (uint64_t)getpid()), SECCOMP_RET_ALLOW);
	CHECK_UINT(answer_to(SYS_prlimit64, 0), SECCOMP_RET_ALLOW);
	CHECK_UINT(answer_to(SYS_sched_setaffinity, 0), SECCOMP_RET_ALLOW);
	for (uint64_t command = 0; command < 1100; command++)
		if (command != F_SETOWN && command != F_SETSIG && command != F_SETOWN_EX && command != F_SETPIPE_SZ && command != F_SETLEASE &&
		    command != F_NOTIFY)
			CHECK_UINT(answer_to_fcntl(command), SECCOMP_RET_ALLOW);
	CHECK_UINT(answer_to(SYS_prctl, PR_SET_NAME), SECCOMP_RET_ALLOW);
	CHECK_UINT(answer_to(SYS_prctl, PR_GET_SECCOMP), SECCOMP_RET_ALLOW);
}

TEST(calls_that_reach_others_are_not)
{
	static const int calls[] = {SYS_socket, SYS_connect,           SYS_sendmsg,  SYS_execve,     SYS_execveat,    SYS_kill,   SYS_tkill,
				    SYS_ptrace, SYS_process_vm_writev, SYS_unlinkat, SYS_renameat2,  SYS_mkdirat,     SYS_mount,  SYS_setuid,
				    SYS_bpf,    SYS_io_uring_setup,    SYS_shmget,   SYS_pidfd_open, SYS_init_module, SYS_seccomp};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (answer_to(calls[i], 0) != (SECCOMP_RET_ERRNO | EPERM))
			CHECK_FAIL("call %d is answered with %x", calls[i], answer_to(calls[i], 0));
	CHECK_UINT(answer_to(SYS_clone, 17), SECCOMP_RET_ERRNO | EPERM);                                      /* fork */
	CHECK_UINT(answer_to(SYS_clone, CLONE_THREAD | CLONE_VM | CLONE_SIGHAND), SECCOMP_RET_ERRNO | EPERM); /* descriptors that its keeper does not see */
	CHECK_UINT(answer_to(SYS_clone3, 0), SECCOMP_RET_ERRNO | ENOSYS);
	CHECK_UINT(answer_to(SYS_tgkill, (uint64_t)getpid() + 1), SECCOMP_RET_ERRNO | EPERM);
	CHECK_UINT(answer_to(SYS_prlimit64, (uint64_t)getppid()), SECCOMP_RET_ERRNO | EPERM);
	CHECK_UINT(answer_to(SYS_sched_setaffinity, (uint64_t)getppid()), SECCOMP_RET_ERRNO | EPERM);
	CHECK_UINT(answer_to_fcntl(F_SETOWN), SECCOMP_RET_ERRNO | EPERM); /* a signal to anybody when a pipe is ready */
	CHECK_UINT(answer_to_fcntl(F_SETSIG), SECCOMP_RET_ERRNO | EPERM);
	CHECK_UINT(answer_to_fcntl(F_SETOWN_EX), SECCOMP_RET_ERRNO | EPERM);
	CHECK_UINT(answer_to_fcntl(F_SETPIPE_SZ), SECCOMP_RET_ERRNO | EPERM); /* memory that nothing counts */
	CHECK_UINT(answer_to_fcntl(F_SETLEASE), SECCOMP_RET_ERRNO | EPERM);   /* whoever opens the file waits */
	CHECK_UINT(answer_to_fcntl(F_NOTIFY), SECCOMP_RET_ERRNO | EPERM);
	CHECK_UINT(answer_to(SYS_prctl, PR_SET_PDEATHSIG), SECCOMP_RET_ERRNO | EPERM); /* it ends with its keeper */
	CHECK_UINT(answer_to(SYS_prctl, PR_SET_DUMPABLE), SECCOMP_RET_ERRNO | EPERM);  /* which looks at what it takes */
	CHECK_UINT(answer_to(SYS_setsid, 0), SECCOMP_RET_ERRNO | EPERM);
	CHECK_UINT(answer_to(SYS_setpgid, 0), SECCOMP_RET_ERRNO | EPERM);
	CHECK_UINT(answer_to(0x40000000 | SYS_read, 0), SECCOMP_RET_ERRNO | EPERM); /* x32 */
}

/* Words of a note bring their calls, and no others; as often as they are said, the filter has room. */
TEST(calls_that_a_note_asks_for_are_there_by_grants_alone)
{
	static const struct {
		const char *grants;
		int call;
	} rows[] = {{"device=/dev/dri/renderD*", SYS_ioctl}, {"memory=locked", SYS_mlock}, {"memory=locked", SYS_munlock}, {"call=mbind", SYS_mbind}};
	static const int never[] = {SYS_socket, SYS_execve, SYS_kill, SYS_ptrace, SYS_bpf};
	char many[HOST_GRANTS_TEXT] = "memory=locked";

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct seccomp_data call = {.nr = rows[i].call, .arch = HERE};

		CHECK_UINT(answer(&call), SECCOMP_RET_ERRNO | EPERM);
		CHECK_UINT(answer_with("read=/etc/OpenCL", &call), SECCOMP_RET_ERRNO | EPERM);
		CHECK_UINT(answer_with(rows[i].grants, &call), SECCOMP_RET_ALLOW);
		for (size_t k = 0; k < sizeof(never) / sizeof(*never); k++)
			CHECK_UINT(answer_with(rows[i].grants, &(struct seccomp_data){.nr = never[k], .arch = HERE}), SECCOMP_RET_ERRNO | EPERM);
	}
	while (strlen(many) + sizeof(";memory=locked") <= sizeof(many))
		strcat(many, ";memory=locked");
	CHECK_UINT(answer_with(many, &(struct seccomp_data){.nr = SYS_mlock, .arch = HERE}), SECCOMP_RET_ALLOW);
}

/* The numbers of another machine mean other calls. */
TEST(calls_of_another_machine_end_the_process)
{
	CHECK_UINT(answer(&(struct seccomp_data){.nr = SYS_read, .arch = ELSEWHERE}), SECCOMP_RET_KILL_PROCESS);
}

/* ---- memory that becomes code: what is refused, and what abi/README.md says is not ---- */

enum { CONFINED = 1, BOTH = 2, TURNED = 4, MAPPED_AGAIN = 8 };

/* Bits of what a confined process could do. */
static int code_tried(void)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	const int fd = memfd_create("code", MFD_CLOEXEC);
	void *both = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *plain = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *again = MAP_FAILED;

	if (fd >= 0 && write(fd, "", 1) == 1)
		again = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	return CONFINED | (both != MAP_FAILED ? BOTH : 0) | (!mprotect(plain, size, PROT_READ | PROT_EXEC) ? TURNED : 0) |
	       (again != MAP_FAILED ? MAPPED_AGAIN : 0);
}

TEST(memory_does_not_turn_into_code_but_a_memory_file_is_mapped_again)
{
	pid_t child;
	int status = 0;

	if (!host_mdwe_there())
		CHECK_SKIP("this kernel cannot forbid it");
	child = fork();
	if (!child)
		_exit(host_confine_memory() ? code_tried() : 0);
	REQUIRE(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), CONFINED | MAPPED_AGAIN);
}

/* Made with its limits, or not at all; and nothing of it is left. */
TEST(a_control_group_has_its_limits_and_goes_again)
{
	const struct host_limits limits = {.memory = 64 << 20, .threads = 77};
	struct host_cgroup group;
	char path[PATH_MAX], *text = NULL;

	if (!host_cgroup_make(&group, &limits)) {
		CHECK_STR(group.path, "");
		CHECK(!host_cgroup_there());
		CHECK_SKIP("no control group can be made here");
	}
	strcpy(path, group.path);
	text = check_read(check_fmt("%s/memory.max", path), NULL);
	CHECK_STR(text, "67108864\n");
	free(text);
	text = check_read(check_fmt("%s/pids.max", path), NULL);
	CHECK_STR(text, "77\n");
	free(text);
	host_cgroup_end(&group);
	CHECK(access(path, F_OK) != 0);
}

/* Half of the machine, or what tensors may have and some more; what is given stays. */
TEST(limits_follow_what_tensors_may_have)
{
	struct host_limits whole = {0}, some = {0}, given = {.memory = 5, .threads = 6, .cpu_s = 7};

	host_limits_fill(&whole, 0, 0);
	host_limits_fill(&some, 1 << 20, 1000);
	host_limits_fill(&given, 1 << 20, 1000);
	CHECK(whole.memory >= UINT64_C(1) << 30 && whole.threads > 256 && whole.cpu_s >= 86400);
	CHECK_UINT(some.memory, (UINT64_C(1) << 30) + (1 << 20));
	CHECK_UINT(some.threads, 256 + 4000);
	CHECK(given.memory == 5 && given.threads == 6 && given.cpu_s == 7);
}
