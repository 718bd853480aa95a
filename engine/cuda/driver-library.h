/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gmodule.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Loads libraries of the NVIDIA driver at run time, because machines without a GPU do not have
 * them.
 */

/**
 * Load a library by its name on this system, from the folders of the driver.
 *
 * @variable: an environment variable that replaces the path, for tests.
 *
 * Returns: a module to close with g_module_close(); NULL with PT_ERROR_NOT_FOUND
 */
GModule *pt_library_open (const char *variable, const char *linux_name, const char *windows_name,
                          GError **error);

/**
 * Advice for a machine without driver or GPU, by the kind of machine (WSL, a container). Begins
 * with a space; "" when there is none.
 */
const char *pt_library_hint (void);

#define PT_SYMBOL_NAMES 3

/** A function pointer in a struct, and the names of the function in the library. */
typedef struct {
  const char *names[PT_SYMBOL_NAMES]; /* newest name first; unused entries are NULL */
  gsize offset;                       /* offset of the pointer in the struct */
  gboolean needed;
} PtSymbol;

/**
 * Set the function pointers of @functions; NULL for functions that the library lacks.
 *
 * Returns: FALSE when a required function is missing
 */
gboolean pt_library_resolve (GModule *module, const PtSymbol *symbols, guint n_symbols,
                             gpointer functions);

G_END_DECLS
