/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "server/fault.h"

G_BEGIN_DECLS

/**
 * PterisGuard: who may ask. It never changes; any thread.
 *
 * A page in a browser can send requests to this machine. It cannot set the header Host to an
 * address after its own name was bound to that address (DNS rebinding), and its browser sends the
 * header Origin. So Host must be an address, “localhost” or a name that the user listed, and Origin
 * must be missing or listed.
 */
typedef struct _PterisGuard PterisGuard;

/** What a request says about its sender; NULL: the header is missing. */
typedef struct {
  const char *host;          /* Host */
  const char *origin;        /* Origin */
  const char *authorization; /* Authorization */
} PterisSender;

/** @key: what clients have to send; NULL: nothing. @origins, @hosts: NULL-terminated, or NULL. */
PterisGuard *pteris_guard_new (const char *key, const char *const *origins,
                               const char *const *hosts);
void pteris_guard_free (PterisGuard *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisGuard, pteris_guard_free)

/** FALSE with 403 or 401: the request is refused. @is_preflight: a browser asks whether the page
 * may send a request; such a question has no key. */
gboolean pteris_guard_check (const PterisGuard *self, const PterisSender *sender,
                             gboolean is_preflight, GError **error);

/** Whether pages of @origin may read the answers. */
gboolean pteris_guard_knows_origin (const PterisGuard *self, const char *origin);

/** Whether @a and @b are the same, in a time that does not depend on where they differ. */
gboolean pteris_guard_is_same (const char *a, const char *b);

G_END_DECLS
