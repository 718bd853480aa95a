/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/window/window-private.h"

/* Scenes of the transcription page (scenes.c). */

/** A transcript that is read, listened to and corrected. */
void show_transcript (PterisWindow *window);

/** The same with something looked for. */
void show_find (PterisWindow *window);

/** A recording that is going on. */
void show_record (PterisWindow *window);
