/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "engine/cuda/ptx.h"
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
 * Make every exported function known to libraries that are loaded from now on. Call before the
 * first of them; later calls do nothing. Looked for: PTERIS_CUDA_SHIMS (a path), the folder of the
 * executable, the library folders beside it, the build folder.
 *
 * Returns: FALSE when it is not found, is of another version, or PyTorch is in this process, whose
 *   functions have the same names
 */
gboolean pt_shims_open (GError **error);

/** Every exported name, sorted; @n of them. Works without pt_shims_open(). */
const char *const *pt_shims_names (guint *n);

/* === Around a call into a library === */

/**
 * What one library has on the GPU: the modules of its kernels, which not all unload, and the state
 * of its random numbers.
 */
typedef struct _PtShimModules PtShimModules;

PtShimModules *pt_shim_modules_new (void);
/** Unloads what is left. After the container is deleted; @context is current on this thread. */
void pt_shim_modules_free (PtShimModules *modules, PtCudaContext *context);
guint pt_shim_modules_count (const PtShimModules *modules);

/** What memory a kernel of the library uses, or NULL when it is not one of them. */
const PtPtxEffects *pt_shim_modules_effects (PtShimModules *modules, PtCuFunction function);

/** From its next eager run on, the library's random numbers are those of @seed. Without it they
 * differ from time to time. */
void pt_shim_modules_seed (PtShimModules *modules, guint64 seed);

/**
 * Libraries called on this thread now use @context, and what they load goes to @modules (NULL: is
 * not remembered). Both stay the caller's. Forgets the last note. Calls do not nest.
 */
void pt_shims_enter (PtCudaContext *context, PtShimModules *modules);
void pt_shims_leave (void);

/* === Why a call failed === */

/**
 * Remember why a function is about to return an error: a library keeps nothing but the fact. The
 * first note since pt_shims_enter() stays, because what follows are its consequences.
 */
void pt_shim_note (PtError code, const char *format, ...) G_GNUC_PRINTF (2, 3);

/** The note as an error to propagate or to quote, or NULL. Also after pt_shims_leave(). */
GError *pt_shim_take_note (void) G_GNUC_WARN_UNUSED_RESULT;

/* === What a library does with its constants === */

/**
 * Handles seen during one call.
 *
 * @constants: ours, equal to those that the library makes when it takes its constants from a
 *   blob, in the order of the constants that are not folded (docs/formats/cuda.md, section 5.3).
 *   Storages lie in the library's own block and last as long as the container.
 * @blocks: memory that it took with cudaMalloc(); see pt_shim_adopt().
 * @handles: those that the library makes when its constants are bound. It never deletes them
 *   (section 5.4 there): keep them until the next binding has succeeded or the container is gone.
 */
typedef struct {
  GPtrArray *constants; /* PtShimTensor */
  GPtrArray *handles;   /* PtShimTensor */
  GArray *blocks;       /* PtCuPointer */
} PtShimRecord;

/** From now to pt_shim_record_end() handles are appended to @record; begin with it all zero. */
void pt_shim_record_begin (PtShimRecord *record);
void pt_shim_record_end (void);
/** Deletes all handles of @record. */
void pt_shim_record_clear (PtShimRecord *record);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PtShimRecord, pt_shim_record_clear)

/**
 * From now on @block, which a library has taken, is the caller's: it may outlive the library's
 * container, whose cudaFree() of it does nothing.
 */
void pt_shim_adopt (PtCuPointer block);

/**
 * Until pt_shim_upload_finish(), what a library copies to the GPU goes through @upload: overlapped,
 * so that the memory must stay as it is until then. Nothing may be computed meanwhile.
 */
void pt_shim_upload_begin (PtCudaUpload *upload, GCancellable *cancellable);
/** All of it is there. Also needed after a failure. */
gboolean pt_shim_upload_finish (GError **error);

G_END_DECLS
