/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Make ordinary symbols of those that are "unique" in an ELF library, before it is loaded.
 *
 * The loader gives the first library's unique symbols to every later one, even where they are
 * local to each otherwise. Exporters that link the C++ library statically have its locales
 * among them, and a second such library in a process crashes when it is used. Libraries with
 * unique symbols also are never unloaded.
 *
 * @bytes: a copy of the library. What is not a library as expected is left as it is.
 * Returns: how many there were
 */
guint pt_elf_make_local (guint8 *bytes, gsize size);

G_END_DECLS
