/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/container.h"

#include <string.h>

#include "engine/base/set-error.h"

/* No real method has more inputs or outputs. */
#define MAX_ARGUMENTS 4096

struct _PtCudaContainer {
  PtCudaContext *context;
  PtModelLibrary *library;
  PtShimModules *modules;
  PtModelContainer handle;
  guint n_inputs, n_outputs;
};

/* ---- calls ---- */

void
pt_cuda_container_enter (PtCudaContainer *self)
{
  pt_shims_enter (self->context, self->modules);
}

static const char *
last_words (const PtCudaContainer *self)
{
  const PtModelSymbols *model = pt_cuda_container_symbols (self);
  const char *text = NULL;

  if (model->get_last_error == NULL || model->get_last_error (&text) != 0 || text == NULL ||
      text[0] == '\0')
    return NULL;
  return text;
}

/*
 * Reports an asynchronous error, which the driver returns only to a call that waits. TRUE when
 * there was one.
 */
static gboolean
failed_before (PtCudaContainer *self, GError **error)
{
  return !self->context->is_capturing && !pt_cuda_context_synchronize (self->context, error);
}

static gboolean
fail_call (PtCudaContainer *self, const char *what, const GError *note, GError **error)
{
  const char *words = note == NULL ? last_words (self) : NULL;

  if (failed_before (self, error)) {
    pt_prefix_error (error, "%s failed: ", what);
    return FALSE;
  }
  if (note != NULL)
    return pt_fail (error, (PtError) note->code, "%s failed: %s", what, note->message);
  return pt_fail (error, PT_ERROR_INTERNAL,
                  "%s failed in the model's library: %s (ExecuTorch error 0x1).", what,
                  words != NULL ? words : "no reason was given; see the messages above");
}

gboolean
pt_cuda_container_leave (PtCudaContainer *self, int code, const char *what, GError **error)
{
  g_autoptr (GError) note = pt_shim_take_note ();

  pt_shims_leave ();
  if (G_LIKELY (code == 0))
    return TRUE;
  return fail_call (self, what, note, error);
}

void
pt_cuda_free_handles (PtShimTensor **handles, guint n)
{
  guint i, k;

  for (i = 0; i < n; i++) {
    PtShimTensor *handle = handles[i];

    if (handle == NULL)
      continue;
    for (k = i; k < n; k++)
      if (handles[k] == handle)
        handles[k] = NULL;
    pt_shim_tensor_free (handle);
  }
}

static gboolean
has_all_outputs (PtShimTensor *const *outputs, guint n, GError **error)
{
  guint i;

  for (i = 0; i < n; i++)
    if (outputs[i] == NULL)
      return pt_fail (error, PT_ERROR_INTERNAL,
                      "The model's library returned no output %u (ExecuTorch error 0x1).", i);
  return TRUE;
}

gboolean
pt_cuda_container_run (PtCudaContainer *self, PtShimTensor **inputs, PtShimTensor **outputs,
                       GError **error)
{
  const PtModelSymbols *model = pt_cuda_container_symbols (self);
  int code;

  memset (outputs, 0, self->n_outputs * sizeof *outputs);
  pt_cuda_container_enter (self);
  /*
   * Always call the same of the two functions: after Run() the other one finds no free model
   * (docs/formats/cuda.md, section 6.3).
   */
  code = (model->run_single_threaded != NULL ? model->run_single_threaded : model->run) (
      self->handle, (gpointer *) inputs, self->n_inputs, (gpointer *) outputs, self->n_outputs,
      self->context->stream, NULL);
  if (pt_cuda_container_leave (self, code, "Running the model", error) &&
      has_all_outputs (outputs, self->n_outputs, error))
    return TRUE;
  pt_cuda_free_handles (inputs, self->n_inputs);
  pt_cuda_free_handles (outputs, self->n_outputs);
  return FALSE;
}

/* ---- making a container ---- */

static gboolean
create (PtCudaContainer *self, GError **error)
{
  const PtModelSymbols *model = pt_cuda_container_symbols (self);
  char device[16];
  size_t n_inputs = 0, n_outputs = 0;
  int code;

  g_snprintf (device, sizeof device, "cuda:%d", self->context->index);
  pt_cuda_container_enter (self);
  code = model->create_with_device (&self->handle, 1, device, NULL);
  if (!pt_cuda_container_leave (self, code, "Preparing the model", error))
    return FALSE;
  if (model->get_num_inputs (self->handle, &n_inputs) != 0 ||
      model->get_num_outputs (self->handle, &n_outputs) != 0 || n_inputs > MAX_ARGUMENTS ||
      n_outputs > MAX_ARGUMENTS)
    return pt_fail (error, PT_ERROR_DELEGATE,
                    "The model's library does not say how many inputs and outputs it has.");
  self->n_inputs = (guint) n_inputs;
  self->n_outputs = (guint) n_outputs;
  return TRUE;
}

PtCudaContainer *
pt_cuda_container_new (PtCudaContext *context, PtModelLibrary *library, GError **error)
{
  g_autoptr (PtCudaContainer) self = g_new0 (PtCudaContainer, 1);

  self->context = context;
  context->n_references++;
  self->library = library;
  self->modules = pt_shim_modules_new ();
  return create (self, error) ? g_steal_pointer (&self) : NULL;
}

void
pt_cuda_container_close (PtCudaContainer *self)
{
  if (self->handle == NULL)
    return;
  pt_cuda_context_synchronize (self->context, NULL);
  pt_cuda_container_enter (self);
  pt_cuda_container_symbols (self)->delete (self->handle);
  pt_cuda_container_leave (self, 0, "", NULL);
  self->handle = NULL;
}

void
pt_cuda_container_free (PtCudaContainer *self)
{
  pt_cuda_container_close (self);
  pt_shim_modules_free (self->modules, self->context);
  pt_model_library_free (self->library);
  pt_cuda_context_unref (self->context);
  g_free (self);
}

PtCudaContext *
pt_cuda_container_context (const PtCudaContainer *self)
{
  return self->context;
}

const PtModelSymbols *
pt_cuda_container_symbols (const PtCudaContainer *self)
{
  return pt_model_library_symbols (self->library);
}

PtModelContainer
pt_cuda_container_handle (const PtCudaContainer *self)
{
  return self->handle;
}

guint
pt_cuda_container_n_inputs (const PtCudaContainer *self)
{
  return self->n_inputs;
}

guint
pt_cuda_container_n_outputs (const PtCudaContainer *self)
{
  return self->n_outputs;
}

const PtPtxEffects *
pt_cuda_container_effects (PtCudaContainer *self, PtCuFunction function)
{
  return pt_shim_modules_effects (self->modules, function);
}

PtCudaReplacements *
pt_cuda_container_replacements (PtCudaContainer *self)
{
  return pt_shim_modules_replacements (self->modules, self->context);
}
