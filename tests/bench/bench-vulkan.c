/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/init.h"
#include "engine/program/file.h"
#include "engine/vulkan/vk-store.h"

/*
 * Measures the upload of weights to the first Vulkan GPU beside copies of one staging buffer, whose
 * rate is the limit of the bus. The argument is a file to upload, of some gigabytes; each pass maps
 * it again. Not a test.
 */

#define PASSES 5
#define TENSOR ((gsize) 64 << 20)

typedef struct {
  const guint8 *bytes;
} Source;

static void
stop_on (GError *error)
{
  if (error != NULL)
    g_error ("%s", error->message);
}

static void
fill (gpointer data, guint8 *to, gsize begin, gsize end)
{
  const Source *source = data;

  if (source->bytes != NULL)
    memcpy (to, source->bytes + begin, end - begin);
}

/* The seconds of all of it: memory, staging buffers and copies. @bytes: NULL: copies only. */
static double
upload (const guint8 *bytes, gsize size)
{
  GError *error = NULL;
  PtVkContext *context = pt_vk_context_get (0, NULL, &error);
  gint64 begin;
  PtVkStore *store;

  stop_on (error);
  begin = g_get_monotonic_time ();
  store = pt_vk_store_new (context, size, &error); /* takes the reference */
  stop_on (error);
  for (gsize at = 0; at < size; at += TENSOR) {
    Source source = { bytes != NULL ? bytes + at : NULL };
    PtVkStoreKey key = { .content = GSIZE_TO_POINTER (at + 1), .bytes = MIN (TENSOR, size - at) };

    pt_vk_store_add (store, &key, fill, &source, &error);
    stop_on (error);
  }
  pt_vk_store_finish (store, &error);
  stop_on (error);
  begin = g_get_monotonic_time () - begin;
  pt_vk_store_free (store);
  return (double) begin / G_USEC_PER_SEC;
}

int
main (int argc, char **argv)
{
  double bus = 1e9, ours = 1e9;
  gsize size = 0;

  if (argc != 2) {
    g_printerr ("bench-vulkan FILE\n");
    return 2;
  }
  pt_init ();
  for (guint i = 0; i < PASSES; i++) {
    GError *error = NULL;
    g_autoptr (GBytes) file = pt_file_map (argv[1], &error);
    const guint8 *bytes;
    double seconds;

    stop_on (error);
    bytes = g_bytes_get_data (file, &size);
    seconds = upload (NULL, size);
    bus = MIN (bus, seconds);
    seconds = upload (bytes, size);
    ours = MIN (ours, seconds);
  }
  g_print ("%.2f GB: staging buffers to GPU %.3f s, mapped file to GPU %.3f s: %.2f times\n",
           (double) size / 1e9, bus, ours, ours / bus);
  return 0;
}
