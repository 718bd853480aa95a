/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/update.h>

#include "engine/update/signature.h"

G_BEGIN_DECLS

/* The signed list of versions. It is untrusted until its signature is verified, and checked after
 * that, too. */

/** Of the whole file. */
#define PT_VERSION_LIST_MAX (64u * 1024)

/**
 * Verify and read the list @text. @key: who must have signed it; @current: version of this program.
 * Free with pt_update_free(). NULL with PT_ERROR_FORMAT, PT_ERROR_DATA or PT_ERROR_UNSUPPORTED.
 */
PtUpdate *pt_version_list_read (const char *text, gsize length, const PtPublicKey *key,
                                const char *current, GError **error);

/** Compare two versions, "0.10.0" after "0.9.0": negative, 0 or positive. Both are versions. */
int pt_version_compare (const char *a, const char *b);

/** Whether @text is a version: three numbers of at most six digits, "1.20.3". */
gboolean pt_version_is_valid (const char *text);

G_END_DECLS
