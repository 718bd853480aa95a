/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-comparison.h"

#include <math.h>
#include <string.h>

/*
 * Results agree when the norm of their difference is at most this part of their norm, and no
 * difference is larger than the second part of the largest number. A result that is rounded to
 * bf16 has an error of up to 2^-9 of its size; weights of attention are rounded, too. One key more
 * or less of a thousand gives a difference of about 2^-5.
 */
#define MAX_NORM (1.0 / 128)
#define MAX_DIFFERENCE (1.0 / 32)
#define JUNK 0xff
#define JUNK_NUMBER 0xffff

static gsize
size_of (const PtCudaResult *results, guint n)
{
  gsize size = 0;

  for (guint i = 0; i < n; i++)
    size += results[i].size;
  return size;
}

guint8 *
pt_cuda_results_read (PtCudaContext *context, const PtCudaResult *results, guint n)
{
  g_autofree guint8 *contents = g_malloc (size_of (results, n));
  guint8 *at = contents;

  for (guint i = 0; i < n; at += results[i++].size)
    if (context->cu->cuMemcpyDtoHAsync (at, results[i].start, results[i].size, context->stream) !=
        PT_CU_SUCCESS)
      return NULL;
  return pt_cuda_context_synchronize (context, NULL) ? g_steal_pointer (&contents) : NULL;
}

gboolean
pt_cuda_results_restore (PtCudaContext *context, const PtCudaResult *results, guint n,
                         const guint8 *contents)
{
  for (guint i = 0; i < n; contents += results[i++].size)
    if (context->cu->cuMemcpyHtoDAsync (results[i].start, contents, results[i].size,
                                        context->stream) != PT_CU_SUCCESS)
      return FALSE;
  return pt_cuda_context_synchronize (context, NULL);
}

static gboolean
prepare (PtCudaContext *context, const PtCudaResult *result, const guint8 *content)
{
  const PtCuda *cu = context->cu;

  if (result->kind == PT_CUDA_RESULT_IN_PLACE)
    return cu->cuMemcpyHtoDAsync (result->start, content, result->size, context->stream) ==
           PT_CU_SUCCESS;
  return cu->cuMemsetD8Async (result->start, JUNK, result->size, context->stream) == PT_CU_SUCCESS;
}

guint8 *
pt_cuda_results_run (PtCudaContext *context, const PtCudaResult *results, guint n,
                     const guint8 *contents, PtCudaLaunchFunc launch, gpointer user_data)
{
  for (guint i = 0; i < n; contents += results[i++].size)
    if (!prepare (context, &results[i], contents))
      return NULL;
  return launch (user_data) ? pt_cuda_results_read (context, results, n) : NULL;
}

static guint16
number_at (const guint8 *contents, gsize i)
{
  guint16 number;

  memcpy (&number, contents + i * 2, sizeof number);
  return number;
}

gsize
pt_cuda_count_written (const guint8 *contents, gsize size)
{
  gsize count = 0, n = size / 2;

  while (count < n && number_at (contents, count) != JUNK_NUMBER)
    count++;
  for (gsize i = count; i < n; i++)
    if (number_at (contents, i) != JUNK_NUMBER)
      return 0;
  return count;
}

static double
from_bf16 (guint16 x)
{
  guint32 bits = (guint32) x << 16;
  float value;

  memcpy (&value, &bits, sizeof value);
  return (double) value;
}

static gboolean
numbers_agree (const guint8 *theirs, const guint8 *ours, gsize n, double *difference)
{
  double norm = 0, distance = 0, largest = 0, largest_difference = 0;

  for (gsize i = 0; i < n; i++) {
    guint16 x = number_at (theirs, i), y = number_at (ours, i);
    double a = from_bf16 (x), b = from_bf16 (y);

    if (x == JUNK_NUMBER && y == JUNK_NUMBER)
      continue;
    norm += a * a;
    distance += (a - b) * (a - b);
    largest = MAX (largest, fabs (a));
    largest_difference = MAX (largest_difference, fabs (a - b));
  }
  /* Not a number, also if only one of them wrote an element: FALSE. */
  if (!(sqrt (distance) <= sqrt (norm) * MAX_NORM) ||
      !(largest_difference <= largest * MAX_DIFFERENCE))
    return FALSE;
  if (norm > 0)
    *difference = MAX (*difference, sqrt (distance / norm));
  return TRUE;
}

gboolean
pt_cuda_results_agree (const PtCudaResult *results, guint n, const guint8 *theirs,
                       const guint8 *ours, double *difference)
{
  for (guint i = 0; i < n; i++) {
    gsize size = results[i].size;

    if (results[i].kind == PT_CUDA_RESULT_BYTES
            ? memcmp (theirs, ours, size) != 0
            : !numbers_agree (theirs, ours, size / 2, difference))
      return FALSE;
    theirs += size;
    ours += size;
  }
  return TRUE;
}
