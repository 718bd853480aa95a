/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>
#include <pteris/speak.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"

#define HEADER_BYTES 44

static void
put_u16 (guint8 *at, guint16 value)
{
  value = GUINT16_TO_LE (value);
  memcpy (at, &value, sizeof value);
}

static void
put_u32 (guint8 *at, guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (at, &value, sizeof value);
}

static void
put_header (guint8 *wav, guint32 n_bytes, guint rate)
{
  memcpy (wav, "RIFF", 4);
  put_u32 (wav + 4, n_bytes + HEADER_BYTES - 8);
  memcpy (wav + 8, "WAVEfmt ", 8);
  put_u32 (wav + 16, 16);
  put_u16 (wav + 20, 1); /* PCM */
  put_u16 (wav + 22, 1); /* channels */
  put_u32 (wav + 24, rate);
  put_u32 (wav + 28, rate * 2);
  put_u16 (wav + 32, 2);
  put_u16 (wav + 34, 16);
  memcpy (wav + 36, "data", 4);
  put_u32 (wav + 40, n_bytes);
}

GBytes *
pt_speech_to_wav (const float *samples, gsize n, guint rate, GError **error)
{
  guint8 *wav;

  if (n > (G_MAXINT32 - HEADER_BYTES) / 2) {
    pt_fail (error, PT_ERROR_ARGUMENT,
             "The recording is longer than a WAV file may be. Speak the text in several parts.");
    return NULL;
  }
  wav = pt_allocate (HEADER_BYTES + 2 * n, 1, error);
  if (wav == NULL)
    return NULL;
  put_header (wav, (guint32) (2 * n), rate);
  for (gsize i = 0; i < n; i++) {
    float value = isfinite (samples[i]) ? CLAMP (samples[i], -1, 1) : 0;

    put_u16 (wav + HEADER_BYTES + 2 * i, (guint16) (gint16) lrintf (value * G_MAXINT16));
  }
  return g_bytes_new_take (wav, HEADER_BYTES + 2 * n);
}
