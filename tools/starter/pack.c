/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/starter/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#ifndef O_BINARY
#define O_BINARY 0
#endif

typedef struct {
  FILE *file;
  GChecksum *sha256;
  guint64 position;
  guint64 last_offset, last_size; /* offset and size of the previous entry */
  float *row;                     /* one row of a source tensor */
  guint8 *bytes;                  /* the same after its transform */
  gsize row_capacity;
} Packer;

static gboolean
fail (GError **error, const char *key, const char *why)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "manifest entry %s: %s", key, why);
  return FALSE;
}

static gboolean
put (Packer *packer, gconstpointer data, gsize size, GError **error)
{
  if (fwrite (data, 1, size, packer->file) != size) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "cannot write: %s",
                 g_strerror (errno));
    return FALSE;
  }
  g_checksum_update (packer->sha256, data, (gssize) size);
  packer->position += size;
  return TRUE;
}

static gboolean
put_zeros_until (Packer *packer, guint64 position, GError **error)
{
  static const guint8 zeros[4096];

  while (packer->position < position)
    if (!put (packer, zeros, (gsize) MIN (position - packer->position, sizeof zeros), error))
      return FALSE;
  return TRUE;
}

/* Symmetric 8-bit quantisation of one row: s = max |x| / 127, q = round (x / s). */
static float
row_scale (const float *row, gsize n)
{
  float largest = 0;
  gsize i;

  for (i = 0; i < n; i++)
    largest = MAX (largest, fabsf (row[i]));
  return largest == 0 ? 1.0f : largest / 127.0f;
}

static void
quantize_row (const float *row, gsize n, gint8 *out)
{
  float scale = row_scale (row, n);
  gsize i;

  for (i = 0; i < n; i++)
    out[i] = (gint8) CLAMP (rintf (row[i] / scale), -127.0f, 127.0f);
}

/* A convolution weight of one output channel, [in, k] -> [k, in]. */
static void
transpose_row (const float *row, gsize in, gsize k, float *out)
{
  gsize i, j;

  for (i = 0; i < in; i++)
    for (j = 0; j < k; j++)
      out[j * in + i] = row[i * k + j];
}

/* Transforms the row in packer->row; returns how many bytes of packer->bytes it gave, 0 if unknown.
 */
static gsize
transform_row (Packer *packer, const SourceTensor *tensor, const char *transform)
{
  gsize n = tensor->row_size;

  if (g_str_equal (transform, "f32")) {
    memcpy (packer->bytes, packer->row, n * 4);
    return n * 4;
  }
  if (g_str_equal (transform, "int8_rows")) {
    quantize_row (packer->row, n, (gint8 *) packer->bytes);
    return n;
  }
  if (g_str_equal (transform, "row_scales")) {
    float scale = row_scale (packer->row, n);

    memcpy (packer->bytes, &scale, 4);
    return 4;
  }
  if (g_str_equal (transform, "f32_perm_021") && tensor->rank == 3) {
    transpose_row (packer->row, tensor->dims[1], tensor->dims[2], (float *) packer->bytes);
    return n * 4;
  }
  return 0;
}

static gboolean
put_rows (Packer *packer, const Source *source, json_t *entry, const char *key,
          const char *transform, GError **error)
{
  const char *name = json_string_value (json_object_get (entry, "tensor"));
  json_t *rows = json_object_get (entry, "rows");
  json_int_t begin = json_integer_value (json_array_get (rows, 0));
  json_int_t end = json_integer_value (json_array_get (rows, 1));
  const SourceTensor *tensor;
  json_int_t row;

  if (name == NULL || (tensor = source_find (source, name, error)) == NULL)
    return name != NULL ? FALSE : fail (error, key, "has no tensor");
  if (begin < 0 || begin > end || (guint64) end > tensor->dims[0])
    return fail (error, key, "has rows that the tensor lacks");
  if (tensor->row_size > packer->row_capacity) {
    packer->row_capacity = tensor->row_size;
    packer->row = g_renew (float, packer->row, packer->row_capacity);
    packer->bytes = g_realloc (packer->bytes, packer->row_capacity * sizeof (float));
  }
  for (row = begin; row < end; row++) {
    gsize size;

    source_read_row (tensor, (gsize) row, packer->row);
    size = transform_row (packer, tensor, transform);
    if (size == 0)
      return fail (error, key, "has an unknown transform");
    if (!put (packer, packer->bytes, size, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
put_hex (Packer *packer, const char *hex, const char *key, GError **error)
{
  gsize n = hex != NULL ? strlen (hex) : 1;
  gsize i;

  if (n % 2 != 0)
    return fail (error, key, "has no hexadecimal bytes");
  for (i = 0; i < n; i += 2) {
    int high = g_ascii_xdigit_value (hex[i]);
    int low = g_ascii_xdigit_value (hex[i + 1]);
    guint8 byte = (guint8) (high * 16 + low);

    if (high < 0 || low < 0)
      return fail (error, key, "has no hexadecimal bytes");
    if (!put (packer, &byte, 1, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
put_entry (Packer *packer, const Source *source, json_t *entry, GError **error)
{
  const char *key = json_string_value (json_object_get (entry, "key"));
  const char *transform = json_string_value (json_object_get (entry, "transform"));
  json_int_t offset = json_integer_value (json_object_get (entry, "offset"));
  json_int_t size = json_integer_value (json_object_get (entry, "size"));
  gboolean ok;

  if (key == NULL || transform == NULL || offset < 0 || size < 0)
    return fail (error, key != NULL ? key : "(no key)", "is incomplete");
  /* Two keys may share a segment: tied embeddings. */
  if (packer->last_size > 0 && (guint64) offset == packer->last_offset &&
      (guint64) size == packer->last_size)
    return TRUE;
  if ((guint64) offset < packer->position)
    return fail (error, key, "overlaps the one before it");
  if (!put_zeros_until (packer, (guint64) offset, error))
    return FALSE;
  packer->last_offset = (guint64) offset;
  packer->last_size = (guint64) size;
  if (g_str_equal (transform, "bytes"))
    ok = put_hex (packer, json_string_value (json_object_get (entry, "hex")), key, error);
  else
    ok = put_rows (packer, source, entry, key, transform, error);
  if (ok && packer->position != (guint64) (offset + size))
    return fail (error, key, "has another size than its rows");
  return ok;
}

static int
compare_offsets (gconstpointer a, gconstpointer b)
{
  json_int_t offset_a = json_integer_value (json_object_get (*(json_t *const *) a, "offset"));
  json_int_t offset_b = json_integer_value (json_object_get (*(json_t *const *) b, "offset"));

  return (offset_a > offset_b) - (offset_a < offset_b);
}

/* The entries in the order of the file, so that it is written front to back. Borrowed. */
static GPtrArray *
sorted_entries (json_t *entries)
{
  GPtrArray *sorted = g_ptr_array_new ();
  json_t *entry;
  gsize i;

  json_array_foreach (entries, i, entry) {
    g_ptr_array_add (sorted, entry);
  }
  g_ptr_array_sort (sorted, compare_offsets);
  return sorted;
}

static gboolean
put_all (Packer *packer, const char *folder, const char *name, const Source *source,
         PackProgress progress, gpointer user_data, GError **error)
{
  g_autofree char *manifest_path = g_build_filename (folder, "manifest.json", NULL);
  g_autofree char *head_name = g_strconcat (name, ".head", NULL);
  g_autofree char *head_path = g_build_filename (folder, head_name, NULL);
  g_autofree char *text = NULL;
  g_autofree char *head = NULL;
  g_autoptr (GPtrArray) entries = NULL;
  gsize text_size, head_size;
  json_t *manifest;
  json_int_t file_size;
  guint i;
  gboolean ok;

  if (!g_file_get_contents (manifest_path, &text, &text_size, error) ||
      !g_file_get_contents (head_path, &head, &head_size, error))
    return FALSE;
  manifest = json_loadb (text, text_size, 0, NULL);
  entries = sorted_entries (json_object_get (manifest, "entries"));
  file_size = json_integer_value (json_object_get (manifest, "file_size"));
  ok = entries->len > 0 && file_size > 0;
  if (!ok)
    fail (error, manifest_path, "is not a manifest");
  ok = ok && put (packer, head, head_size, error);
  for (i = 0; ok && i < entries->len; i++) {
    ok = put_entry (packer, source, g_ptr_array_index (entries, i), error);
    progress ((double) packer->position / (double) file_size, user_data);
  }
  ok = ok && put_zeros_until (packer, (guint64) file_size, error);
  json_decref (manifest);
  return ok;
}

static gboolean
finish (Packer *packer, const char *temporary, const char *output, const char *sha256,
        GError **error)
{
  if (fflush (packer->file) != 0 || g_fsync (fileno (packer->file)) != 0) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "cannot write %s: %s", output,
                 g_strerror (errno));
    return FALSE;
  }
  fclose (g_steal_pointer (&packer->file));
  if (sha256 != NULL && !g_str_equal (g_checksum_get_string (packer->sha256), sha256)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s has an unexpected SHA-256 (%s)",
                 output, g_checksum_get_string (packer->sha256));
    return FALSE;
  }
  if (g_rename (temporary, output) != 0) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "cannot name %s: %s", output,
                 g_strerror (errno));
    return FALSE;
  }
  return TRUE;
}

gboolean
pack_data_file (const char *folder, const Source *source, const char *output, const char *sha256,
                PackProgress progress, gpointer user_data, GError **error)
{
  g_autofree char *temporary = g_strconcat (output, ".XXXXXX", NULL);
  g_autofree char *name = g_path_get_basename (output);
  Packer packer = { 0 };
  int fd = g_mkstemp_full (temporary, O_RDWR | O_CREAT | O_BINARY, 0644);
  gboolean ok;

  if (fd < 0 || (packer.file = fdopen (fd, "wb")) == NULL) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "cannot create %s: %s", output,
                 g_strerror (errno));
    return FALSE;
  }
  packer.sha256 = g_checksum_new (G_CHECKSUM_SHA256);
  ok = put_all (&packer, folder, name, source, progress, user_data, error) &&
       finish (&packer, temporary, output, sha256, error);
  if (packer.file != NULL)
    fclose (packer.file);
  if (!ok)
    g_unlink (temporary);
  g_checksum_free (packer.sha256);
  g_free (packer.row);
  g_free (packer.bytes);
  return ok;
}
