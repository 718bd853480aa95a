/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * Windows: redirect some imports of a loaded model library to our functions, by changing the
 * addresses in its import table.
 *
 * Functions of the driver are redirected to report errors and modules (shims-driver.c), as
 * libpteris-cuda-shims does on Linux. A library built with CUDA 12 imports them from nvcuda.dll.
 * One built with CUDA 13 looks them up at its first launch: GetProcAddress() returns
 * cuGetProcAddress(), which returns all others.
 *
 * GetModuleHandleEx() and FreeLibrary() are redirected because a library with thread-local
 * destructors uses them to stay loaded until the thread ends. The destructors also run when the
 * library is unloaded, on the thread that unloads it; this must be the thread that used it.
 *
 * @library: HMODULE. Call this before any function of the library.
 */
gboolean pt_model_imports_lead (gpointer library, GError **error);

G_END_DECLS
