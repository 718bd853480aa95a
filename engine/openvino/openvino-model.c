/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/openvino/openvino-model.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/trusted-files.h"
#include "engine/kernels/worker-pool.h"
#include "engine/openvino/openvino-cache.h"
#include "engine/openvino/openvino-find.h"

/* ---- permission ---- */

/*
 * OpenVINO's reader of blobs does not check them: damaged ones have crashed it. It runs in a
 * process that may crash, and has no rights (engine/host).
 */
static gboolean
check_process (GError **error)
{
  if (g_getenv ("PTERIS_HOST") != NULL)
    return TRUE;
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "OpenVINO runs models in a process of their own only, because a damaged file can "
                  "crash it. Allow such a process: in the preferences, by leaving out "
                  "--no-isolate, or with PtEngineOptions.isolation.");
}

static gboolean
check_trust (const PtDelegateContext *context, GError **error)
{
  return pt_trust_check (pt_program_digest (context->program), pt_program_path (context->program),
                         "was compiled for OpenVINO, a library of this computer that does not "
                         "check what it reads: a malicious file can make it do whatever the "
                         "process of the model can",
                         context->trust, error);
}

/* ---- import ---- */

/* What OpenVINO would find best is the default; another number of threads is the user's wish. */
static void
set_threads (const PtOpenvinoCore *core, const char *device, const PtDelegateContext *context)
{
  guint n = pt_pool_n_workers (context->pool);
  g_autofree char *text = g_strdup_printf ("%u", n != pt_pool_choose_threads (0) ? n : 0);

  if (strcmp (device, "CPU") == 0)
    core->ov->ov_core_set_property (core->core, device, "INFERENCE_NUM_THREADS", text);
}

/* Compiled kernels of GPUs. Without the folder they are compiled at each start. */
static void
set_cache (const PtOpenvinoCore *core, const char *device, const PtDelegateContext *context)
{
  g_autofree char *folder = pt_openvino_cache_folder (context->program);

  if (folder != NULL && g_file_test (folder, G_FILE_TEST_IS_DIR))
    core->ov->ov_core_set_property (core->core, device, "CACHE_DIR", folder);
}

/* Why OpenVINO did not take the blob, as far as the versions tell. */
static gboolean
fail_import (const PtOpenvinoModel *self, GError **error)
{
  const PtOpenvino *ov = self->ov;
  const PtOpenvinoBlob *blob = self->blob;
  g_autofree char *words = pt_openvino_last_words (ov);
  g_autofree char *advice = pt_openvino_advice (blob->version);
  gboolean is_usual = strcmp (ov->version, PT_OPENVINO_USUAL) == 0;

  if (blob->version != NULL && strcmp (blob->version, ov->version) != 0)
    return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                    "The program was compiled with OpenVINO %s, and this computer has version %s "
                    "(%s), which cannot read it: %s %s",
                    blob->version, ov->version, ov->path, words, advice);
  if (blob->version != NULL)
    return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                    "OpenVINO %s cannot read the program, which is damaged, or was compiled for "
                    "other processors (%s): %s",
                    ov->version, blob->target != NULL ? blob->target : "not named", words);
  return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                  "OpenVINO %s (%s) cannot read the program, which is damaged, or was compiled "
                  "with another version: %s%s%s",
                  ov->version, ov->path, words, is_usual ? "" : " ", is_usual ? "" : advice);
}

static gboolean
import (PtOpenvinoModel *self, const PtOpenvinoCore *core, const PtDelegateContext *context,
        GError **error)
{
  const PtOpenvino *ov = self->ov;
  const char *device = pt_openvino_choose_device (
      self->blob->device, (const char *const *) core->devices, context->device, error);

  if (device == NULL) {
    pt_prefix_error (error, "OpenVINO %s (%s): ", ov->version, ov->path);
    return FALSE;
  }
  set_threads (core, device, context);
  set_cache (core, device, context);
  if (ov->ov_core_import_model (core->core, self->blob->bytes, self->blob->size, device,
                                &self->model) != 0 ||
      self->model == NULL) {
    self->model = NULL;
    return fail_import (self, error);
  }
  return TRUE;
}

static gboolean
make_request (PtOpenvinoModel *self, GError **error)
{
  const PtOpenvino *ov = self->ov;
  gsize n_inputs = 0, n_outputs = 0;
  g_autofree char *words = NULL;

  if (ov->ov_compiled_model_inputs_size (self->model, &n_inputs) != 0 ||
      ov->ov_compiled_model_outputs_size (self->model, &n_outputs) != 0 || n_inputs > G_MAXUINT16 ||
      n_outputs > G_MAXUINT16 ||
      ov->ov_compiled_model_create_infer_request (self->model, &self->request) != 0 ||
      self->request == NULL) {
    words = pt_openvino_last_words (ov);
    self->request = NULL;
    return pt_fail (error, PT_ERROR_DELEGATE, "OpenVINO %s cannot prepare the program: %s",
                    ov->version, words);
  }
  self->n_inputs = (guint) n_inputs;
  self->n_outputs = (guint) n_outputs;
  self->largest = g_new0 (PtTensor, self->n_outputs);
  return TRUE;
}

PtOpenvinoModel *
pt_openvino_model_new (const PtDelegateContext *context, GError **error)
{
  g_autoptr (PtOpenvinoModel) self = g_new0 (PtOpenvinoModel, 1);
  const PtOpenvinoCore *core;

  self->blob = pt_openvino_blob_new (context->spec, error);
  if (self->blob == NULL || !check_process (error) || !check_trust (context, error))
    return NULL;
  self->ov = pt_openvino_open (self->blob->version, error);
  core = self->ov != NULL ? pt_openvino_core (self->ov, context->exact, error) : NULL;
  if (core == NULL || !import (self, core, context, error) || !make_request (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

/* The blob's bytes are the program's, which outlives the model. */
void
pt_openvino_model_free (PtOpenvinoModel *model)
{
  if (model == NULL)
    return;
  if (model->request != NULL)
    model->ov->ov_infer_request_free (model->request);
  if (model->model != NULL)
    model->ov->ov_compiled_model_free (model->model);
  pt_openvino_blob_free (model->blob);
  g_free (model->largest);
  g_free (model);
}
