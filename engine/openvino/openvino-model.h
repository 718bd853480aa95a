/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/openvino/openvino-blob.h"
#include "engine/openvino/openvino-library.h"
#include "engine/runtime/backend.h"

G_BEGIN_DECLS

/** An imported blob, and the request that runs it (docs/formats/openvino.md, section 2). */
typedef struct {
  const PtOpenvino *ov;
  PtOpenvinoBlob *blob;
  PtOvModel *model;
  PtOvRequest *request;
  guint n_inputs, n_outputs;
  PtTensor *largest; /* [n_outputs]: the outputs at their upper bounds, once they were seen */
} PtOpenvinoModel;

/**
 * Import the payload of @context, after the user's consent. NULL with an error: PT_ERROR_UNTRUSTED,
 * PT_ERROR_MISSING_BACKEND (the library, a plugin or the device is missing, or of another version)
 * PT_ERROR_PROGRAM (a damaged payload) or PT_ERROR_DELEGATE.
 */
PtOpenvinoModel *pt_openvino_model_new (const PtDelegateContext *context, GError **error);
void pt_openvino_model_free (PtOpenvinoModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtOpenvinoModel, pt_openvino_model_free)

/** Run it: PtBackend.execute(). */
gboolean pt_openvino_model_run (PtOpenvinoModel *self, PtExecution *execution, PtValue *const *args,
                                guint n_args, GError **error);

G_END_DECLS
