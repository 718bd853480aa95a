/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Patch an ELF library before it is loaded, so that it shares no symbols and can be unloaded.
 *
 * Symbols with "unique" binding get ordinary (global) binding. The loader binds unique symbols of
 * all libraries to the first definition in the process, even for libraries that are loaded as
 * local. Exporters that link the C++ library statically have its locales among them, and the second
 * such library in a process crashes. Also, libraries with unique symbols are never unloaded.
 *
 * Libraries that register destructors of thread-local variables are not unloaded before the thread
 * ends. The patch registers these destructors for the unloading of the library instead. Therefore
 * unload the library on the thread that called it, or before that thread ends.
 *
 * @bytes: a copy of the library; files of another format are not changed. Returns: how many symbols
 * were changed
 */
guint pt_elf_make_local (guint8 *bytes, gsize size);

G_END_DECLS
