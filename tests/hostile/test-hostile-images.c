/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "engine/error.h"
#include "ui/chat/attachment.h"
#include "ui/parts/image-file.h"

/* Pictures that would harm who decodes them: refused by what they are and by their header. */

static char *folder;

/* A PNG that tells of @width x @height pixels and ends where they begin. */
static void
write_png_header (const char *path, guint32 width, guint32 height)
{
  guchar bytes[45] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
  guint32 words[] = { GUINT32_TO_BE (width), GUINT32_TO_BE (height) };

  memcpy (bytes + 16, words, sizeof words);
  bytes[24] = 8;
  bytes[25] = 2;
  words[0] = GUINT32_TO_BE ((guint32) crc32 (0, bytes + 12, 17));
  memcpy (bytes + 29, words, 4);
  memcpy (bytes + 33, "\0\0\1\0IDAT\x78\xda", 10);
  g_assert_true (g_file_set_contents (path, (const char *) bytes, sizeof bytes, NULL));
}

static void
refuse_image (const char *path, const char *why)
{
  g_autoptr (GError) error = NULL;
  gint64 begin = g_get_monotonic_time ();

  g_assert_null (pteris_image_file_read (path, 0, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, path));
  if (strstr (error->message, why) == NULL)
    g_error ("%s: \"%s\" has no \"%s\"", path, error->message, why);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 2 * G_USEC_PER_SEC);
}

/* None is decoded: what is no picture, has no end, or would become too large. */
static void
test_bad_images (void)
{
  g_autofree char *path = g_build_filename (folder, "bad.png", NULL);
  g_autofree char *pipe = g_build_filename (folder, "pipe.png", NULL);
  static const char SVG[] = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>";

  refuse_image ("/nowhere/x.png", "cannot be read");
  refuse_image (folder, "not a file");
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  refuse_image (pipe, "not a file");
  g_assert_true (g_file_set_contents (path, SVG, -1, NULL));
  refuse_image (path, "PNG or JPEG");
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  refuse_image (path, "PNG or JPEG");
  write_png_header (path, 30000, 30000);
  refuse_image (path, "50 megapixels");
  write_png_header (path, 0x7fffffff, 0x7fffffff);
  refuse_image (path, "");
  write_png_header (path, 16, 16);
  refuse_image (path, "damaged");
  g_assert_cmpint (truncate (path, 65 << 20), ==, 0);
  refuse_image (path, "64 MiB");
}

/* What others call a small picture is none before its header says so. */
static void
test_small_pictures (void)
{
  g_autofree char *path = g_build_filename (folder, "small.png", NULL);
  static const struct {
    guint32 width, height;
    gboolean kept;
  } SIZES[] = { { 192, 192, TRUE }, { 193, 1, FALSE }, { 1, 60000, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (SIZES); i++) {
    g_autofree char *bytes = NULL;
    g_autofree char *png = NULL;
    g_autofree char *text = NULL;
    g_autoptr (GPtrArray) list = NULL;
    gsize size;

    write_png_header (path, SIZES[i].width, SIZES[i].height);
    g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
    png = g_base64_encode ((const guchar *) bytes, size);
    text = g_strdup_printf ("[{\"kind\": \"image\", \"path\": \"/x.png\", \"sha256\": \"0\","
                            " \"thumbnail\": \"%s\"}]",
                            png);
    list = pteris_attachments_from_json (text);
    g_assert_nonnull (list);
    g_assert_true ((pteris_attachment_get_thumbnail (list->pdata[0]) != NULL) == SIZES[i].kept);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("pteris-images-XXXXXX", NULL);
  g_assert_nonnull (folder);
  g_test_add_func ("/hostile/images/files", test_bad_images);
  g_test_add_func ("/hostile/images/thumbnails", test_small_pictures);
  return g_test_run ();
}
