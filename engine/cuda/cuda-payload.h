/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/dtype.h"
#include "engine/runtime/backend.h"

G_BEGIN_DECLS

/*
 * What the payload of a CUDA delegate says: under which keys its library and its weights are, and
 * which part of a storage each constant is (docs/formats/cuda.md, section 3). All of it is
 * checked. Keys are looked up, and never become part of a path.
 */

typedef enum {
  PT_CUDA_PAYLOAD_METHOD,   /* ExecuTorch 1.2, 1.3: keys follow from the method's name */
  PT_CUDA_PAYLOAD_KEYS,     /* 1.4: two keys */
  PT_CUDA_PAYLOAD_NAMES,    /* 1.5, ETCUDAFQN3: every constant by name */
  PT_CUDA_PAYLOAD_TARGETS,  /* ETCUDAFQN4: also a library for each of several GPUs */
  PT_CUDA_PAYLOAD_FALLBACK, /* ETCUDAFQN5: also one of them for all other GPUs */
} PtCudaPayloadForm;

/** "method keys", "two keys", "ETCUDAFQN3", ... */
const char *pt_cuda_payload_form_name (PtCudaPayloadForm form);

typedef struct {
  const char *key; /* zero-terminated; may contain zeros */
  gsize key_length;
  guint target;         /* compute capability, 90 for 9.0; 0: not said */
  guint ptx;            /* as PTX for this one and newer; 0: no */
  gboolean is_fallback; /* only where no other library fits */
} PtCudaLibraryKey;

/** One constant: a view of a storage. Two entries with one key share that storage. */
typedef struct {
  const char *fqn; /* name in the original module; zero-terminated */
  const char *key; /* of the storage; zero-terminated; may contain zeros */
  gsize key_length;
  guint64 nbytes; /* of the storage; the view fits into it */
  PtDType dtype;
  PtDeviceType device_type;
  gint64 offset; /* elements */
  guint rank;
  const gint64 *sizes;   /* [rank] */
  const gint64 *strides; /* [rank], elements */
} PtCudaConstant;

typedef struct {
  PtCudaPayloadForm form;
  PtCudaLibraryKey *libraries;
  guint n_libraries;       /* at least 1 */
  const char *weights_key; /* of the one blob with all constants; NULL: they have names */
  gsize weights_key_length;
  PtCudaConstant *constants; /* only with names */
  guint n_constants;
  gint64 *dims; /* where sizes and strides are */
  char *text;   /* where strings are */
} PtCudaPayload;

/** Read the payload of @spec. PT_ERROR_PROGRAM: damaged; PT_ERROR_UNSUPPORTED: of a newer form. */
PtCudaPayload *pt_cuda_payload_new (const PtDelegateSpec *spec, GError **error);
void pt_cuda_payload_free (PtCudaPayload *payload);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaPayload, pt_cuda_payload_free)

static inline gboolean
pt_cuda_payload_has_names (const PtCudaPayload *payload)
{
  return payload->form >= PT_CUDA_PAYLOAD_NAMES;
}

/** The library for a GPU of @capability (90: 9.0). NULL with the GPUs that there are some for. */
const PtCudaLibraryKey *pt_cuda_payload_choose (const PtCudaPayload *payload, guint capability,
                                                GError **error);

/**
 * The library's bytes, which are in the program and nowhere else: the user's consent covers
 * nothing else.
 */
const PtNamedData *pt_cuda_library_find (const PtProgram *program, const PtCudaLibraryKey *library,
                                         GError **error);

/**
 * The storage of @constant, [nbytes], in a data file or the program. PT_ERROR_NOT_FOUND, or
 * PT_ERROR_DATA when it has another size: data files of another model.
 */
const guint8 *pt_cuda_constant_find (const PtDelegateContext *context,
                                     const PtCudaConstant *constant, GError **error);

/** FALSE when @key begins with a SHA-256 ("<64 hex digits>_so_blob") that @bytes does not have. */
gboolean pt_cuda_key_check (const char *key, gsize key_length, gconstpointer bytes, gsize size,
                            GError **error);

G_END_DECLS
