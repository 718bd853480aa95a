/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sound/wav-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include <gio/gio.h>
#include <glib/gstdio.h>

#include "ui/i18n.h"

#define HEADER_SIZE 44
/* Sizes in the header have 32 bits. */
#define MAX_BYTES (G_MAXUINT32 - 1024)

struct _PterisWavFile {
  FILE *file;
  guint rate;
  guint64 n_bytes; /* of samples */
  guint64 n_known; /* of these, in the header */
};

static void
put (guint8 *at, guint n, guint32 value)
{
  for (guint i = 0; i < n; i++)
    at[i] = (guint8) (value >> (8 * i));
}

static void
make_header (guint8 *header, guint rate, guint32 n_bytes)
{
  memcpy (header, "RIFF", 4);
  put (header + 4, 4, n_bytes + HEADER_SIZE - 8);
  memcpy (header + 8, "WAVEfmt ", 8);
  put (header + 16, 4, 16);
  put (header + 20, 2, 1); /* PCM */
  put (header + 22, 2, 1); /* channels */
  put (header + 24, 4, rate);
  put (header + 28, 4, rate * 2);
  put (header + 32, 2, 2);
  put (header + 34, 2, 16);
  memcpy (header + 36, "data", 4);
  put (header + 40, 4, n_bytes);
}

static gboolean
write_header (PterisWavFile *self)
{
  guint8 header[HEADER_SIZE];

  make_header (header, self->rate, (guint32) self->n_bytes);
  self->n_known = self->n_bytes;
  return fseek (self->file, 0, SEEK_SET) == 0 && fwrite (header, HEADER_SIZE, 1, self->file) == 1 &&
         fseek (self->file, 0, SEEK_END) == 0 && fflush (self->file) == 0;
}

static gboolean
fail_write (GError **error)
{
  int reason = errno;

  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (reason),
               _ ("The recording cannot be written: %s. The audio recorded so far is kept."),
               g_strerror (reason));
  return FALSE;
}

/* Windows' C library has no "x" for fopen(). */
static FILE *
create_new (const char *path)
{
#ifdef G_OS_WIN32
  int fd = g_open (path, O_CREAT | O_EXCL | O_WRONLY | O_BINARY, 0600);
  FILE *file = fd >= 0 ? fdopen (fd, "wb") : NULL;

  if (file == NULL && fd >= 0)
    g_close (fd, NULL);
  return file;
#else
  return g_fopen (path, "wbx");
#endif
}

PterisWavFile *
pteris_wav_create (const char *path, guint rate, GError **error)
{
  PterisWavFile *self = g_new0 (PterisWavFile, 1);

  self->rate = rate;
  self->file = create_new (path);
  if (self->file == NULL || !write_header (self)) {
    fail_write (error);
    pteris_wav_close (self);
    return NULL;
  }
  return self;
}

void
pteris_wav_sync (PterisWavFile *self)
{
  write_header (self);
}

gboolean
pteris_wav_append (PterisWavFile *self, const gint16 *samples, gsize n, GError **error)
{
  gsize size = n * sizeof *samples;

  if (size > MAX_BYTES - self->n_bytes) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
                 _ ("The recording has reached the maximum length. Stop it and start a new one."));
    return FALSE;
  }
#if G_BYTE_ORDER == G_BIG_ENDIAN
#error "samples are written as they are"
#endif
  if (fwrite (samples, 1, size, self->file) != size || fflush (self->file) != 0)
    return fail_write (error);
  self->n_bytes += size;
  if (self->n_bytes - self->n_known >= 2 * (guint64) self->rate && !write_header (self))
    return fail_write (error);
  return TRUE;
}

double
pteris_wav_seconds (const PterisWavFile *self)
{
  return (double) self->n_bytes / (2.0 * self->rate);
}

void
pteris_wav_close (PterisWavFile *self)
{
  if (self->file != NULL) {
    write_header (self);
    fclose (self->file);
  }
  g_free (self);
}

gboolean
pteris_wav_repair (const char *path)
{
  guint8 header[HEADER_SIZE], want[HEADER_SIZE];
  FILE *file = g_fopen (path, "r+b");
  guint rate, n_bytes = 0;
  gboolean good = FALSE;
  GStatBuf info;

  if (file == NULL)
    return FALSE;
  if (g_stat (path, &info) == 0 && info.st_size >= HEADER_SIZE &&
      info.st_size - HEADER_SIZE <= MAX_BYTES && fread (header, HEADER_SIZE, 1, file) == 1) {
    n_bytes = (guint) (info.st_size - HEADER_SIZE) & ~1u;
    rate = header[24] | (guint) header[25] << 8 | (guint) header[26] << 16;
    make_header (want, rate, n_bytes);
    /* Everything but the sizes must equal our header. */
    good = memcmp (header, want, 4) == 0 && memcmp (header + 8, want + 8, 32) == 0;
  }
  if (good && memcmp (header, want, HEADER_SIZE) != 0)
    good = fseek (file, 0, SEEK_SET) == 0 && fwrite (want, HEADER_SIZE, 1, file) == 1;
  return fclose (file) == 0 && good;
}
