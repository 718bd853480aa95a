/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"

G_BEGIN_DECLS

/**
 * PtDiarizer: a program that tells speakers apart, Sortformer or one like it
 * (docs/formats/protocols.md, section 9.3). It opens the recording itself and reads as far as
 * results are requested. One thread.
 */
typedef struct _PtDiarizer PtDiarizer;

/** A turn: frames in which speaker @speaker, 0 .. n - 1, speaks. */
typedef struct {
  guint64 begin, end;
  guint speaker;
} PtTurn;

/** @module must outlive it. */
PtDiarizer *pt_diarizer_new (PtModule *module, GError **error);
void pt_diarizer_free (PtDiarizer *diarizer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtDiarizer, pt_diarizer_free)

/** Begin the recording at @path, from @start seconds on. */
gboolean pt_diarizer_open (PtDiarizer *diarizer, const char *path, double start,
                           GCancellable *cancellable, GError **error);
/** Close the recording. */
void pt_diarizer_close (PtDiarizer *diarizer);

/**
 * Find the speaker who speaks most between @start and @end, in seconds of the recording: from 1, in
 * order of their first turns; 0: nobody. Reads up to @end.
 */
gboolean pt_diarizer_find (PtDiarizer *diarizer, double start, double end, guint *speaker,
                           GCancellable *cancellable, GError **error);

/** Read the whole recording. Returns all turns (PtTurn) in the order of their ends; for tools.
 */
const GArray *pt_diarizer_listen (PtDiarizer *diarizer, GCancellable *cancellable, GError **error);

/** Seconds of a frame. */
double pt_diarizer_frame (const PtDiarizer *diarizer);

G_END_DECLS
