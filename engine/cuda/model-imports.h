/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * Windows: lead some of what a loaded model library calls through functions of ours, by the
 * addresses in its table of imports.
 *
 * Functions of the driver, to see what passes (shims-driver.c), as the names do elsewhere that
 * libpteris-cuda-shims exports. A library built with CUDA 12 imports them from nvcuda.dll. One
 * built with CUDA 13 asks for them at its first launch: GetProcAddress() gives it
 * cuGetProcAddress(), and that all others.
 *
 * GetModuleHandleEx() and FreeLibrary(), with which a library keeps itself for as long as a thread
 * lives that has variables of its own in it, with destructors. These run when the library goes,
 * too, on the thread that unloads it, which must be the one that it was used on.
 *
 * @library: HMODULE. Call it before any other function of the library.
 */
gboolean pt_model_imports_lead (gpointer library, GError **error);

G_END_DECLS
