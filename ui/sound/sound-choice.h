/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/sound/sound.h"

G_BEGIN_DECLS

/*
 * Which devices the user has chosen to record from and to play on. They are remembered in the
 * settings. UI thread.
 */

typedef enum {
  PTERIS_SOUND_RECORDS, /* a microphone, or what the computer plays */
  PTERIS_SOUND_PLAYS,
} PterisSoundUse;

/** The device that was chosen, connected or not, as pteris_sound_find() wants it. */
PterisSoundDevice *pteris_sound_choice_get (PterisSoundUse use);
void pteris_sound_choice_set (PterisSoundUse use, const PterisSoundDevice *device);

/** Call @func (object) when a choice of @use is made, as long as @object lives. */
void pteris_sound_choice_watch (PterisSoundUse use, void (*func) (gpointer object),
                                gpointer object);

/** @device as a string, which names the kind and the id: "computer:speakers". Free with g_free().
 */
char *pteris_sound_choice_to_string (const PterisSoundDevice *device);

/** What is said of @device->instead_of; NULL: nothing. Free with g_free(). */
char *pteris_sound_choice_note (const PterisSoundDevice *device);

G_END_DECLS
