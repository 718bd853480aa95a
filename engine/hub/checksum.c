/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/checksum.h"

#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/set-error.h"
#include "engine/hub/http-client.h"

#define PIECE (1u << 20)

GChecksum *
pt_hub_sum_new (const PtHubFile *file)
{
  GChecksum *sum = g_checksum_new (file->sha256 != NULL ? G_CHECKSUM_SHA256 : G_CHECKSUM_SHA1);

  if (file->sha256 == NULL) {
    g_autofree char *head = g_strdup_printf ("blob %" G_GUINT64_FORMAT, file->bytes);

    g_checksum_update (sum, (const guchar *) head, (gssize) strlen (head) + 1);
  }
  return sum;
}

gboolean
pt_hub_sum_add (GChecksum *sum, const char *path, guint64 bytes, PtHubSumFunc func,
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

    g_checksum_update (sum, piece, (gssize) n);
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
pt_hub_sum_fits (GChecksum *sum, const PtHubFile *file)
{
  return g_strcmp0 (g_checksum_get_string (sum),
                    file->sha256 != NULL ? file->sha256 : file->sha1) == 0;
}
