/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A library that "test" preloads into programs for 64-bit ARM that run under qemu: the programs
 * that they start run under the same qemu. Otherwise the kernel would have to know qemu
 * (binfmt_misc), which only root can set up. Programs of this machine and scripts are started as
 * they are, without this library, which is not for them.
 *
 * Between fork() and exec() nothing may be allocated: lists have a fixed size here.
 */

#define MAX_WORDS 4096
#define PATH_BYTES 4096
#define PRELOAD "LD_PRELOAD="
/* Takes the place of the C library's function. */
#define INSTEAD __attribute__ ((visibility ("default"))) int

/* What programs need to start others, also if they are given no environment. */
static const char *const handed_on[] = {
  "LD_PRELOAD", "PTERIS_QEMU", "PTERIS_UNDER_QEMU", "QEMU_CPU", "QEMU_LD_PREFIX",
};

typedef struct {
  const char *program;
  char found[PATH_BYTES];
  char settings[sizeof handed_on / sizeof *handed_on][PATH_BYTES];
  char *arguments[MAX_WORDS];
  char *environment[MAX_WORDS];
} Start;

/* qemu shows programs the libraries' folder where it has a file of that name ("/usr/bin/tar"); what
 * is started is this machine's file. */
static const char *
on_this_machine (const char *path, char room[PATH_BYTES])
{
  if (*path != '/' || snprintf (room, PATH_BYTES, "/proc/self/root%s", path) >= PATH_BYTES)
    return path;
  return room;
}

static int
is_arm_program (const char *path)
{
  char room[PATH_BYTES];
  Elf64_Ehdr head;
  int fd = open (on_this_machine (path, room), O_RDONLY | O_CLOEXEC);
  ssize_t n;

  if (fd < 0)
    return 0;
  n = read (fd, &head, sizeof head);
  close (fd);
  return n == (ssize_t) sizeof head && memcmp (head.e_ident, ELFMAG, SELFMAG) == 0 &&
         head.e_machine == EM_AARCH64;
}

/* qemu says to programs that /proc/self/exe is the program; to the kernel it is qemu. */
static const char *
real_path (const char *path, char room[PATH_BYTES])
{
  ssize_t n;

  if (strcmp (path, "/proc/self/exe") != 0)
    return path;
  n = readlink (path, room, PATH_BYTES - 1);
  if (n < 0)
    return path;
  room[n] = '\0';
  return room;
}

static int
begin_with_qemu (Start *start, char *const arguments[], const char *qemu)
{
  size_t n = 0, i = 0;

  start->arguments[n++] = (char *) qemu;
  for (size_t k = 0; k < sizeof handed_on / sizeof *handed_on; k++) {
    const char *value = getenv (handed_on[k]);

    if (value == NULL)
      continue;
    if (snprintf (start->settings[k], PATH_BYTES, "%s=%s", handed_on[k], value) >= PATH_BYTES)
      return E2BIG;
    start->arguments[n++] = (char *) "-E";
    start->arguments[n++] = start->settings[k];
  }
  if (getenv ("QEMU_LD_PREFIX") != NULL) {
    start->arguments[n++] = (char *) "-L";
    start->arguments[n++] = getenv ("QEMU_LD_PREFIX");
  }
  if (getenv ("QEMU_CPU") != NULL) {
    start->arguments[n++] = (char *) "-cpu";
    start->arguments[n++] = getenv ("QEMU_CPU");
  }
  if (arguments[0] != NULL) {
    start->arguments[n++] = (char *) "-0";
    start->arguments[n++] = arguments[i++];
  }
  start->arguments[n++] = (char *) start->program;
  for (; arguments[i] != NULL; i++) {
    if (n + 1 >= MAX_WORDS)
      return E2BIG;
    start->arguments[n++] = arguments[i];
  }
  start->arguments[n] = NULL;
  start->program = qemu;
  return 0;
}

/* Says how to start the program @path. Returns 0 or a number of errno. */
static int
prepare (Start *start, const char *path, char *const arguments[], char *const environment[])
{
  const char *qemu = getenv ("PTERIS_QEMU");
  size_t n = 0;

  start->program = real_path (path, start->found);
  for (size_t i = 0; environment != NULL && environment[i] != NULL; i++) {
    if (strncmp (environment[i], PRELOAD, strlen (PRELOAD)) == 0)
      continue;
    if (n + 1 >= MAX_WORDS)
      return E2BIG;
    start->environment[n++] = environment[i];
  }
  start->environment[n] = NULL;
  if (qemu != NULL && access (start->program, X_OK) == 0 && is_arm_program (start->program))
    return begin_with_qemu (start, arguments, qemu);
  for (n = 0; arguments[n] != NULL; n++) {
    if (n + 1 >= MAX_WORDS)
      return E2BIG;
    start->arguments[n] = arguments[n];
  }
  start->arguments[n] = NULL;
  return 0;
}

/* The program that a shell would start for @name. */
static const char *
find_program (const char *name, char room[PATH_BYTES])
{
  const char *folder = getenv ("PATH");

  if (strchr (name, '/') != NULL || folder == NULL)
    return name;
  while (*folder != '\0') {
    char place[PATH_BYTES];
    int length = (int) strcspn (folder, ":");

    if (snprintf (room, PATH_BYTES, "%.*s/%s", length, folder, name) < PATH_BYTES &&
        access (on_this_machine (room, place), X_OK) == 0)
      return room;
    folder += length;
    folder += *folder == ':';
  }
  return name;
}

INSTEAD
execve (const char *path, char *const arguments[], char *const environment[])
{
  Start start;
  int problem = prepare (&start, path, arguments, environment);

  if (problem == 0)
    return execveat (AT_FDCWD, start.program, start.arguments, start.environment, 0);
  errno = problem;
  return -1;
}

INSTEAD
execv (const char *path, char *const arguments[])
{
  return execve (path, arguments, environ);
}

INSTEAD
execvpe (const char *name, char *const arguments[], char *const environment[])
{
  char room[PATH_BYTES];

  return execve (find_program (name, room), arguments, environment);
}

INSTEAD
execvp (const char *name, char *const arguments[])
{
  return execvpe (name, arguments, environ);
}

/* The C library's posix_spawn() calls its own execve(), so that it is given the prepared one. */
typedef int SpawnFunction (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const arguments[],
                           char *const environment[]);

INSTEAD
posix_spawn (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
             const posix_spawnattr_t *attributes, char *const arguments[],
             char *const environment[])
{
  SpawnFunction *spawn;
  Start start;
  int problem = prepare (&start, path, arguments, environment);

  if (problem != 0)
    return problem;
  *(void **) &spawn = dlsym (RTLD_NEXT, "posix_spawn");
  return spawn (pid, start.program, actions, attributes, start.arguments, start.environment);
}

INSTEAD
posix_spawnp (pid_t *pid, const char *name, const posix_spawn_file_actions_t *actions,
              const posix_spawnattr_t *attributes, char *const arguments[],
              char *const environment[])
{
  char room[PATH_BYTES];

  return posix_spawn (pid, find_program (name, room), actions, attributes, arguments, environment);
}
