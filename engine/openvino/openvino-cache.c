/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/openvino/openvino-cache.h"

#include <string.h>

#include "engine/base/sha256.h"
#include "engine/openvino/openvino-blob.h"

/* Digits of the SHA-256 of the program's path in the folder's name. */
#define NAME_LENGTH 16

/* Kernels for processors are generated anew at each import: OpenVINO keeps none of them. */
static gboolean
needs_cache (const PtPlan *plan)
{
  for (guint i = 0; i < plan->n_delegates; i++) {
    g_autoptr (PtOpenvinoBlob) blob = strcmp (plan->delegates[i].id, "OpenvinoBackend") == 0
                                          ? pt_openvino_blob_new (&plan->delegates[i], NULL)
                                          : NULL;

    if (blob != NULL && !pt_openvino_blob_is_cpu (blob))
      return TRUE;
  }
  return FALSE;
}

char *
pt_openvino_cache_folder (const PtProgram *program)
{
  g_autofree char *full = NULL, *name = NULL;
  gboolean needed = FALSE;

  for (guint i = 0; i < pt_program_n_plans (program) && !needed; i++)
    needed = needs_cache (pt_program_plan (program, i));
  if (!needed)
    return NULL;
  full = g_canonicalize_filename (pt_program_path (program), NULL);
  name = pt_sha256 (full, strlen (full));
  name[NAME_LENGTH] = '\0';
  return g_build_filename (g_get_user_cache_dir (), "pteris", "openvino", name, NULL);
}
