/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * A loaded model library and its exported functions (docs/formats/cuda.md, sections 4.4 and 4.5).
 * Loading it runs its code with the user's rights: always call pt_trust_check() first.
 */

typedef struct _PtModelContainer *PtModelContainer;

typedef struct {
  const char *name; /* the library's argument for a constant */
  gpointer handle;  /* PtShimTensor */
} PtModelPair;

/**
 * One line for each function: member, name behind "AOTInductor", whether it is required, arguments.
 * All functions return 0, or 1 for an error.
 */
#define PT_MODEL_FUNCTIONS(X)                                                                      \
  X (create_with_device, "ModelContainerCreateWithDevice", TRUE,                                   \
     (PtModelContainer * out, size_t n_models, const char *device, const char *cubin_folder))      \
  X (delete, "ModelContainerDelete", TRUE, (PtModelContainer container))                           \
  X (get_num_inputs, "ModelContainerGetNumInputs", TRUE, (PtModelContainer container, size_t * n)) \
  X (get_num_outputs, "ModelContainerGetNumOutputs", TRUE,                                         \
     (PtModelContainer container, size_t * n))                                                     \
  X (run, "ModelContainerRun", TRUE,                                                               \
     (PtModelContainer container, gpointer * inputs, size_t n_inputs, gpointer * outputs,          \
      size_t n_outputs, gpointer stream, gpointer proxy_executor))                                 \
  X (run_single_threaded, "ModelContainerRunSingleThreaded", FALSE,                                \
     (PtModelContainer container, gpointer * inputs, size_t n_inputs, gpointer * outputs,          \
      size_t n_outputs, gpointer stream, gpointer proxy_executor))                                 \
  X (update_constants_from_blob, "ModelUpdateConstantsFromBlob", FALSE,                            \
     (PtModelContainer container, const uint8_t *blob))                                            \
  X (get_constants_blob_size, "ModelContainerGetConstantsBlobSize", FALSE,                         \
     (PtModelContainer container, uint64_t * size))                                                \
  X (get_num_constants, "ModelContainerGetNumConstants", FALSE,                                    \
     (PtModelContainer container, size_t * n))                                                     \
  X (get_constant_name, "ModelContainerGetConstantName", FALSE,                                    \
     (PtModelContainer container, size_t i, const char **name))                                    \
  X (get_constant_original_fqn, "ModelContainerGetConstantOriginalFQN", FALSE,                     \
     (PtModelContainer container, size_t i, const char **fqn))                                     \
  X (get_constant_from_folded, "ModelContainerGetConstantFromFolded", FALSE,                       \
     (PtModelContainer container, size_t i, bool *folded))                                         \
  X (get_constant_type, "ModelContainerGetConstantType", FALSE,                                    \
     (PtModelContainer container, size_t i, int32_t * type))                                       \
  X (get_constant_dtype, "ModelContainerGetConstantDtype", FALSE,                                  \
     (PtModelContainer container, size_t i, int32_t * dtype))                                      \
  X (get_constant_data_size, "ModelContainerGetConstantDataSize", FALSE,                           \
     (PtModelContainer container, size_t i, size_t * size))                                        \
  X (update_user_managed_constant_buffer_pairs,                                                    \
     "ModelContainerUpdateUserManagedConstantBufferPairs", FALSE,                                  \
     (PtModelContainer container, const PtModelPair *pairs, size_t n, bool use_inactive,           \
      bool validate_full_update))                                                                  \
  X (get_last_error, "GetLastError", FALSE, (const char **text))

/** NULL: the library lacks the function. */
typedef struct {
#define PT_MODEL_MEMBER(member, name, needed, arguments) int32_t (*member) arguments;
  PT_MODEL_FUNCTIONS (PT_MODEL_MEMBER)
#undef PT_MODEL_MEMBER
} PtModelSymbols;

typedef struct _PtModelLibrary PtModelLibrary;

/**
 * Copy @bytes to a private file and load it. Call pt_shims_open() first, and only after the user's
 * consent. Every call loads another copy with its own global state. Engine thread.
 *
 * Returns: NULL with PT_ERROR_DELEGATE when the library does not load, or lacks functions; the
 * message names all of them
 */
PtModelLibrary *pt_model_library_open (const guint8 *bytes, gsize size, GError **error);

const PtModelSymbols *pt_model_library_symbols (const PtModelLibrary *library);

/**
 * Unload the library. A library with thread-local data (torch 2.13) stays loaded until that thread
 * ends.
 */
void pt_model_library_free (PtModelLibrary *library);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtModelLibrary, pt_model_library_free)

G_END_DECLS
