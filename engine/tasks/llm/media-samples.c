/* SPDX-License-Identifier: BSD-3-Clause */

/* Reads whole recordings for encoders. */

#include <string.h>
#include <pteris/audio.h>

#include "engine/base/set-error.h"
#include "engine/tasks/llm/media-private.h"

/* The number of samples that are read at a time. */
#define BLOCK 16000

static gboolean
no_sound (const char *path, GError **error)
{
  g_autofree char *name = g_filename_display_basename (path);

  return pt_fail (error, PT_ERROR_AUDIO, "“%s” contains no audio.", name);
}

static gboolean
too_long (const char *path, guint64 most, GError **error)
{
  g_autofree char *name = g_filename_display_basename (path);

  return pt_fail (error, PT_ERROR_CONTEXT_FULL,
                  "“%s” is too long: the model accepts at most %.3g seconds. Cut it, or transcribe "
                  "it with a speech model.",
                  name, (double) most / PT_MEDIA_RATE);
}

static guint64
digest_of (GChecksum *checksum)
{
  guint8 bytes[32];
  gsize length = sizeof bytes;
  guint64 digest;

  g_checksum_get_digest (checksum, bytes, &length);
  memcpy (&digest, bytes, sizeof digest);
  return digest;
}

static gboolean
read_all (PtAudioReader *reader, const char *path, guint64 most, GArray *samples,
          GChecksum *checksum, GCancellable *cancellable, GError **error)
{
  gssize n;

  do {
    gsize before = samples->len;
    float *block;

    g_array_set_size (samples, (guint) before + BLOCK);
    block = &g_array_index (samples, float, before);
    n = pt_audio_reader_read (reader, block, BLOCK, cancellable, error);
    if (n < 0)
      return FALSE;
    g_array_set_size (samples, (guint) (before + (gsize) n));
    g_checksum_update (checksum, (const guint8 *) (gconstpointer) block,
                       n * (gssize) sizeof (float));
    if (samples->len > most)
      return too_long (path, most, error);
  } while (n == BLOCK);
  return samples->len > 0 || no_sound (path, error);
}

GArray *
pt_media_read_samples (const char *path, guint64 most, guint64 *digest, GCancellable *cancellable,
                       GError **error)
{
  g_autoptr (PtAudioReader) reader = pt_audio_reader_open (path, PT_MEDIA_RATE, cancellable, error);
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (float));
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

  if (reader == NULL || !read_all (reader, path, MIN (most, PT_MEDIA_MAX_SAMPLES), samples,
                                   checksum, cancellable, error))
    return NULL;
  *digest = digest_of (checksum);
  return g_steal_pointer (&samples);
}
