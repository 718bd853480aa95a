/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/chat/conversation.h"

G_BEGIN_DECLS

/**
 * PterisPresets: named settings of conversations: three built-in ones, and the user's own, which
 * are saved in the history. UI thread.
 *
 * Signals:
 *   changed ()
 */
#define PTERIS_TYPE_PRESETS (pteris_presets_get_type ())
G_DECLARE_FINAL_TYPE (PterisPresets, pteris_presets, PTERIS, PRESETS, GObject)

typedef struct {
  gint64 id; /* 0: always there */
  char *name;
  PterisChatSettings settings; /* the built-in presets have no system prompt */
} PterisPreset;

/** Built-in preset @i: its name, for _(), and its settings. FALSE: there is no such preset. Any
 * thread. */
gboolean pteris_presets_get_fixed (guint i, const char **name, PterisChatSettings *settings);

/** Reads the user's own presets in a thread. */
PterisPresets *pteris_presets_new (void);

guint pteris_presets_get_n (PterisPresets *self);
/** Valid until the next change. */
const PterisPreset *pteris_presets_get (PterisPresets *self, guint i);

/** The index of the preset that equals @settings; -1: none. */
int pteris_presets_find (PterisPresets *self, const PterisChatSettings *settings);

/** Copy the settings of preset @i to @settings. */
void pteris_presets_apply (PterisPresets *self, guint i, PterisChatSettings *settings);

void pteris_presets_add (PterisPresets *self, const char *name, const PterisChatSettings *settings);
/** Only the user's own. */
void pteris_presets_rename (PterisPresets *self, guint i, const char *name);
void pteris_presets_remove (PterisPresets *self, guint i);

G_END_DECLS
