/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/window/window-private.h"

/* Scenes of the transcription page (scenes.c). */

/** A transcript with playback and an open editor. */
void show_transcript (PterisWindow *window);

/** The same with a search. */
void show_find (PterisWindow *window);

/** A recording in progress. */
void show_record (PterisWindow *window);
