/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * The entries of a folder. Unlike g_dir_open() on Windows, it accepts paths of more than 260
 * characters.
 *
 *     g_autoptr (PtFolder) folder = pt_folder_open (path);
 *
 *     while ((name = pt_folder_next (folder)) != NULL)
 *       …
 */
typedef struct _PtFolder PtFolder;

/** Open the folder at @path; NULL when it does not exist or cannot be read. */
PtFolder *pt_folder_open (const char *path);

/**
 * The next name in @folder, in no order, without "." and ".."; NULL after the last one, and when
 * @folder is NULL. Valid until the next call.
 */
const char *pt_folder_next (PtFolder *folder);

typedef enum {
  PT_ENTRY_FILE, /* and everything that is not one of the others */
  PT_ENTRY_FOLDER,
  PT_ENTRY_LINK, /* a symbolic link, to whatever; on Windows also a junction */
} PtEntryKind;

/**
 * The kind of the entry that pt_folder_next() returned last. The list of the folder says it, so no
 * file is looked at unless the file system leaves it out there.
 */
PtEntryKind pt_folder_kind (PtFolder *folder);

void pt_folder_close (PtFolder *folder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtFolder, pt_folder_close)

G_END_DECLS
