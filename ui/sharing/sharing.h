/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "server/server.h"

G_BEGIN_DECLS

/**
 * PterisSharing: the server of the window. It runs while PTERIS_SETTING_SERVE is set, with a key
 * while PTERIS_SETTING_SERVE_WITH_KEY is. UI thread only.
 *
 * Signals:
 *   changed (): the state, or what is told about requests
 */
#define PTERIS_TYPE_SHARING (pteris_sharing_get_type ())
G_DECLARE_FINAL_TYPE (PterisSharing, pteris_sharing, PTERIS, SHARING, GObject)

typedef enum {
  PTERIS_SHARING_OFF,
  PTERIS_SHARING_CHANGING, /* it starts or stops */
  PTERIS_SHARING_ON,
  PTERIS_SHARING_FAILED, /* it could not be started */
} PterisSharingState;

/** A program that has sent requests. */
typedef struct {
  char *name; /* as it calls itself; "": it does not */
  guint requests;
  gint64 last; /* monotonic time */
} PterisSharingProgram;

/** @functions: the server, which the program brings along; NULL: it has none. Before the first
 * pteris_sharing_new(). */
void pteris_sharing_use (const PterisServerFunctions *functions);
/** Whether there is a server. */
gboolean pteris_sharing_is_possible (void);

PterisSharing *pteris_sharing_new (void);

PterisSharingState pteris_sharing_get_state (PterisSharing *self);
/** "http://127.0.0.1:11435"; NULL: it does not run. */
const char *pteris_sharing_get_address (PterisSharing *self);
/** A sentence: why it could not be started; or NULL. */
const char *pteris_sharing_get_error (PterisSharing *self);
/** The key that clients have to send; NULL: none, or the server has not been started yet. */
const char *pteris_sharing_get_key (PterisSharing *self);
/** Whether the key is the same next time: the system's secret store keeps it. */
gboolean pteris_sharing_keeps_key (PterisSharing *self);

/** Let the pages in @text, origins with space between them, use the server; all others not. Returns
 * NULL, or the first word that is no origin, and nothing is changed. Free with g_free(). */
char *pteris_sharing_allow_pages (const char *text);

/** FALSE: it does not run; @status is 0. */
gboolean pteris_sharing_get_status (PterisSharing *self, PterisServerStatus *status);

/** PterisSharingProgram, the latest first. Owned by @self. */
const GPtrArray *pteris_sharing_get_programs (PterisSharing *self);
/** The latest errors (char *), the latest first. Owned by @self; kept in memory only. */
const GPtrArray *pteris_sharing_get_errors (PterisSharing *self);

G_END_DECLS
