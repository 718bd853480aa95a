/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/engine.h>

#include "ui/engine/model.h"
#include "ui/models/model-list.h"

G_BEGIN_DECLS

/**
 * PterisReader: reads texts aloud with a speaking model of the library and the voice and speed of
 * the settings. It has an engine of its own beside that of chats and transcriptions, as long as it
 * is used. UI thread only.
 *
 * Signals:
 *   changed (): what is read, the sentence that is heard, or the error
 */
#define PTERIS_TYPE_READER (pteris_reader_get_type ())
G_DECLARE_FINAL_TYPE (PterisReader, pteris_reader, PTERIS, READER, GObject)

PterisReader *pteris_reader_new (PterisLibrary *library);

/** The models of @library that can speak: a GPtrArray of PterisModel. Free with
 * g_ptr_array_unref(). */
GPtrArray *pteris_reader_list_models (PterisLibrary *library);

/** Whether there is a model that speaks. */
gboolean pteris_reader_can_read (PterisReader *self);

/** Read @sentences (taken) in place of what is being read. @subject: the object that they are of,
 * or NULL. Needs pteris_reader_can_read(). */
void pteris_reader_read (PterisReader *self, GPtrArray *sentences, gpointer subject);
/** Be silent at once. Removes the error as well. */
void pteris_reader_stop (PterisReader *self);

/** Speak @sentences into the WAV file @path with the model and voice of the settings. @func gets
 * the events, @destroy frees @user_data after the last one. Needs pteris_reader_can_read(). */
void pteris_reader_save (PterisReader *self, const GPtrArray *sentences, const char *path,
                         PtEventFunc func, gpointer user_data, GDestroyNotify destroy);

gboolean pteris_reader_is_reading (PterisReader *self);
/** The object that is being read, or NULL. Not a new reference. */
gpointer pteris_reader_get_subject (PterisReader *self);
/** The sentence that is heard; NULL: none yet. */
const char *pteris_reader_get_sentence (PterisReader *self);
/** What is said of the device that plays: the chosen one is not connected. NULL: nothing. */
const char *pteris_reader_get_note (PterisReader *self);
/** Why the last reading failed, a sentence; or NULL. */
const char *pteris_reader_get_error (PterisReader *self);

G_END_DECLS
