/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/confine/confine-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/base/set-error.h"

/*
 * Landlock's system calls (the same numbers on every architecture) and structures, as of Linux 6.12
 * (ABI 6). The headers of older systems lack some of them, and the C library has no functions for
 * them.
 */
#define LANDLOCK_CREATE 444
#define LANDLOCK_ADD_RULE 445
#define LANDLOCK_RESTRICT_SELF 446
#define CREATE_VERSION 1u
#define RULE_PATH_BENEATH 1

#define FS_EXECUTE (G_GUINT64_CONSTANT (1) << 0)
#define FS_WRITE_FILE (G_GUINT64_CONSTANT (1) << 1)
#define FS_READ_FILE (G_GUINT64_CONSTANT (1) << 2)
#define FS_READ_DIR (G_GUINT64_CONSTANT (1) << 3)
#define FS_REMOVE_DIR (G_GUINT64_CONSTANT (1) << 4)
#define FS_REMOVE_FILE (G_GUINT64_CONSTANT (1) << 5)
#define FS_MAKE_DIR (G_GUINT64_CONSTANT (1) << 7)
#define FS_MAKE_REG (G_GUINT64_CONSTANT (1) << 8)
#define FS_ALL_OF_ABI_1 ((G_GUINT64_CONSTANT (1) << 13) - 1)
#define FS_REFER (G_GUINT64_CONSTANT (1) << 13)     /* ABI 2 */
#define FS_TRUNCATE (G_GUINT64_CONSTANT (1) << 14)  /* ABI 3 */
#define FS_IOCTL_DEV (G_GUINT64_CONSTANT (1) << 15) /* ABI 5 */
#define NET_ALL G_GUINT64_CONSTANT (3)              /* ABI 4: bind and connect of TCP */
#define SCOPE_ALL G_GUINT64_CONSTANT (3)            /* ABI 6: abstract sockets, signals */

/* Rights that Landlock can grant on a file that is no folder. */
#define FS_OF_FILES (FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define READ (FS_READ_FILE | FS_READ_DIR)
#define CHANGE                                                                       \
  (READ | FS_WRITE_FILE | FS_TRUNCATE | FS_MAKE_REG | FS_MAKE_DIR | FS_REMOVE_FILE | \
   FS_REMOVE_DIR | FS_REFER)
#define DEVICE (READ | FS_WRITE_FILE | FS_IOCTL_DEV)

typedef struct {
  guint64 handled_fs, handled_net, scoped;
} Ruleset;

typedef struct {
  guint64 allowed;
  gint32 folder;
} __attribute__ ((packed)) PathBeneath;

/* Libraries, and what the C library, drivers and our own figures read. No home, no /tmp, no other
 * processes. */
static const char *const system_files[] = {
  "/usr",
  "/lib",
  "/lib32",
  "/lib64",
  "/opt",
  "/nix/store",
  "/gnu/store",
  "/app",
  "/etc/ld.so.cache",
  "/etc/localtime",
  "/etc/OpenCL",
  "/etc/vulkan",
  "/etc/nvidia",
  "/etc/glvnd",
  "/proc/self",
  "/proc/cpuinfo",
  "/proc/devices",
  "/proc/driver",
  "/proc/filesystems",
  "/proc/meminfo",
  "/proc/modules",
  "/proc/stat",
  "/proc/sys",
  "/proc/version",
  "/sys",
  NULL,
};

static const char *const system_devices[] = {
  "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", NULL,
};

/* Here threads get their names. CUDA gives up when it cannot name its own. */
#define OWN_THREADS "/proc/self/task"

/* NVIDIA, DRM (Vulkan), WSL, ROCm, NPUs. */
static const char *const gpu_devices[] = {
  "/dev/nvidia*", "/dev/dri", "/dev/dxg", "/dev/kfd", "/dev/accel", NULL,
};

/* The rights that the kernel's ABI knows. */
static Ruleset
rights_of (long abi)
{
  Ruleset rules = { .handled_fs = FS_ALL_OF_ABI_1 };

  if (abi >= 2)
    rules.handled_fs |= FS_REFER;
  if (abi >= 3)
    rules.handled_fs |= FS_TRUNCATE;
  if (abi >= 4)
    rules.handled_net = NET_ALL;
  if (abi >= 5)
    rules.handled_fs |= FS_IOCTL_DEV;
  if (abi >= 6)
    rules.scoped = SCOPE_ALL;
  return rules;
}

/* Older kernels refuse a structure that is longer than theirs, unless the rest is 0. */
static gsize
size_for (long abi)
{
  return abi >= 6 ? sizeof (Ruleset)
                  : (abi >= 4 ? G_STRUCT_OFFSET (Ruleset, scoped)
                              : G_STRUCT_OFFSET (Ruleset, handled_net));
}

static gboolean
allow (int rules, const Ruleset *known, const char *path, guint64 rights, GError **error)
{
  PathBeneath rule = { .allowed = rights & known->handled_fs };
  struct stat info;
  gboolean good;

  rule.folder = open (path, O_PATH | O_CLOEXEC);
  if (rule.folder < 0)
    return TRUE; /* Nothing there, or nothing that this user may see. */
  if (fstat (rule.folder, &info) == 0 && !S_ISDIR (info.st_mode))
    rule.allowed &= FS_OF_FILES;
  good = syscall (LANDLOCK_ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0) == 0;
  if (!good)
    pt_fail (error, PT_ERROR_UNSUPPORTED, "Landlock does not accept “%s” (%s).", path,
             g_strerror (errno));
  close (rule.folder);
  return good;
}

static gboolean
allow_all (int rules, const Ruleset *known, const char *const *paths, guint64 rights,
           GError **error)
{
  for (guint i = 0; paths != NULL && paths[i] != NULL; i++)
    if (!allow (rules, known, paths[i], rights, error))
      return FALSE;
  return TRUE;
}

static gboolean
allow_gpus (int rules, const Ruleset *known, GError **error)
{
  gboolean good = TRUE;

  for (guint i = 0; good && gpu_devices[i] != NULL; i++) {
    glob_t found;

    if (glob (gpu_devices[i], 0, NULL, &found) == 0)
      good = allow_all (rules, known, (const char *const *) found.gl_pathv, DEVICE, error);
    globfree (&found);
  }
  return good;
}

/* The folder that the program was installed to, with its libraries: /x of /x/bin/pteris. In /usr it
 * is allowed already. */
static gboolean
allow_own_folder (int rules, const Ruleset *known, GError **error)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = program != NULL ? g_path_get_dirname (program) : NULL;
  g_autofree char *name = folder != NULL ? g_path_get_basename (folder) : NULL;
  g_autofree char *above = g_strcmp0 (name, "bin") == 0 ? g_path_get_dirname (folder) : NULL;

  return folder == NULL || allow (rules, known, above != NULL ? above : folder, READ, error);
}

static gboolean
allow_system (int rules, const Ruleset *known, gboolean gpu, GError **error)
{
  return allow_all (rules, known, system_files, READ, error) &&
         allow_all (rules, known, system_devices, DEVICE, error) &&
         allow (rules, known, OWN_THREADS, READ | FS_WRITE_FILE | FS_TRUNCATE, error) &&
         allow_own_folder (rules, known, error) && (!gpu || allow_gpus (rules, known, error));
}

static gboolean
restrict_self (int rules, GError **error)
{
  if (syscall (LANDLOCK_RESTRICT_SELF, rules, 0) == 0)
    return TRUE;
  return pt_fail (error, PT_ERROR_UNSUPPORTED, "Landlock cannot confine the process (%s).",
                  g_strerror (errno));
}

gboolean
pt_confine_has_files (void)
{
  return syscall (LANDLOCK_CREATE, NULL, 0, CREATE_VERSION) >= 1;
}

gboolean
pt_confine_files (const PtConfinement *allowed, gboolean *done, GError **error)
{
  long abi = syscall (LANDLOCK_CREATE, NULL, 0, CREATE_VERSION);
  Ruleset known = rights_of (abi);
  int rules;

  *done = abi >= 1;
  if (!*done)
    return TRUE; /* The kernel lacks Landlock, or it is switched off. */
  rules = (int) syscall (LANDLOCK_CREATE, &known, size_for (abi), 0);
  if (rules < 0)
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "Landlock cannot be used (%s).",
                    g_strerror (errno));
  *done = allow_system (rules, &known, allowed->gpu, error) &&
          allow_all (rules, &known, allowed->readable, READ, error) &&
          allow_all (rules, &known, allowed->listable, FS_READ_DIR, error) &&
          allow_all (rules, &known, allowed->writable, CHANGE, error) &&
          restrict_self (rules, error);
  close (rules);
  return *done;
}
