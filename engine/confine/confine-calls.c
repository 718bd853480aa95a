/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/confine/confine-private.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/base/set-error.h"

/*
 * A filter of system calls for seccomp. It refuses what no model needs and lets the rest through: a
 * list of what is allowed would have to follow each release of each GPU's driver. Refused calls
 * fail with EPERM, so that a library which tries one can go on.
 */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define X32_BIT 0x40000000u
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

#define REFUSE(problem) BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (problem))
#define LOAD(field) BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, field))
/* The lower half of an argument; both architectures are little-endian. */
#define LOAD_ARGUMENT(i) \
  BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, args) + 8 * (i))
#define SKIP_UNLESS(value, n) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (n))
#define SKIP_IF(value, n) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (value), (n), 0)
#define ALLOW BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

#define MAX_STEPS 512
/* Of the second argument of socket(); the rest are flags. */
#define SOCKET_TYPES 0xf

/* Numbers that are the same on both architectures, for headers that lack them. */
#define NR_PIDFD_SEND_SIGNAL 424
#define NR_IO_URING_SETUP 425
#define NR_OPEN_TREE 428
#define NR_MOVE_MOUNT 429
#define NR_FSOPEN 430
#define NR_FSMOUNT 432
#define NR_FSPICK 433
#define NR_PIDFD_OPEN 434
#define NR_CLONE3 435
#define NR_PIDFD_GETFD 438
#define NR_PROCESS_MADVISE 440
#define NR_MOUNT_SETATTR 442
#define NR_FCHMODAT2 452
#define NR_SETXATTRAT 463
#define NR_REMOVEXATTRAT 466

static const guint refused[] = {
  /* Programs and processes. */
  SYS_execve,
  SYS_execveat,
#ifdef SYS_fork
  SYS_fork,
  SYS_vfork,
#endif
  /* The network, and sockets of other programs. */
  SYS_connect,
  SYS_accept,
  SYS_accept4,
  /* Other processes. */
  SYS_ptrace,
  SYS_process_vm_readv,
  SYS_process_vm_writev,
  SYS_kcmp,
  SYS_tkill,
  SYS_migrate_pages,
  SYS_move_pages,
  NR_PIDFD_SEND_SIGNAL,
  NR_PIDFD_OPEN,
  NR_PIDFD_GETFD,
  NR_PROCESS_MADVISE,
  SYS_shmget,
  SYS_shmat,
  SYS_semget,
  SYS_msgget,
  SYS_mq_open,
/* Owners, modes, times and attributes of files, which Landlock does not cover. */
#ifdef SYS_chmod
  SYS_chmod,
  SYS_chown,
  SYS_lchown,
  SYS_utime,
  SYS_utimes,
  SYS_futimesat,
  SYS_inotify_init,
#endif
  SYS_fchmod,
  SYS_fchmodat,
  NR_FCHMODAT2,
  SYS_fchown,
  SYS_fchownat,
  SYS_utimensat,
  SYS_setxattr,
  SYS_lsetxattr,
  SYS_fsetxattr,
  SYS_removexattr,
  SYS_lremovexattr,
  SYS_fremovexattr,
  NR_SETXATTRAT,
  NR_REMOVEXATTRAT,
  SYS_inotify_init1,
  SYS_fanotify_init,
  SYS_name_to_handle_at,
  SYS_open_by_handle_at,
  /* Mounts and namespaces. */
  SYS_mount,
  SYS_umount2,
  SYS_pivot_root,
  SYS_chroot,
  SYS_setns,
  SYS_unshare,
  SYS_swapon,
  SYS_swapoff,
  SYS_quotactl,
  NR_OPEN_TREE,
  NR_MOVE_MOUNT,
  NR_FSOPEN,
  NR_FSMOUNT,
  NR_FSPICK,
  NR_MOUNT_SETATTR,
  /* The kernel. io_uring would carry out calls that this filter does not see. */
  NR_IO_URING_SETUP,
  SYS_bpf,
  SYS_perf_event_open,
  SYS_userfaultfd,
  SYS_add_key,
  SYS_request_key,
  SYS_keyctl,
  SYS_init_module,
  SYS_finit_module,
  SYS_delete_module,
  SYS_kexec_load,
#ifdef SYS_kexec_file_load
  SYS_kexec_file_load,
#endif
  SYS_reboot,
  SYS_syslog,
  SYS_acct,
  SYS_personality,
  SYS_settimeofday,
  SYS_clock_settime,
  SYS_clock_adjtime,
  SYS_adjtimex,
  SYS_sethostname,
  SYS_setdomainname,
  SYS_vhangup,
#ifdef SYS_iopl
  SYS_iopl,
  SYS_ioperm,
  SYS_modify_ldt,
#endif
};

/* Calls that take the number of a process first: only this one's. */
static const guint own_process[] = {
  SYS_kill,
  SYS_tgkill,
  SYS_rt_sigqueueinfo,
  SYS_rt_tgsigqueueinfo,
};

typedef struct {
  struct sock_filter steps[MAX_STEPS];
  gushort n;
} Filter;

static void
add (Filter *filter, const struct sock_filter *steps, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    g_assert (filter->n < MAX_STEPS);
    filter->steps[filter->n++] = steps[i];
  }
}

#define ADD(filter, ...)                               \
  do {                                                 \
    const struct sock_filter list[] = { __VA_ARGS__ }; \
    add ((filter), list, G_N_ELEMENTS (list));         \
  } while (0)

/* Calls of the other kinds that this processor can make are refused as a whole. */
static void
check_architecture (Filter *filter)
{
  ADD (filter, LOAD (arch), SKIP_IF (ARCHITECTURE, 1), REFUSE (EPERM), LOAD (nr));
#ifdef X32_BIT
  ADD (filter, BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, X32_BIT, 0, 1), REFUSE (EPERM));
#endif
}

static void
refuse_by_arguments (Filter *filter)
{
  guint self = (guint) getpid ();

  for (guint i = 0; i < G_N_ELEMENTS (own_process); i++)
    ADD (filter, SKIP_UNLESS (own_process[i], 4), LOAD_ARGUMENT (0), SKIP_IF (self, 1),
         REFUSE (EPERM), ALLOW);
  /* Limits: 0 is this process, too. */
  ADD (filter, SKIP_UNLESS (SYS_prlimit64, 5), LOAD_ARGUMENT (0), SKIP_IF (0, 2), SKIP_IF (self, 1),
       REFUSE (EPERM), ALLOW);
  /* Threads, but no processes. clone3() has its flags in memory, where a filter cannot look; the C
   * library takes clone() when there is none. */
  ADD (filter, SKIP_UNLESS (SYS_clone, 4), LOAD_ARGUMENT (0),
       BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0), REFUSE (EPERM), ALLOW);
  ADD (filter, SKIP_UNLESS (NR_CLONE3, 1), REFUSE (ENOSYS));
  /* Keys and screen contents of a terminal that the process inherited. */
  ADD (filter, SKIP_UNLESS (SYS_ioctl, 5), LOAD_ARGUMENT (1), SKIP_IF (TIOCSTI, 1),
       SKIP_UNLESS (TIOCLINUX, 1), REFUSE (EPERM), ALLOW);
}

/* CUDA starts only if it can make a local socket of packets that another process could ask for
 * memory. Without connect() and accept(), nobody can be reached through it. */
static void
refuse_sockets (Filter *filter, gboolean gpu)
{
  if (gpu) {
    ADD (filter, SKIP_UNLESS (SYS_socket, 7), LOAD_ARGUMENT (0), SKIP_UNLESS (AF_UNIX, 4),
         LOAD_ARGUMENT (1), BPF_STMT (BPF_ALU | BPF_AND | BPF_K, SOCKET_TYPES),
         SKIP_UNLESS (SOCK_SEQPACKET, 1), ALLOW, REFUSE (EPERM));
    return;
  }
  ADD (filter, SKIP_UNLESS (SYS_socket, 1), REFUSE (EPERM), SKIP_UNLESS (SYS_bind, 1),
       REFUSE (EPERM), SKIP_UNLESS (SYS_listen, 1), REFUSE (EPERM));
}

static void
make_filter (Filter *filter, gboolean gpu)
{
  filter->n = 0;
  check_architecture (filter);
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    ADD (filter, SKIP_UNLESS (refused[i], 1), REFUSE (EPERM));
  refuse_sockets (filter, gpu);
  refuse_by_arguments (filter);
  ADD (filter, ALLOW);
}

gboolean
pt_confine_has_calls (void)
{
  const guint action = SECCOMP_RET_ERRNO;

  return syscall (SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

gboolean
pt_confine_calls (gboolean gpu, gboolean *done, GError **error)
{
  g_autofree Filter *filter = g_new (Filter, 1);
  struct sock_fprog program = { .filter = filter->steps };
  long refusal;

  make_filter (filter, gpu);
  program.len = filter->n;
  refusal = syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  *done = refusal == 0;
  /* A kernel without seccomp. */
  if (refusal == 0 || errno == ENOSYS || errno == EINVAL)
    return TRUE;
  if (refusal > 0)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The filter of system calls does not hold in a thread.");
  return pt_fail (error, PT_ERROR_UNSUPPORTED, "System calls cannot be filtered (%s).",
                  g_strerror (errno));
}

#else

gboolean
pt_confine_has_calls (void)
{
  return FALSE;
}

gboolean
pt_confine_calls (gboolean gpu, gboolean *done, GError **error)
{
  *done = FALSE;
  return TRUE;
}

#endif
