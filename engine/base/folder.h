/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * What lies in a folder. g_dir_open() of GLib for Windows ends at paths of 260 characters; this
 * does not.
 *
 *     g_autoptr (PtFolder) folder = pt_folder_open (path);
 *
 *     while ((name = pt_folder_next (folder)) != NULL)
 *       …
 */
typedef struct _PtFolder PtFolder;

/** The folder at @path, or NULL where there is none that can be read. */
PtFolder *pt_folder_open (const char *path);

/**
 * The next name in @folder, in no order, without "." and ".."; NULL after the last one, and for a
 * NULL @folder. It is valid until the next call.
 */
const char *pt_folder_next (PtFolder *folder);

void pt_folder_close (PtFolder *folder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtFolder, pt_folder_close)

G_END_DECLS
