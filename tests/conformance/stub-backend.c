/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "stub-backend.h"

#include <string.h>

#include "engine/runtime/backend.h"
#include "engine/runtime/device.h"

/*
 * The delegate of the device_* cases: out = a + b on float32 tensors of one shape, in the
 * memory of the device that the compile spec names. "Device" memory here is host memory that
 * is remembered in a table, so that a host pointer handed over by mistake is noticed.
 */

static GHashTable *device_memory; /* address -> size */

static gpointer
stub_allocate (int index, gsize size, GError **error)
{
  gpointer data = g_malloc0 (size);

  g_hash_table_insert (device_memory, data, GSIZE_TO_POINTER (size));
  return data;
}

static void
stub_free (int index, gpointer data)
{
  g_hash_table_remove (device_memory, data);
  g_free (data);
}

static gboolean
is_device_memory (gconstpointer data, gsize size)
{
  GHashTableIter iter;
  gpointer begin, length;

  g_hash_table_iter_init (&iter, device_memory);
  while (g_hash_table_iter_next (&iter, &begin, &length))
    if ((const guint8 *) data >= (guint8 *) begin &&
        (const guint8 *) data + size <= (guint8 *) begin + GPOINTER_TO_SIZE (length))
      return TRUE;
  return FALSE;
}

static gboolean
stub_clear (int index, gpointer data, gsize size, GError **error)
{
  memset (data, 0, size);
  return TRUE;
}

static gboolean
copy_to_device (int index, gpointer to, gconstpointer from, gsize size, GError **error)
{
  if (!is_device_memory (to, size) || is_device_memory (from, size))
    return pt_fail (error, PT_ERROR_INTERNAL, "A copy to the device has its sides mixed up.");
  memcpy (to, from, size);
  return TRUE;
}

static gboolean
copy_to_host (int index, gpointer to, gconstpointer from, gsize size, GError **error)
{
  if (is_device_memory (to, size) || !is_device_memory (from, size))
    return pt_fail (error, PT_ERROR_INTERNAL, "A copy to the host has its sides mixed up.");
  memcpy (to, from, size);
  return TRUE;
}

static const PtDevice stub_device = {
  .type = PT_DEVICE_CUDA,
  .allocate = stub_allocate,
  .free = stub_free,
  .clear = stub_clear,
  .copy_to_device = copy_to_device,
  .copy_to_host = copy_to_host,
};

static gpointer
stub_init (const PtDelegateContext *context, GError **error)
{
  const PtDelegateSpec *spec = context->spec;

  if (spec->payload_size != 3 || memcmp (spec->payload, "add", 3) != 0) {
    pt_fail (error, PT_ERROR_DELEGATE, "The stub backend can only add.");
    return NULL;
  }
  return (gpointer) spec;
}

static gboolean
stub_execute (gpointer delegate, PtExecution *execution, PtValue *const *args, guint n_args,
              GError **error)
{
  PtTensor *t[3];
  float *out;
  gsize i;

  if (n_args != 3)
    return pt_fail (error, PT_ERROR_DELEGATE, "The stub backend takes three arguments.");
  for (i = 0; i < 3; i++) {
    t[i] = pt_value_tensor (args[i], "a tensor", error);
    if (t[i] == NULL)
      return FALSE;
    if (t[i]->dtype != PT_DTYPE_F32 || t[i]->device_type != t[0]->device_type ||
        (t[i]->device_type != PT_DEVICE_CPU) !=
            is_device_memory (t[i]->data, pt_tensor_nbytes (t[i])))
      return pt_fail (error, PT_ERROR_DELEGATE, "A tensor is not where it says it is.");
  }
  if (!pt_tensor_same_shape (t[0], t[1]) ||
      !pt_tensor_resize (t[2], t[0]->rank, t[0]->sizes, error))
    return FALSE;
  out = t[2]->data;
  for (i = 0; i < t[0]->numel; i++)
    out[i] = ((const float *) t[0]->data)[i] + ((const float *) t[1]->data)[i];
  return TRUE;
}

static void
stub_destroy (gpointer delegate)
{
}

static const PtBackend stub_backend = {
  .id = "StubAddBackend",
  .init = stub_init,
  .execute = stub_execute,
  .destroy = stub_destroy,
};

void
stub_backend_register (void)
{
  device_memory = g_hash_table_new (NULL, NULL);
  pt_device_register (&stub_device);
  pt_backend_register (&stub_backend);
}
