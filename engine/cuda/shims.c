/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/shims.h"

#include "engine/base/set-error.h"
#include "engine/cuda/shims-private.h"

_Thread_local PtShimState pt_shim_state;

void
pt_shims_enter (PtCudaContext *context, PtShimModules *modules)
{
  g_assert (pt_shim_state.context == NULL);
  pt_shim_state.context = context;
  pt_shim_state.modules = modules;
  pt_shim_state.last_error = PT_CU_SUCCESS;
  g_clear_error (&pt_shim_state.note);
}

void
pt_shims_leave (void)
{
  pt_shim_state.context = NULL;
  pt_shim_state.modules = NULL;
}

static void
keep_note (GError *error)
{
  if (pt_shim_state.note == NULL)
    pt_shim_state.note = error;
  else
    g_error_free (error);
}

static void G_GNUC_PRINTF (2, 0) note_va (PtError code, const char *format, va_list arguments)
{
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  GError *error = NULL;

  pt_fail (&error, code, "%s", text);
  keep_note (error);
}

void
pt_shim_note (PtError code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  note_va (code, format, arguments);
  va_end (arguments);
}

GError *
pt_shim_take_note (void)
{
  return g_steal_pointer (&pt_shim_state.note);
}

gint32
pt_shim_refuse (PtError code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  note_va (code, format, arguments);
  va_end (arguments);
  return 1;
}

gint32
pt_shim_refuse_error (GError *error)
{
  keep_note (error);
  return 1;
}

PtCudaContext *
pt_shim_context (const char *function)
{
  PtCudaContext *context = pt_shim_state.context;

  if (G_UNLIKELY (context == NULL))
    pt_shim_note (PT_ERROR_STATE, "A model library called %s outside of a run.", function);
  return context;
}

gboolean
pt_shim_may_wait (PtCudaContext *context, const char *what)
{
  if (G_LIKELY (!context->is_capturing))
    return TRUE;
  pt_shim_note (PT_ERROR_UNSUPPORTED, "%s cannot be part of a CUDA graph.", what);
  return FALSE;
}

const PtCuda *
pt_shim_driver (void)
{
  return pt_shim_state.context != NULL ? pt_shim_state.context->cu : pt_cuda_driver (NULL);
}

void
pt_shim_record_begin (PtShimRecord *record)
{
  if (record->constants == NULL)
    record->constants = g_ptr_array_new_with_free_func ((GDestroyNotify) pt_shim_tensor_free);
  if (record->handles == NULL)
    record->handles = g_ptr_array_new_with_free_func ((GDestroyNotify) pt_shim_tensor_free);
  if (record->blocks == NULL)
    record->blocks = g_array_new (FALSE, FALSE, sizeof (PtCuPointer));
  pt_shim_state.record = record;
}

void
pt_shim_record_end (void)
{
  pt_shim_state.record = NULL;
}

void
pt_shim_record_clear (PtShimRecord *record)
{
  g_clear_pointer (&record->constants, g_ptr_array_unref);
  g_clear_pointer (&record->handles, g_ptr_array_unref);
  g_clear_pointer (&record->blocks, g_array_unref);
}

void
pt_shim_upload_begin (PtCudaUpload *upload, GCancellable *cancellable)
{
  pt_shim_state.upload = upload;
  pt_shim_state.cancellable = cancellable;
}

gboolean
pt_shim_upload_finish (GError **error)
{
  PtCudaUpload *upload = g_steal_pointer (&pt_shim_state.upload);

  pt_shim_state.cancellable = NULL;
  return upload == NULL || pt_cuda_upload_finish (upload, error);
}
