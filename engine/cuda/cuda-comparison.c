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

guint16 *
pt_cuda_run_into_junk (PtCudaContext *context, PtCuPointer block, gsize size,
                       PtCudaLaunchFunc launch, gpointer user_data)
{
  g_autofree guint16 *numbers = g_malloc (size);

  if (context->cu->cuMemsetD8Async (block, JUNK, size, context->stream) != PT_CU_SUCCESS ||
      !launch (user_data) ||
      context->cu->cuMemcpyDtoHAsync (numbers, block, size, context->stream) != PT_CU_SUCCESS ||
      !pt_cuda_context_synchronize (context, NULL))
    return NULL;
  return g_steal_pointer (&numbers);
}

gsize
pt_cuda_count_written (const guint16 *numbers, gsize n)
{
  gsize count = 0;

  while (count < n && numbers[count] != JUNK_NUMBER)
    count++;
  for (gsize i = count; i < n; i++)
    if (numbers[i] != JUNK_NUMBER)
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

gboolean
pt_cuda_results_agree (const guint16 *theirs, const guint16 *ours, gsize n, double *difference)
{
  double norm = 0, distance = 0, largest = 0, largest_difference = 0;

  for (gsize i = 0; i < n; i++) {
    double a = from_bf16 (theirs[i]), b = from_bf16 (ours[i]);

    if (theirs[i] == JUNK_NUMBER && ours[i] == JUNK_NUMBER)
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
