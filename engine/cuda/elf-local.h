/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Change an ELF library, before it is loaded, so that it keeps to itself and can be unloaded.
 *
 * Symbols that are "unique" become ordinary ones. The loader gives the first library's unique
 * symbols to every later one, even where they are local to each otherwise. Exporters that link the
 * C++ library statically have its locales among them, and a second such library in a process
 * crashes when it is used. Libraries with unique symbols also are never unloaded.
 *
 * Nor are those with variables of a thread that have destructors, as long as the thread lives: the
 * destructors are asked for when the library goes instead. So it must go on the thread that called
 * it, or before that ends.
 *
 * @bytes: a copy of the library. What is not a library as expected is left as it is.
 * Returns: how many symbols were changed
 */
guint pt_elf_make_local (guint8 *bytes, gsize size);

G_END_DECLS
