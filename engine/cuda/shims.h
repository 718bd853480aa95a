/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "engine/cuda/cuda-replacements.h"
#include "engine/cuda/shim-tensor.h"
#include "engine/cuda/upload.h"

G_BEGIN_DECLS

/*
 * The functions that model libraries import (docs/formats/cuda.md, section 8), and what the
 * delegate sets before a call into a library and asks after it. The functions are defined in
 * libpteris; their names are exported by libpteris-cuda-shims, a library that only processes with a
 * CUDA model load (shims/names.h).
 *
 *     pt_shims_enter (context, modules);
 *     code = run (container, inputs, n_inputs, outputs, n_outputs, context->stream, NULL);
 *     pt_shims_leave ();
 *     if (code != 0) {
 *       g_autoptr (GError) note = pt_shim_take_note ();
 *       ...
 *     }
 *
 * Everything here belongs to the thread that entered.
 */

/**
 * Export all functions to libraries that are loaded from now on. Call this before the first of
 * them; later calls do nothing. The shim library is searched at PTERIS_CUDA_SHIMS (a path), in the
 * folder of the executable, in the library folders beside it, and in the build folder.
 *
 * Returns: FALSE with an error when it is not found, has another version, or PyTorch in this
 * process already exports functions with these names
 */
gboolean pt_shims_open (GError **error);

/** The sorted names of all @n exported functions. Works without pt_shims_open(). */
const char *const *pt_shims_names (guint *n);

/* ---- Around a call into a library ---- */

/**
 * The GPU resources of one library: the modules of its kernels, which not all libraries unload, and
 * the state of its random numbers.
 */
typedef struct _PtShimModules PtShimModules;

PtShimModules *pt_shim_modules_new (void);
/**
 * Unload the remaining modules. Call this after the container is deleted; @context must be current
 * on this thread.
 */
void pt_shim_modules_free (PtShimModules *modules, PtCudaContext *context);
guint pt_shim_modules_count (const PtShimModules *modules);

/** The memory effects of @function, or NULL when it is not a kernel of the library. */
const PtPtxEffects *pt_shim_modules_effects (PtShimModules *modules, PtCuFunction function);

/** What @function looks like, or NULL when it is no kernel of the library that ours may replace. */
const PtKernelPattern *pt_shim_modules_pattern (PtShimModules *modules, PtCuFunction function);

/** Our kernels in place of the library's. Owned by @modules. */
PtCudaReplacements *pt_shim_modules_replacements (PtShimModules *modules, PtCudaContext *context);

/**
 * Seed the random numbers of the library, from its next run without a graph on. Without a seed they
 * differ between processes.
 */
void pt_shim_modules_seed (PtShimModules *modules, guint64 seed);

/**
 * Begin a call: libraries called on this thread use @context, and modules that they load are
 * recorded in @modules (NULL: not recorded). The caller keeps ownership of both. Clears the note.
 * Calls must not nest.
 */
void pt_shims_enter (PtCudaContext *context, PtShimModules *modules);
void pt_shims_leave (void);

/* ---- Why a call failed ---- */

/**
 * Note why a function will return an error, because a library returns only a number. Only the first
 * note since pt_shims_enter() is kept; later ones are its consequences.
 */
void pt_shim_note (PtError code, const char *format, ...) G_GNUC_PRINTF (2, 3);

/** Return the note as an error that the caller owns, or NULL. Also works after pt_shims_leave(). */
GError *pt_shim_take_note (void) G_GNUC_WARN_UNUSED_RESULT;

/* ---- The constants of a library ---- */

/**
 * Handles and memory recorded during one call.
 *
 * @constants: our copies of the handles that the library makes when it takes its constants from a
 * blob, in the order of the constants that are not folded (docs/formats/cuda.md, section 5.3).
 * Their storages lie in the library's block and last as long as the container.
 * @blocks: memory that it allocated with cudaMalloc(); see pt_shim_adopt().
 * @handles: handles that the library makes when its constants are bound. It never deletes them
 * (section 5.4 there): keep them until the next binding has succeeded or the container is deleted.
 */
typedef struct {
  GPtrArray *constants; /* PtShimTensor */
  GPtrArray *handles;   /* PtShimTensor */
  GArray *blocks;       /* PtCuPointer */
} PtShimRecord;

/** Record handles in @record until pt_shim_record_end(). Set @record to zero before. */
void pt_shim_record_begin (PtShimRecord *record);
void pt_shim_record_end (void);
/** Delete all handles in @record. */
void pt_shim_record_clear (PtShimRecord *record);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PtShimRecord, pt_shim_record_clear)

/**
 * Take ownership of @block, which a library has allocated. The block may then outlive the library's
 * container, whose cudaFree() ignores it.
 */
void pt_shim_adopt (PtCuPointer block);

/**
 * Until pt_shim_upload_finish(), the library's copies to the GPU go through @upload and are
 * asynchronous: the source must not change, and the GPU must compute nothing.
 */
void pt_shim_upload_begin (PtCudaUpload *upload, GCancellable *cancellable);
/** Wait until all copies are complete. Also call it after a failure. */
gboolean pt_shim_upload_finish (GError **error);

G_END_DECLS
