/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gmodule.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Libraries of the NVIDIA driver, loaded at run time: a machine without a GPU has none of them.
 */

/**
 * Load a library by the name it has on this system, from where the driver puts it.
 *
 * @variable: environment variable that replaces the path, for tests.
 * Returns: to be closed with g_module_close(); NULL with PT_ERROR_NOT_FOUND
 */
GModule *pt_library_open (const char *variable, const char *linux_name, const char *windows_name,
                          GError **error);

/** What to do where no driver or GPU is found, by the kind of machine (WSL, a container): begins
 * with a space; "" when there is nothing to say. */
const char *pt_library_hint (void);

#define PT_SYMBOL_NAMES 3

/** A function pointer in a struct, and the names it may have in the library. */
typedef struct {
  const char *names[PT_SYMBOL_NAMES]; /* newest first; the rest NULL */
  gsize offset;                       /* of the pointer in the struct */
  gboolean needed;
} PtSymbol;

/**
 * Fill the function pointers of @functions; NULL for what the library does not have.
 *
 * Returns: FALSE when one that is needed is not there
 */
gboolean pt_library_resolve (GModule *module, const PtSymbol *symbols, guint n_symbols,
                             gpointer functions);

G_END_DECLS
