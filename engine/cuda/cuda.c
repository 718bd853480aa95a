/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda.h"

#include "engine/cuda/delegate.h"
#include "engine/cuda/cuda-device.h"
#include "engine/cuda/driver.h"
#include "engine/cuda/cuda-report.h"

static gboolean
is_available (GError **error)
{
  return pt_cuda_driver (error) != NULL;
}

static gpointer
init (const PtDelegateContext *context, GError **error)
{
  return pt_cuda_delegate_new (context, error);
}

static gboolean
execute (gpointer delegate, PtExecution *execution, PtValue *const *args, guint n_args,
         GError **error)
{
  return pt_cuda_delegate_execute (delegate, execution, args, n_args, error);
}

static void
destroy (gpointer delegate)
{
  pt_cuda_delegate_free (delegate);
}

static gboolean
reset (gpointer delegate, GError **error)
{
  return pt_cuda_delegate_reset (delegate, error);
}

static gboolean
select_state (gpointer delegate, guint state, GError **error)
{
  return pt_cuda_delegate_select_state (delegate, state, error);
}

static void
forget_state (gpointer delegate, guint state)
{
  pt_cuda_delegate_forget_state (delegate, state);
}

static gboolean
has_state (gpointer delegate, const char *part)
{
  return pt_cuda_delegate_has_state (delegate, part);
}

static gboolean
finish (gpointer delegate, GError **error)
{
  return pt_cuda_delegate_finish (delegate, error);
}

static char *
remark (gconstpointer delegate)
{
  return pt_cuda_delegate_remark (delegate);
}

static const PtBackend backend = {
  .id = "CudaBackend",
  .is_native = TRUE,
  .is_available = is_available,
  .init = init,
  .execute = execute,
  .destroy = destroy,
  .device_type = PT_DEVICE_CUDA,
  .reset = reset,
  .select_state = select_state,
  .forget_state = forget_state,
  .has_state = has_state,
  .finish = finish,
  .remark = remark,
  .describe = pt_cuda_describe,
  .measure = pt_cuda_measure,
};

void
pt_cuda_register (void)
{
  pt_backend_register (&backend);
  pt_cuda_device_register ();
}
