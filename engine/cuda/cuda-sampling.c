/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-sampling.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/kernels/kernel-arguments.h"

/* Marks the place of the token id until the GPU has written one. */
#define NOTHING_YET G_MININT32
/* Number of polls before the driver is asked for an error. */
#define LOOKS 256

/* Host memory that the GPU reads and writes. */
typedef struct {
  gint32 id;
  float coin;
} Mailbox;

typedef struct _PtCudaSampling PtCudaSampling;
struct _PtCudaSampling {
  PtCudaContext *context;
  volatile Mailbox *mailbox;
  void *said; /* the copy of the ids that penalties apply to */
  gsize room; /* capacity in bytes at @said */
  PtCuPointer scratch;
  gsize size; /* bytes of scratch memory */
};

static void
sampling_free (PtCudaSampling *self)
{
  const PtCuda *cu = self->context->cu;

  if (self->mailbox != NULL)
    cu->cuMemFreeHost ((void *) self->mailbox);
  if (self->said != NULL)
    cu->cuMemFreeHost (self->said);
  pt_cuda_context_free (self->context, self->scratch);
  g_free (self);
}

static PtCudaSampling *
prepare (PtCudaContext *context, GError **error)
{
  PtCudaSampling *self;
  void *memory = NULL;

  if (context->sampling != NULL)
    return context->sampling;
  if (!pt_cuda_context_check (context, context->cu->cuMemHostAlloc (&memory, sizeof (Mailbox), 0),
                              "Allocating GPU memory", error))
    return NULL;
  self = g_new0 (PtCudaSampling, 1);
  self->context = context;
  self->mailbox = memory;
  context->sampling = self;
  context->free_sampling = sampling_free;
  return self;
}

/* Zero at first; the kernels leave it zero. */
static gboolean
grow_scratch (PtCudaSampling *self, gsize size, GError **error)
{
  PtCudaContext *context = self->context;

  if (size <= self->size)
    return TRUE;
  pt_cuda_context_free (context, self->scratch);
  self->size = 0;
  self->scratch = pt_cuda_context_allocate (context, size, error);
  if (self->scratch == 0 ||
      !pt_cuda_context_check (
          context, context->cu->cuMemsetD8Async (self->scratch, 0, size, context->stream),
          "Clearing memory of the GPU", error))
    return FALSE;
  self->size = size;
  return TRUE;
}

/* The GPU has read the previous content, because its token was taken. */
static gboolean
put_said (PtCudaSampling *self, const PtDeviceSampling *how, GError **error)
{
  PtCudaContext *context = self->context;
  gsize size = how->n_said * sizeof (PtSampleSaid);
  void *memory = NULL;

  if (size > self->room) {
    if (!pt_cuda_context_check (context, context->cu->cuMemHostAlloc (&memory, 2 * size, 0),
                                "Taking memory for tokens", error))
      return FALSE;
    if (self->said != NULL)
      context->cu->cuMemFreeHost (self->said);
    self->said = memory;
    self->room = 2 * size;
  }
  if (size > 0)
    memcpy (self->said, how->said, size);
  return TRUE;
}

static PtCuPointer
address (volatile void *pointer)
{
  return (PtCuPointer) (guintptr) pointer;
}

static gboolean
wait_for_answer (PtCudaSampling *self, GError **error)
{
  const PtCuda *cu = self->context->cu;
  guint looks = 0;

  while (self->mailbox->id == NOTHING_YET) {
    PtCuResult code;

    if (++looks % LOOKS != 0)
      continue;
    code = cu->cuStreamQuery (self->context->stream);
    if (code == PT_CU_NOT_READY)
      continue;
    if (!pt_cuda_context_check (self->context, code, "Running on the GPU", error))
      return FALSE;
    if (self->mailbox->id == NOTHING_YET)
      return pt_fail (error, PT_ERROR_INTERNAL, "The GPU chose no token.");
  }
  return TRUE;
}

gboolean
pt_cuda_sample (PtCudaContext *context, const PtDeviceSampling *how, gconstpointer logits,
                PtDType dtype, gsize width, gpointer next_id, gpointer next_position,
                GError **error)
{
  PtCudaSampling *self;
  PtCudaSample sample;

  if (!pt_cuda_kernels_prepare (context, error))
    return FALSE;
  self = prepare (context, error);
  if (self == NULL || !grow_scratch (self, pt_cuda_sample_scratch ((gint64) width), error))
    return FALSE;
  if (!put_said (self, how, error))
    return FALSE;
  self->mailbox->id = NOTHING_YET;
  self->mailbox->coin = (float) how->coin;
  sample = (PtCudaSample){ .logits = address ((gpointer) logits),
                           .dtype = dtype,
                           .n = (gint64) width,
                           .temperature = how->temperature,
                           .top_k = how->top_k,
                           .top_p = how->top_p,
                           .min_p = how->min_p,
                           .repetition_penalty = how->repetition_penalty,
                           .presence_penalty = how->presence_penalty,
                           .frequency_penalty = how->frequency_penalty,
                           .said = address (self->said),
                           .n_said = how->n_said,
                           .coin = address (&self->mailbox->coin),
                           .id = address (&self->mailbox->id),
                           .wide_id = address (next_id),
                           .position = address (next_position) };
  return pt_cuda_kernel_sample (context, &sample, self->scratch, error);
}

gboolean
pt_cuda_take_sample (PtCudaContext *context, gint32 *id, GError **error)
{
  PtCudaSampling *self = context->sampling;

  if (self == NULL)
    return pt_fail (error, PT_ERROR_STATE, "No token is being chosen.");
  if (!wait_for_answer (self, error))
    return FALSE;
  *id = self->mailbox->id;
  return TRUE;
}
