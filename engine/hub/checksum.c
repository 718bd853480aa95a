/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/checksum.h"

#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/set-error.h"
#include "engine/base/sha256.h"
#include "engine/hub/http-client.h"

#define PIECE (1u << 20)

struct _PtHubSum {
  PtSha256 *sha256; /* one of them */
  GChecksum *sha1;
};

PtHubSum *
pt_hub_sum_new (const PtHubFile *file)
{
  PtHubSum *self = g_new0 (PtHubSum, 1);

  if (file->sha256 != NULL) {
    self->sha256 = pt_sha256_new ();
  } else {
    g_autofree char *head = g_strdup_printf ("blob %" G_GUINT64_FORMAT, file->bytes);

    self->sha1 = g_checksum_new (G_CHECKSUM_SHA1);
    g_checksum_update (self->sha1, (const guchar *) head, (gssize) strlen (head) + 1);
  }
  return self;
}

void
pt_hub_sum_free (PtHubSum *self)
{
  if (self == NULL)
    return;
  pt_sha256_free (self->sha256);
  g_clear_pointer (&self->sha1, g_checksum_free);
  g_free (self);
}

void
pt_hub_sum_add (PtHubSum *self, gconstpointer data, gsize size)
{
  if (self->sha256 != NULL)
    pt_sha256_add (self->sha256, data, size);
  else
    g_checksum_update (self->sha1, data, (gssize) size);
}

gboolean
pt_hub_sum_add_file (PtHubSum *self, const char *path, guint64 bytes, PtHubSumFunc func,
                     gpointer user_data, GCancellable *cancellable, GError **error)
{
  FILE *file = g_fopen (path, "rb");
  g_autofree guchar *piece = g_malloc (PIECE);
  gboolean going = file != NULL;

  if (!going)
    return pt_fail (error, PT_ERROR_FILE, "“%s” cannot be read: %s. Check the file and its disk.",
                    path, g_strerror (errno));
  while (going && bytes > 0) {
    gsize wanted = (gsize) MIN (bytes, PIECE), n = fread (piece, 1, wanted, file);

    pt_hub_sum_add (self, piece, n);
    bytes -= n;
    if (func != NULL)
      func (n, user_data);
    if (n < wanted)
      going = pt_fail (error, PT_ERROR_FILE,
                       "“%s” cannot be read to its end. Check the disk, and try again.", path);
    else
      going = !pt_hub_is_stopped (cancellable, error);
  }
  fclose (file);
  return going;
}

gboolean
pt_hub_sum_fits (PtHubSum *self, const PtHubFile *file)
{
  g_autofree char *digest = self->sha256 != NULL ? pt_sha256_end (self->sha256)
                                                 : g_strdup (g_checksum_get_string (self->sha1));

  return g_strcmp0 (digest, file->sha256 != NULL ? file->sha256 : file->sha1) == 0;
}
