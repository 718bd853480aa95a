/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/update.h>

#include "engine/update/signature.h"
#include "engine/update/update-request.h"

G_BEGIN_DECLS

/** Where the list of versions is, and who signs it. */
typedef struct {
  char *address;
  PtPublicKey key;
} PtUpdateSource;

/** What the environment names, else what was built in. NULL with PT_ERROR_UNSUPPORTED (nothing),
 * PT_ERROR_ARGUMENT or PT_ERROR_FILE. */
PtUpdateSource *pt_update_source_new (GError **error);
void pt_update_source_free (PtUpdateSource *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtUpdateSource, pt_update_source_free)

/** pt_update_look() with other times, for a program of version @current. */
PtUpdate *pt_update_look_with (const char *current, PtUpdateTimes times, GCancellable *cancellable,
                               GError **error);

G_END_DECLS
