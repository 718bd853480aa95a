/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine/engine-client.h"

G_BEGIN_DECLS

/**
 * PterisEngines: the engines of the window. Each has a model of its own, and they work at the same
 * time: while an answer is written, transcription goes on slowly. When memory does not suffice for
 * all models, a LOAD waits until others are unloaded: that of the engine that was idle for the
 * longest time first. UI thread only.
 *
 * Signals:
 *   changed (): one of the clients has changed
 */
#define PTERIS_TYPE_ENGINES (pteris_engines_get_type ())
G_DECLARE_FINAL_TYPE (PterisEngines, pteris_engines, PTERIS, ENGINES, GObject)

typedef enum {
  PTERIS_ENGINE_CHAT,   /* chats, and programs that are run once */
  PTERIS_ENGINE_SPEECH, /* transcription and dictation */
  PTERIS_ENGINE_PICTURES,
  PTERIS_N_ENGINES,
} PterisEngineRole;

/** When several models are loaded at a time: the values of PTERIS_SETTING_SIDE_BY_SIDE. */
typedef enum {
  PTERIS_SIDE_BY_SIDE_AUTO, /* if memory suffices */
  PTERIS_SIDE_BY_SIDE_ALWAYS,
  PTERIS_SIDE_BY_SIDE_NEVER,
} PterisSideBySide;

PterisEngines *pteris_engines_new (void);

/** The client of a role. Not a new reference. */
PterisEngineClient *pteris_engines_get (PterisEngines *self, PterisEngineRole role);

/** The client that loads @model. Not a new reference. NULL: that of chats. */
PterisEngineClient *pteris_engines_get_for (PterisEngines *self, PterisModel *model);

/** The memory of the machine at this time; zeros: unknown, then all models are loaded. */
void pteris_engines_set_memory (PterisEngines *self, const PtMemory *memory);

/** The number of jobs that have not ended, of all engines. */
guint pteris_engines_count_jobs (PterisEngines *self);

G_END_DECLS
