/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A library that writes a file when it is loaded, and does nothing else: it must not be loaded
 * before the user has agreed. Made into tests/fuzz/corpus/image/elf-canary, for x86-64, with
 *
 *     gcc -shared -fPIC -Os -s -nostartfiles -Wl,-z,noseparate-code -Wl,--build-id=none canary.c
 */

#include <stdio.h>
#include <stdlib.h>

static void __attribute__ ((constructor)) sing (void)
{
  const char *path = getenv ("PTERIS_CANARY");
  FILE *file = path != NULL ? fopen (path, "w") : NULL;

  if (file != NULL)
    fclose (file);
}
