/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * Read the names of @n classes from @path, a text with a name in each line or a JSON file with
 * "id2label"; NULL: from such a file in @folder (docs/formats/protocols.md, section 10.3). A list
 * with one name too many or too few, for the background as the first class, fits too.
 *
 * @out: set to a NULL-terminated list of @n names, to be freed with g_strfreev(), or to NULL when
 * there are none. FALSE with an error when the file at @path cannot be read or does not fit.
 * Blocking.
 */
gboolean pt_labels_read (const char *path, const char *folder, guint n, char ***out,
                         GError **error);

/**
 * The same for a model that does not say how many classes it has: all names of @path; NULL: of
 * labels.txt or classes.txt in @folder. NULL without an error when there is no such file.
 */
char **pt_labels_load (const char *path, const char *folder, GError **error);

G_END_DECLS
