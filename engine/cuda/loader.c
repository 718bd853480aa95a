/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/loader.h"

#include "engine/cuda/binary-image.h"
#include "engine/base/trusted-files.h"

/* Checks all requirements of the library before any of it is mapped. */
static gboolean
check_image (const PtCudaImage *image, const PtCudaContext *cuda, GError **error)
{
  PtCudaMachine machine = pt_cuda_machine_here ();

  machine.functions = pt_shims_names (&machine.n_functions);
  machine.device = cuda->name;
  machine.capability = cuda->capability;
  machine.driver = cuda->driver_version;
  return pt_cuda_image_check (image, &machine, error);
}

static const PtNamedData *
find_library (const PtDelegateContext *context, const PtCudaPayload *payload,
              const PtCudaContext *cuda, GError **error)
{
  const PtCudaLibraryKey *key = pt_cuda_payload_choose (payload, cuda->capability, error);
  const PtNamedData *library =
      key != NULL ? pt_cuda_library_find (context->program, key, error) : NULL;

  if (library == NULL ||
      !pt_cuda_key_check (key->key, key->key_length, library->data, library->size, error))
    return NULL;
  return library;
}

PtCudaContainer *
pt_cuda_load (const PtDelegateContext *context, const PtCudaPayload *payload, PtCudaContext *cuda,
              GError **error)
{
  const PtNamedData *bytes = find_library (context, payload, cuda, error);
  g_autoptr (PtCudaImage) image =
      bytes != NULL ? pt_cuda_image_scan (bytes->data, bytes->size, error) : NULL;
  PtModelLibrary *library;

  if (image == NULL || !check_image (image, cuda, error) ||
      !pt_trust_check (pt_program_digest (context->program), pt_program_path (context->program),
                       PT_TRUST_LIBRARY, context->trust, error) ||
      !pt_shims_open (error))
    return NULL;
  library = pt_model_library_open (bytes->data, bytes->size, error);
  return library != NULL ? pt_cuda_container_new (cuda, library, error) : NULL;
}
