/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/error.h"

G_BEGIN_DECLS

/**
 * Names of @n classes: from @path, a text with a line for each or a JSON file with "id2label" or a
 * list; NULL: from such a file in @folder (labels.txt, classes.txt, imagenet_classes.txt,
 * config.json). A text with one name too many or too few for its background, the first class,
 * fits too.
 *
 * @out: set to a NULL-terminated list of @n, to be freed with g_strfreev(), or to NULL when there
 * are none. FALSE with an error when what was named cannot be read or does not fit. Blocking.
 */
gboolean pt_labels_read (const char *path, const char *folder, guint n, char ***out,
                         GError **error);

G_END_DECLS
