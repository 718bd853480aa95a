/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/binary-image.h"
#include "tests/fuzz/fuzz.h"

/* Model libraries of CUDA delegates, looked through but never loaded: ELF, PE, fat binaries. */

static const char *const functions[] = { "aoti_torch_warn", "cudaMalloc" };

static void
touch_image (const PtCudaImage *image)
{
  PtCudaMachine machine = pt_cuda_machine_here ();
  g_autoptr (GPtrArray) missing = NULL;

  for (guint i = 0; i < image->n_codes; i++) {
    g_autofree char *name = pt_cuda_code_name (&image->codes[i]);

    g_assert (image->codes[i].target > 0);
  }
  for (guint i = 0; i < image->n_variants; i++)
    g_assert (image->variants[i] != 0 && image->variants[i] >> (image->n_codes - 1) <= 1);
  machine.kind = image->kind;
  machine.cpu = image->cpu;
  machine.functions = functions;
  machine.n_functions = G_N_ELEMENTS (functions);
  machine.capability = 90;
  machine.driver = 12040;
  missing = pt_cuda_image_missing (image, &machine);
  if (missing->len > 0) {
    GError *error = NULL;

    g_assert (!pt_cuda_image_check (image, &machine, &error));
    fuzz_check_error (error);
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree guint8 *copy = g_memdup2 (data, size);
  g_autoptr (PtCudaImage) image = NULL;
  GError *error = NULL;

  image = pt_cuda_image_scan (copy, size, &error);
  if (image == NULL)
    fuzz_check_error (error);
  else
    touch_image (image);
  return 0;
}
