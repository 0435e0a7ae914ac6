/* SPDX-License-Identifier: MIT */
/* confine.c - the sandbox of a worker. Landlock says which files can be read, and that none can be written; seccomp which system calls there are: those that compute, wait,
 * start threads and map memory. The list is short enough to be made by hand, so no library is needed for it. */
#include "host/sandbox/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/call/buffer.h"
#include "host/host_error.h"
#include "host/sandbox/grants.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "seccomp needs this machine's audit number"
#endif

/* ---- what the kernel has -------------------------------------------------------------------------------------- */

int host_landlock_version(void)
{
	const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return version > 0 ? (int)version : 0;
}

bool host_seccomp_there(void)
{
	const uint32_t action = SECCOMP_RET_ERRNO;

	return !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
}

enum { SET_MDWE = 65, GET_MDWE = 66, REFUSE_EXEC_GAIN = 1 }; /* linux/prctl.h since 6.3 */

bool host_mdwe_there(void)
{
	return prctl(GET_MDWE, 0L, 0L, 0L, 0L) >= 0;
}

bool host_sealing_there(void)
{
	const int fd = host_memory_file("ptowsp probe", 1);
	const bool sealed = fd >= 0 && host_memory_file_seal(fd, true);

	if (fd >= 0)
		close(fd);
	return sealed;
}

bool host_confine_memory(void)
{
	return !prctl(SET_MDWE, (long)REFUSE_EXEC_GAIN, 0L, 0L, 0L);
}

/* ---- files ---------------------------------------------------------------------------------------------------- */

/* linux/landlock.h of this system may know the first version only. Bits that the running kernel does not know are not asked for. */
struct ruleset {
	uint64_t files, network, scoped;
};
enum {
	READ_FILE = LANDLOCK_ACCESS_FS_READ_FILE,
	READ_FOLDER = LANDLOCK_ACCESS_FS_READ_DIR,
	EXECUTE = LANDLOCK_ACCESS_FS_EXECUTE,
	WRITE_FILE = LANDLOCK_ACCESS_FS_WRITE_FILE,
	IOCTL = 1 << 15 /* of devices, since version 5 */
};

static uint64_t file_rights(int version)
{
	const uint64_t first = (UINT64_C(1) << 13) - 1; /* of version 1 */

	return first | (version >= 2 ? UINT64_C(1) << 13 : 0) | (version >= 3 ? UINT64_C(1) << 14 : 0) | (version >= 5 ? UINT64_C(1) << 15 : 0);
}

/* A path that is not there needs no rule. */
static void allow(int ruleset, const char *path, uint64_t rights)
{
	struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = open(path, O_PATH | O_CLOEXEC)};
	struct stat file;

	if (rule.parent_fd < 0)
		return;
	if (!fstat(rule.parent_fd, &file) && !S_ISDIR(file.st_mode))
		rule.allowed_access &= READ_FILE | WRITE_FILE | EXECUTE | IOCTL;
	syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
}

/* A rule of Landlock holds for the files and devices that exist when it is added. */
static void grant_allow(int ruleset, const struct host_grant *grant, uint64_t rights)
{
	char real[PATH_MAX];
	glob_t found;

	if (glob(grant->value, GLOB_NOESCAPE, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (realpath(found.gl_pathv[i], real) && host_grants_path(grant->kind, real))
			allow(ruleset, real, rights);
	globfree(&found);
}

static void grants_allow(int ruleset, const char *grants, int version)
{
	const uint64_t file = READ_FILE | READ_FOLDER | EXECUTE, device = READ_FILE | WRITE_FILE | (version >= 5 ? IOCTL : 0);
	struct host_grant grant;

	while (host_grants_next(&grants, &grant))
		if (grant.kind == HOST_GRANT_READ || grant.kind == HOST_GRANT_DEVICE)
			grant_allow(ruleset, &grant, grant.kind == HOST_GRANT_READ ? file : device);
}

static ptowsp_status files_confine(const char *plugin, const char *grants, struct ptowsp_error *error)
{
	static const char *const readable[] = {"/usr",           "/lib",       "/lib64",        "/opt",          "/etc/ld.so.cache",
					       "/etc/localtime", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system",
					       "/dev/urandom",   "/dev/zero"};
	const int version = host_landlock_version();
	const struct ruleset rules = {file_rights(version), 3, 3};
	const size_t size = version >= 6 ? sizeof(rules) : version >= 4 ? offsetof(struct ruleset, scoped) : offsetof(struct ruleset, network);
	const int ruleset = version ? (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0) : -1;
	char folder[PATH_MAX];
	bool confined;

	if (ruleset < 0)
		return host_fail(error, PTOWSP_UNSUPPORTED,
				 "--isolate=sandbox needs Landlock, which this kernel does not have; --isolate=process does without");
	for (size_t i = 0; i < sizeof(readable) / sizeof(*readable); i++)
		allow(ruleset, readable[i], READ_FILE | READ_FOLDER | EXECUTE);
	allow(ruleset, "/dev/null", READ_FILE | WRITE_FILE);
	grants_allow(ruleset, grants, version);
	snprintf(folder, sizeof(folder), "%s", plugin);
	*(strrchr(folder, '/') ? strrchr(folder, '/') : folder) = '\0';
	allow(ruleset, *folder ? folder : "/", READ_FILE | READ_FOLDER | EXECUTE);
	confined = !syscall(SYS_landlock_restrict_self, ruleset, 0);
	close(ruleset);
	return confined ? PTOWSP_OK : host_fail(error, PTOWSP_UNSUPPORTED, "--isolate=sandbox: Landlock does not take effect (%s)", strerror(errno));
}

/* ---- system calls --------------------------------------------------------------------------------------------- */

/* No socket, no exec, no new process, no signal to others, no ptrace, no mount, no keys, no modules, no io_uring: what is not here fails with EPERM. */
static const int allowed[] = {
	SYS_read,
	SYS_write,
	SYS_readv,
	SYS_writev,
	SYS_pread64,
	SYS_pwrite64,
	SYS_close,
	SYS_lseek,
	SYS_fstat,
	SYS_newfstatat,
	SYS_statx,
	SYS_openat,
	SYS_dup,
	SYS_dup3,
	SYS_ftruncate,
	SYS_getdents64,
	SYS_readlinkat,
	SYS_faccessat,
	SYS_getcwd,
	SYS_statfs,
	SYS_fstatfs,
	SYS_memfd_create,
	SYS_pipe2,
	SYS_eventfd2,
	SYS_timerfd_create,
	SYS_timerfd_settime,
	SYS_timerfd_gettime,
	SYS_epoll_create1,
	SYS_epoll_ctl,
	SYS_epoll_pwait,
	SYS_ppoll,
	SYS_pselect6,
	SYS_mmap,
	SYS_munmap,
	SYS_mprotect,
	SYS_mremap,
	SYS_madvise,
	SYS_mincore,
	SYS_msync,
	SYS_brk,
	SYS_membarrier,
	SYS_get_mempolicy,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_sigaltstack,
	SYS_rt_sigtimedwait,
	SYS_futex,
	SYS_set_robust_list,
	SYS_get_robust_list,
	SYS_set_tid_address,
	SYS_rseq,
	SYS_exit,
	SYS_exit_group,
	SYS_restart_syscall,
	SYS_sched_yield,
	SYS_sched_getaffinity,
	SYS_sched_getparam,
	SYS_sched_getscheduler,
	SYS_getcpu,
	SYS_getpriority,
	SYS_clock_gettime,
	SYS_clock_getres,
	SYS_clock_nanosleep,
	SYS_nanosleep,
	SYS_gettimeofday,
	SYS_times,
	SYS_getpid,
	SYS_gettid,
	SYS_getppid,
	SYS_getuid,
	SYS_geteuid,
	SYS_getgid,
	SYS_getegid,
	SYS_getrusage,
	SYS_getrlimit,
	SYS_sysinfo,
	SYS_uname,
	SYS_getrandom,
	SYS_recvmsg,
#ifdef SYS_open
	SYS_open,
	SYS_stat,
	SYS_lstat,
	SYS_access,
	SYS_readlink,
	SYS_poll,
	SYS_select,
	SYS_epoll_wait,
	SYS_dup2,
	SYS_pipe,
	SYS_time,
	SYS_arch_prctl,
	SYS_pause,
#endif
#ifdef SYS_faccessat2
	SYS_faccessat2,
#endif
};
enum { ALLOWED = sizeof(allowed) / sizeof(*allowed), EXTRA = 48, X32 = 0x40000000 };

#define NUMBER        offsetof(struct seccomp_data, nr)
#define LOW(argument) (offsetof(struct seccomp_data, args) + (argument) * sizeof(uint64_t)) /* little-endian */

_Static_assert(2 * (ALLOWED + HOST_GRANTS_CALLS) + EXTRA <= HOST_CONFINE_ROWS, "room for the filter");

struct rules {
	struct sock_filter *rows;
	unsigned short count;
};

static void row(struct rules *f, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	f->rows[f->count++] = (struct sock_filter){code, yes, no, k};
}

static void answer(struct rules *f, uint32_t action)
{
	row(f, BPF_RET | BPF_K, action, 0, 0);
}

static void call_allow(struct rules *f, int number)
{
	row(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
	answer(f, SECCOMP_RET_ALLOW);
}

/* The call with this number, if its argument, and-ed with mask where there is one, is `value`; else EPERM. */
static void allow_with(struct rules *f, int number, uint32_t argument, uint32_t mask, uint32_t value)
{
	row(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 5);
	row(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)LOW(argument), 0, 0);
	row(f, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
	row(f, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
	answer(f, SECCOMP_RET_ALLOW);
	answer(f, SECCOMP_RET_ERRNO | EPERM);
}

/* The call with this number, unless its argument is one of these. */
static void allow_without(struct rules *f, int number, uint32_t argument, const int *values, unsigned count)
{
	row(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, (uint8_t)(count + 3));
	row(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)LOW(argument), 0, 0);
	for (unsigned i = 0; i < count; i++)
		row(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)values[i], (uint8_t)(count - i), 0);
	answer(f, SECCOMP_RET_ALLOW);
	answer(f, SECCOMP_RET_ERRNO | EPERM);
}

/* F_SETOWN and F_SETSIG could send SIGKILL to any process of the user when a descriptor is ready; F_SETPIPE_SZ takes buffers of pipes, memory that nothing counts; F_SETLEASE keeps whoever
 * opens a file of the user waiting. */
static const int fcntl_refused[] = {F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETPIPE_SZ, F_SETLEASE, F_NOTIFY};
/* A worker ends with its keeper, which looks at all that the worker takes; the options below could change that. */
static const int prctl_refused[] = {PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_PTRACER, PR_SET_CHILD_SUBREAPER, PR_SET_MM};
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* An ioctl without Landlock 5 may be of whatever is open, which is no terminal. */
static void grants_fill(struct rules *f, const char *grants)
{
	int numbers[HOST_GRANTS_CALLS];
	const unsigned count = host_grants_calls(grants, numbers);

	for (unsigned i = 0; i < count; i++)
		call_allow(f, numbers[i]);
}

static void rules_fill(struct rules *f, const char *grants)
{
	row(f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
	row(f, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
	answer(f, SECCOMP_RET_KILL_PROCESS);
	row(f, BPF_LD | BPF_W | BPF_ABS, NUMBER, 0, 0);
	row(f, BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1);
	answer(f, SECCOMP_RET_ERRNO | EPERM);
	for (uint32_t i = 0; i < ALLOWED; i++)
		call_allow(f, allowed[i]);
	grants_fill(f, grants);
	/* clone3 has its flags in memory, where no filter looks: the C library then uses clone. */
	row(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
	answer(f, SECCOMP_RET_ERRNO | ENOSYS);
	/* A thread with a table of descriptors of its own could hold memory files that its keeper does not see. */
	allow_with(f, SYS_clone, 0, CLONE_THREAD | CLONE_FILES, CLONE_THREAD | CLONE_FILES);
	allow_with(f, SYS_tgkill, 0, UINT32_MAX, (uint32_t)getpid()); /* abort */
	allow_with(f, SYS_prlimit64, 0, UINT32_MAX, 0);               /* its own: with a number they may be those of any process of the user */
	allow_with(f, SYS_sched_setaffinity, 0, UINT32_MAX, 0);
	allow_without(f, SYS_fcntl, 1, fcntl_refused, COUNT(fcntl_refused));
	allow_without(f, SYS_prctl, 0, prctl_refused, COUNT(prctl_refused));
	answer(f, SECCOMP_RET_ERRNO | EPERM);
}

unsigned host_confine_filter(struct sock_filter *rows, const char *grants)
{
	struct rules f = {.rows = rows};

	rules_fill(&f, grants);
	return f.count;
}

static ptowsp_status calls_confine(const char *grants, struct ptowsp_error *error)
{
	struct sock_filter rows[HOST_CONFINE_ROWS];
	struct sock_fprog program = {.len = (unsigned short)host_confine_filter(rows, grants), .filter = rows};

	if (!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		return PTOWSP_OK;
	return host_fail(error, PTOWSP_UNSUPPORTED, "--isolate=sandbox needs seccomp, which this kernel does not have (%s); --isolate=process does without",
			 strerror(errno));
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

ptowsp_status host_confine(const char *plugin, const char *grants, const struct host_limits *limits, struct ptowsp_error *error)
{
	ptowsp_status status;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L))
		return host_fail(error, PTOWSP_UNSUPPORTED, "--isolate=sandbox: this kernel cannot give up privileges (%s)", strerror(errno));
	host_limits_set(limits, host_grants_lock(grants));
	status = files_confine(plugin, grants, error);
	return status ? status : calls_confine(grants, error);
}
