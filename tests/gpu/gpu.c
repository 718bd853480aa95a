/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

#ifdef EMULATED
#include "tests/fakes/emulate.h"
#endif

#define MARGIN 256
#define MARGIN_BYTE 0xa5

typedef struct {
  PtCuPointer pointer; /* with margins */
  gsize size;
} Piece;

PtCudaContext *gpu;
gboolean gpu_is_quick;
static GArray *pieces;

void
gpu_check (gboolean ok, GError *error)
{
  if (ok)
    return;
  g_printerr ("Bail out! %s\n", error != NULL ? error->message : "no message");
  exit (1);
}

#ifdef EMULATED
static void
emulate (const FakeLaunch *launch, void **arguments, gpointer user_data)
{
  /* Others are computed by the stand-in. */
  if (!g_str_has_prefix (launch->name, "pt_"))
    return;
  gpu->cu->cuStreamSynchronize (gpu->stream);
  pt_emulate_launch (user_data, launch, arguments[0]);
}

void
gpu_emulate (void)
{
  const FakeCuda *fake = fake_cuda_open (FAKE_CUDA_PATH);

  fake->set_launch_hook (emulate, (gpointer) fake);
}
#endif

void
gpu_start (void)
{
  GError *error = NULL;

#ifdef EMULATED
  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  gpu_emulate ();
  pt_cuda_kernels_use_image ("// kernels are emulated");
  gpu_is_quick = TRUE;
#endif
  gpu = pt_cuda_context_ref (0, &error);
  gpu_check (gpu != NULL, error);
#ifdef EMULATED
  gpu->n_multiprocessors = 3; /* so that blocks have more than one piece of work */
#endif
  gpu_check (pt_cuda_kernels_prepare (gpu, &error), error);
  pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
}

void
gpu_stop (void)
{
  gpu_free_all ();
  g_array_unref (pieces);
  pt_cuda_context_unref (gpu);
}

PtCuPointer
gpu_new (gconstpointer data, gsize size)
{
  GError *error = NULL;
  Piece piece = { pt_cuda_context_allocate (gpu, size + 2 * MARGIN, &error), size };
  PtCuPointer inner = piece.pointer + MARGIN;
  PtCuResult code;

  gpu_check (piece.pointer != 0, error);
  g_array_append_val (pieces, piece);
  code = gpu->cu->cuMemsetD8Async (piece.pointer, MARGIN_BYTE, size + 2 * MARGIN, gpu->stream);
  gpu_check (pt_cuda_context_check (gpu, code, "Filling", &error), error);
  if (size == 0)
    return inner;
  code = data != NULL ? gpu->cu->cuMemcpyHtoDAsync (inner, data, size, gpu->stream)
                      : gpu->cu->cuMemsetD8Async (inner, GPU_JUNK, size, gpu->stream);
  gpu_check (pt_cuda_context_check (gpu, code, "Copying", &error), error);
  /* @data may go away now. */
  gpu_check (pt_cuda_context_synchronize (gpu, &error), error);
  return inner;
}

static void
check_margin (const guint8 *bytes, gsize size)
{
  for (gsize i = 0; i < MARGIN; i++)
    if (bytes[i] != MARGIN_BYTE || bytes[MARGIN + size + i] != MARGIN_BYTE) {
      gpu_fail ("wrote beside its output: byte %" G_GSIZE_FORMAT " before or behind it", i);
      return;
    }
}

gpointer
gpu_read (PtCuPointer pointer)
{
  GError *error = NULL;

  for (guint i = 0; i < pieces->len; i++) {
    const Piece *piece = &g_array_index (pieces, Piece, i);
    g_autofree guint8 *bytes = NULL;
    PtCuResult code;

    if (piece->pointer + MARGIN != pointer)
      continue;
    bytes = g_malloc (piece->size + 2 * MARGIN);
    gpu_check (pt_cuda_context_synchronize (gpu, &error), error);
    code = gpu->cu->cuMemcpyDtoH (bytes, piece->pointer, piece->size + 2 * MARGIN);
    gpu_check (pt_cuda_context_check (gpu, code, "Reading", &error), error);
    check_margin (bytes, piece->size);
    memmove (bytes, bytes + MARGIN, piece->size);
    return g_steal_pointer (&bytes);
  }
  g_assert_not_reached ();
}

void
gpu_free_all (void)
{
  for (guint i = 0; i < pieces->len; i++)
    pt_cuda_context_free (gpu, g_array_index (pieces, Piece, i).pointer);
  g_array_set_size (pieces, 0);
}

void
gpu_fail (const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_test_message ("MISMATCH %s: %s", g_test_get_path (), message);
  g_test_fail ();
}
