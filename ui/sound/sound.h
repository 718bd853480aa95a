/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/*
 * Microphones, loudspeakers, and what loudspeakers play, as 16-bit mono samples. Implemented with
 * GStreamer (sound-gst.c), WASAPI (sound-win32.c, sound-wasapi.c), or not at all (sound-none.c). UI
 * thread, unless stated otherwise.
 *
 * With GStreamer the environment variables PTERIS_AUDIO_SOURCE and PTERIS_AUDIO_SINK name other
 * elements in place of the system's default devices, for tests: "audiotestsrc is-live=true",
 * "fakesink sync=true".
 */

/**
 * Initialise; call it before all other functions. May take seconds the first time. FALSE: there is
 * no sound; the message of @error completes a sentence. Any thread.
 */
gboolean pteris_sound_prepare (GError **error);

/* ---- devices ---- */

typedef enum {
  PTERIS_SOUND_MICROPHONE, /* an input */
  PTERIS_SOUND_COMPUTER,   /* what an output plays, as an input */
  PTERIS_SOUND_OUTPUT,     /* loudspeakers, headphones */
} PterisSoundKind;
#define PTERIS_SOUND_N_KINDS 3

/** PterisSoundDevice: one device, or the default of its kind. Counted references; never changed. */
typedef struct {
  PterisSoundKind kind;
  char *id;            /* of the system, the same after a restart; NULL: the default */
  char *name;          /* for people; NULL: unknown */
  gboolean is_default; /* of its kind */
  char *instead_of;    /* name of the device that was wanted but is not connected; NULL: none */
  GObject *handle;     /* of the implementation; NULL: it finds the device by @id */
} PterisSoundDevice;

/** Copies the strings and takes a reference to @handle. All but @kind may be NULL. */
PterisSoundDevice *pteris_sound_device_new (PterisSoundKind kind, const char *id, const char *name,
                                            gboolean is_default, gpointer handle);
PterisSoundDevice *pteris_sound_device_ref (PterisSoundDevice *self);
void pteris_sound_device_unref (PterisSoundDevice *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisSoundDevice, pteris_sound_device_unref)

/** The devices of @kind that are connected (PterisSoundDevice); may be empty. Blocking; any thread,
 * after pteris_sound_prepare(). NULL with @error. */
GPtrArray *pteris_sound_list (PterisSoundKind kind, GError **error);

/**
 * Prepare, and find @wanted among the devices that are connected. One that is gone is replaced by
 * the default of its kind (@instead_of). Blocking; any thread. NULL with @error, whose message
 * completes a sentence.
 */
PterisSoundDevice *pteris_sound_find (const PterisSoundDevice *wanted, GError **error);

/** The same in a thread. @callback gets @source and a result for pteris_sound_find_finish();
 * @cancellable identifies the call (g_task_get_cancellable()). */
void pteris_sound_find_async (gpointer source, PterisSoundDevice *wanted, GCancellable *cancellable,
                              GAsyncReadyCallback callback);
PterisSoundDevice *pteris_sound_find_finish (GAsyncResult *result, GError **error);

/** PterisSoundWatch: notices devices that come, go, or become the default. */
typedef struct _PterisSoundWatch PterisSoundWatch;

typedef void PterisSoundChanged (gpointer user_data);

/** Call @changed in the UI thread after each change, and once when watching has begun. What can
 * block runs in a thread. Of a system that cannot be watched nothing is told. */
PterisSoundWatch *pteris_sound_watch_new (PterisSoundChanged *changed, gpointer user_data);
/** @changed is not called any more. */
void pteris_sound_watch_free (PterisSoundWatch *self);

/* ---- recording ---- */

/** PterisSoundSource: a device that records. */
typedef struct _PterisSoundSource PterisSoundSource;

/** Called with @n recorded samples in a thread of the source. */
typedef void PterisSoundReceive (gpointer user_data, const gint16 *samples, gsize n);

/** Start recording from @device (pteris_sound_find()), which is not an output. Errors are reported
 * by pteris_sound_source_check(). */
PterisSoundSource *pteris_sound_source_new (PterisSoundDevice *device, guint rate,
                                            PterisSoundReceive *receive, gpointer user_data);
/** FALSE: no more samples will come; @error says why, or is not set at the end of the source. */
gboolean pteris_sound_source_check (PterisSoundSource *self, GError **error);
/** Stop recording: no callback runs after it returns. */
void pteris_sound_source_free (PterisSoundSource *self);

/* ---- playing ---- */

/** PterisSoundSink: an output that requests samples to play. */
typedef struct _PterisSoundSink PterisSoundSink;

/** Fill @samples with the next piece. FALSE: the end. Called in a thread of the sink. */
typedef gboolean PterisSoundFill (gpointer user_data, gint16 *samples);

/**
 * Play the samples of @fill on @device (pteris_sound_find()), in pieces of @piece samples. @destroy
 * is called with @user_data when the sink is freed and its thread has ended, in either thread.
 */
PterisSoundSink *pteris_sound_sink_new (PterisSoundDevice *device, guint rate, gsize piece,
                                        PterisSoundFill *fill, gpointer user_data,
                                        GDestroyNotify destroy);
/** Seconds that have been played. */
double pteris_sound_sink_get_seconds (PterisSoundSink *self);
/** FALSE: the last piece was played, or there is an error, which @error reports. @fill is not
 * called again. */
gboolean pteris_sound_sink_check (PterisSoundSink *self, GError **error);
/** Silence, at once. */
void pteris_sound_sink_free (PterisSoundSink *self);

G_END_DECLS
