/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/program-cache.h"

#include <string.h>

#include "engine/base/sha256.h"

/* Digits of the SHA-256 of the program's path in the folder's name. */
#define NAME_LENGTH 16

char *
pt_program_cache_folder (const PtProgram *program, const char *kind)
{
  g_autofree char *full = g_canonicalize_filename (pt_program_path (program), NULL);
  g_autofree char *name = pt_sha256 (full, strlen (full));

  name[NAME_LENGTH] = '\0';
  return g_build_filename (g_get_user_cache_dir (), "pteris", kind, name, NULL);
}
