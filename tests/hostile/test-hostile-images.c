/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <pteris/error.h>

#include "tests/hostile/hostile.h"
#include "ui/chat/attachment.h"
#include "ui/parts/image-file.h"

/* Pictures that would harm who decodes them: refused by what they are and by their header. */

#define MOST_MEMORY ((rlim_t) 3 << 30)

static char *folder;

/* A PNG with a header of @width x @height pixels and no pixels. */
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

  hostile_begin ();
  g_assert_null (pteris_image_file_read (path, PTERIS_THUMBNAIL_SIZE, NULL, &error));
  hostile_end (path);
  g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, path));
  if (strstr (error->message, why) == NULL)
    g_error ("%s: \"%s\" has no \"%s\"", path, error->message, why);
}

static void
accept_image (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkPixbuf) pixbuf = NULL;

  hostile_begin ();
  pixbuf = pteris_image_file_read (path, PTERIS_THUMBNAIL_SIZE, NULL, &error);
  hostile_end (path);
  g_assert_no_error (error);
}

/* Files that are not pictures, have no end, or are too large are refused before decoding. */
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

/* Some bytes that would become gigabytes. */
static void
test_bombs (void)
{
  static const struct {
    const char *name, *bytes;
    gsize size;
  } HEADERS[] = {
    { "bomb.bmp", "BM\0\0\0\0\0\0\0\0\36\0\0\0\20\0\0\0\x30\x75\0\0\xd0\x8a\xff\xff\1\0\30\0", 30 },
    { "bomb.webp", "RIFF\0\1\0\0WEBPVP8X\12\0\0\0\0\0\0\0\xff\xff\0\xff\xff\0", 30 },
    { "bomb.tif",
      "II*\0\10\0\0\0\2\0\0\1\4\0\1\0\0\0\xff\xff\0\0\1\1\4\0\1\0\0\0\xff\xff\0\0\0\0\0\0", 38 },
    { "bomb.jpg", "\xff\xd8\xff\xc2\0\13\10\xff\xdc\xff\xdc\1\1\21\0\xff\xda", 17 },
    { "two-sizes.jpg",
      "\xff\xd8\xff\xc0\0\13\10\xff\xdc\xff\xdc\1\1\21\0\xff\xc0\0\13\10\0\1\0\1\1\1\21\0", 28 },
  };
  static const char *const NAMES[] = { "hostile/pngbomb.png", "hostile/gifbomb.gif" };

  for (guint i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    g_autofree char *path = hostile_data_path (NAMES[i]);

    refuse_image (path, "50 megapixels");
  }
  for (guint i = 0; i < G_N_ELEMENTS (HEADERS); i++) {
    g_autofree char *path = hostile_file (HEADERS[i].name, HEADERS[i].bytes, HEADERS[i].size);

    refuse_image (path, "50 megapixels");
  }
}

/* A JPEG file of 7000 x 7000 grey pixels in @n scans of nothing; @padding bytes before its end. */
static char *
write_scans (guint n, gsize padding)
{
  static const char HEAD[] = "\xff\xd8\xff\xc2\0\13\10\x1b\x58\x1b\x58\1\1\21\0"
                             "\xff\xc4\0\24\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
  static const char SCAN[] = "\xff\xda\0\10\1\1\0\0\0\0";
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree guint8 *zeros = g_malloc0 (padding);

  g_byte_array_append (bytes, (const guint8 *) HEAD, sizeof HEAD - 1);
  for (guint i = 0; i < n; i++)
    g_byte_array_append (bytes, (const guint8 *) SCAN, sizeof SCAN - 1);
  g_byte_array_append (bytes, zeros, (guint) padding);
  g_byte_array_append (bytes, (const guint8 *) "\xff\xd9", 2);
  return hostile_file ("scans.jpg", bytes->data, bytes->len);
}

static char *
write_frames (guint n)
{
  static const char HEAD[] = "GIF89a\54\1\54\1\x80\0\0\0\0\0\xff\xff\xff";
  static const char FRAME[] = ",\0\0\0\0\1\0\1\0\0\2\2\x4c\1\0";
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  g_byte_array_append (bytes, (const guint8 *) HEAD, sizeof HEAD - 1);
  for (guint i = 0; i < n; i++)
    g_byte_array_append (bytes, (const guint8 *) FRAME, sizeof FRAME - 1);
  return hostile_file ("frames.gif", bytes->data, bytes->len);
}

static void
append_chunk (GByteArray *png, const char *type, gconstpointer data, guint size)
{
  guint32 number = GUINT32_TO_BE (size);
  guint begin;

  g_byte_array_append (png, (const guint8 *) &number, 4);
  begin = png->len;
  g_byte_array_append (png, (const guint8 *) type, 4);
  g_byte_array_append (png, data, size);
  number = GUINT32_TO_BE ((guint32) crc32 (0, png->data + begin, png->len - begin));
  g_byte_array_append (png, (const guint8 *) &number, 4);
}

/* One pixel, and @n texts of 7 MB each, compressed. */
static char *
write_texts (guint n)
{
  static const guint8 HEADER[] = { 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0 }, ROW[2] = { 0 };
  uLong size = 7 << 20, length = compressBound (size);
  g_autofree guint8 *text = (guint8 *) g_strnfill (size, 'a');
  g_autofree guint8 *packed = g_malloc0 (length + 3);
  g_autoptr (GByteArray) png = g_byte_array_new ();

  packed[0] = 'k';
  g_assert_cmpint (compress (packed + 3, &length, text, size), ==, Z_OK);
  g_byte_array_append (png, (const guint8 *) "\x89PNG\r\n\x1a\n", 8);
  append_chunk (png, "IHDR", HEADER, sizeof HEADER);
  for (guint i = 0; i < n; i++)
    append_chunk (png, "zTXt", packed, (guint) length + 3);
  length = compressBound (size);
  g_assert_cmpint (compress (packed, &length, ROW, sizeof ROW), ==, Z_OK);
  append_chunk (png, "IDAT", packed, (guint) length);
  append_chunk (png, "IEND", "", 0);
  return hostile_file ("texts.png", png->data, png->len);
}

/* Pictures with much work or much data besides their pixels. */
static void
test_work (void)
{
  g_autofree char *many = write_scans (5000, 100000);
  g_autofree char *few = NULL;
  g_autofree char *frames = NULL;
  g_autofree char *texts = NULL;

  refuse_image (many, "too many scans");
  few = write_scans (2, 0);
  refuse_image (few, "damaged");
  frames = write_frames (50000);
  accept_image (frames);
  texts = write_texts (100);
  accept_image (texts);
}

/* Thumbnails in files must be small by their header. */
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
  int result;

  g_test_init (&argc, &argv, NULL);
#ifndef HOSTILE_SLOW
  /* Pictures that are decoded must not exhaust the memory. */
  g_assert_cmpint (setrlimit (RLIMIT_AS, &(struct rlimit){ MOST_MEMORY, MOST_MEMORY }), ==, 0);
#endif
  folder = g_dir_make_tmp ("pteris-images-XXXXXX", NULL);
  g_assert_nonnull (folder);
  g_test_add_func ("/hostile/images/files", test_bad_images);
  g_test_add_func ("/hostile/images/bombs", test_bombs);
  g_test_add_func ("/hostile/images/work", test_work);
  g_test_add_func ("/hostile/images/thumbnails", test_small_pictures);
  result = g_test_run ();
  hostile_clean_up ();
  return result;
}
