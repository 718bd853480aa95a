/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/openvino/openvino-cache.h"

#include <string.h>

#include "engine/openvino/openvino-blob.h"
#include "engine/program/program-cache.h"

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
  gboolean needed = FALSE;

  for (guint i = 0; i < pt_program_n_plans (program) && !needed; i++)
    needed = needs_cache (pt_program_plan (program, i));
  return needed ? pt_program_cache_folder (program, "openvino") : NULL;
}
