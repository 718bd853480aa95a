/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/kernels/vector.h"
#include "engine/vulkan/vk-cpu.h"

/* Elements of a file may be misaligned, so each is copied. */

static void
narrow_doubles (float *to, const guint8 *from, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    double x;

    memcpy (&x, from + i * sizeof x, sizeof x);
    to[i] = (float) x;
  }
}

/* Numbers outside of 32 bits wrap (docs/formats/vulkan.md, section 4). */
static void
narrow_integers (gint32 *to, const guint8 *from, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    gint64 x;

    memcpy (&x, from + i * sizeof x, sizeof x);
    to[i] = (gint32) x;
  }
}

static void
widen_halves (float *to, const guint8 *from, gsize n)
{
  guint16 block[256];

  for (gsize i = 0; i < n; i += G_N_ELEMENTS (block)) {
    gsize count = MIN (G_N_ELEMENTS (block), n - i);

    memcpy (block, from + i * sizeof *block, count * sizeof *block);
    pt_vector_f16_to_f32 (count, block, to + i);
  }
}

void
pt_vk_to_stored (gpointer to, gconstpointer from, gsize n, PtDType dtype)
{
  if (n == 0)
    return;
  switch (dtype) {
  case PT_DTYPE_F16: widen_halves (to, from, n); break;
  case PT_DTYPE_F64: narrow_doubles (to, from, n); break;
  case PT_DTYPE_I64: narrow_integers (to, from, n); break;
  case PT_DTYPE_BOOL:
    for (gsize i = 0; i < n; i++)
      ((guint8 *) to)[i] = ((const guint8 *) from)[i] != 0;
    break;
  default: memcpy (to, from, n * pt_dtype_size (dtype));
  }
}

void
pt_vk_from_stored (gpointer to, gconstpointer from, gsize n, PtDType dtype)
{
  if (n == 0)
    return;
  switch (dtype) {
  case PT_DTYPE_F16: pt_vector_f32_to_f16 (n, from, to); break;
  case PT_DTYPE_F64:
    for (gsize i = 0; i < n; i++)
      ((double *) to)[i] = (double) ((const float *) from)[i];
    break;
  case PT_DTYPE_I64:
    for (gsize i = 0; i < n; i++)
      ((gint64 *) to)[i] = ((const gint32 *) from)[i];
    break;
  default: memcpy (to, from, n * pt_dtype_size (dtype));
  }
}

guint8 *
pt_vk_convert_constant (const PtVkValue *value, GError **error)
{
  guint8 *copy = pt_allocate (value->numel, pt_dtype_size (value->stored), error);

  if (copy != NULL)
    pt_vk_to_stored (copy, value->constant, value->numel, value->declared);
  return copy;
}

/* ---- Checks of types ---- */

static gboolean
expect (const PtVkValue *value, PtDType dtype, const char *what, guint i, GError **error)
{
  if (value->stored == dtype)
    return TRUE;
  return pt_fail (error, PT_ERROR_TYPE, "%s %u is of dtype %s instead of %s.", what, i,
                  pt_dtype_name (value->declared), pt_dtype_name (dtype));
}

gboolean
pt_vk_cpu_expect (const PtVkCpuCall *cpu, guint i, PtDType dtype, GError **error)
{
  return expect (pt_vk_arg (cpu->graph, cpu->call, i), dtype, "Argument", i, error);
}

gboolean
pt_vk_cpu_expect_out (const PtVkCpuCall *cpu, guint k, PtDType dtype, GError **error)
{
  return expect (&cpu->graph->values[pt_vk_out (cpu->graph, cpu->call, k)], dtype, "Output", k,
                 error);
}
