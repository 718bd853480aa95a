/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/dtype.h"
#include "engine/runtime/backend.h"

G_BEGIN_DECLS

/*
 * The payload of a CUDA delegate: the keys of its library and weights, and the part of a storage
 * that each constant uses (docs/formats/cuda.md, section 3). All of it is checked. Keys are only
 * looked up; they never become part of a path.
 */

typedef enum {
  PT_CUDA_PAYLOAD_METHOD,   /* ExecuTorch 1.2, 1.3: keys are made of the method's name */
  PT_CUDA_PAYLOAD_KEYS,     /* ExecuTorch 1.4: two keys */
  PT_CUDA_PAYLOAD_NAMES,    /* ExecuTorch 1.5, ETCUDAFQN3: every constant by name */
  PT_CUDA_PAYLOAD_TARGETS,  /* ETCUDAFQN4: several libraries, each for one GPU */
  PT_CUDA_PAYLOAD_FALLBACK, /* ETCUDAFQN5: also a library for all other GPUs */
} PtCudaPayloadForm;

/** "method keys", "two keys", "ETCUDAFQN3", ... */
const char *pt_cuda_payload_form_name (PtCudaPayloadForm form);

typedef struct {
  const char *key; /* zero-terminated; may contain zeros */
  gsize key_length;
  guint target; /* compute capability, 90 for 9.0; 0: unknown */
  guint ptx;    /* compute capability of its PTX, which also runs on newer GPUs; 0: no PTX */
  gboolean is_fallback; /* to be used only where no other library fits */
} PtCudaLibraryKey;

/** One constant: a view of a storage. Entries with equal keys share one storage. */
typedef struct {
  const char *fqn; /* zero-terminated name in the original module */
  const char *key; /* zero-terminated key of the storage; may contain zeros */
  gsize key_length;
  guint64 nbytes; /* bytes of the storage; the view fits into it */
  PtDType dtype;
  PtDeviceType device_type;
  gint64 offset; /* offset in elements */
  guint rank;
  const gint64 *sizes;   /* [rank] */
  const gint64 *strides; /* [rank], elements */
} PtCudaConstant;

typedef struct {
  PtCudaPayloadForm form;
  PtCudaLibraryKey *libraries;
  guint n_libraries;       /* number of libraries, at least 1 */
  const char *weights_key; /* key of the blob with all constants; NULL: each constant has a key */
  gsize weights_key_length;
  PtCudaConstant *constants; /* only for constants with keys */
  guint n_constants;
  gint64 *dims; /* memory of sizes and strides */
  char *text;   /* memory of strings */
} PtCudaPayload;

/** Read the payload of @spec. PT_ERROR_PROGRAM: damaged; PT_ERROR_UNSUPPORTED: a newer form. */
PtCudaPayload *pt_cuda_payload_new (const PtDelegateSpec *spec, GError **error);
void pt_cuda_payload_free (PtCudaPayload *payload);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaPayload, pt_cuda_payload_free)

static inline gboolean
pt_cuda_payload_has_names (const PtCudaPayload *payload)
{
  return payload->form >= PT_CUDA_PAYLOAD_NAMES;
}

/**
 * The library for a GPU of @capability (90 for 9.0). NULL with an error that lists the GPUs of the
 * libraries.
 */
const PtCudaLibraryKey *pt_cuda_payload_choose (const PtCudaPayload *payload, guint capability,
                                                GError **error);

/**
 * The bytes of the library. They come from the program only, because the user's consent covers only
 * the program file.
 */
const PtNamedData *pt_cuda_library_find (const PtProgram *program, const PtCudaLibraryKey *library,
                                         GError **error);

/**
 * The bytes of the storage of @constant, [nbytes], from a data file or the program.
 * PT_ERROR_NOT_FOUND; PT_ERROR_DATA when the size differs, because the data files belong to another
 * model.
 */
const guint8 *pt_cuda_constant_find (const PtDelegateContext *context,
                                     const PtCudaConstant *constant, GError **error);

/**
 * Check the hash in @key ("<64 hex digits of SHA-256>_so_blob"). FALSE with an error when @bytes
 * has another one; TRUE when @key contains no hash.
 */
gboolean pt_cuda_key_check (const char *key, gsize key_length, gconstpointer bytes, gsize size,
                            GError **error);

G_END_DECLS
