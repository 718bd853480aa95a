/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * The names of the @n labels of a token classifier in @folder: "id2label" of config.json there or
 * above; else those of the published privacy filters, which have 33 and 221 labels; else "O" and
 * "B-", "I-", "E-", "S-" of "entity 1", "entity 2", … in this order
 * (docs/formats/protocols.md, section 16.2). NULL-terminated; free with g_strfreev(). Blocking.
 */
char **pt_privacy_labels (const char *folder, guint n);

G_END_DECLS
