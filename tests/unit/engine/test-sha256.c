/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/sha256.h"

/* Lengths around the ends of blocks, against GLib's. */
static void
test_lengths (void)
{
  g_autofree guint8 *data = g_malloc (100000);

  for (guint i = 0; i < 100000; i++)
    data[i] = (guint8) (i * 31 + i / 256);
  for (gsize n = 0; n < 300; n++) {
    g_autofree char *ours = pt_sha256 (data + n % 7, n);
    g_autofree char *expected = g_compute_checksum_for_data (G_CHECKSUM_SHA256, data + n % 7, n);

    g_assert_cmpstr (ours, ==, expected);
  }
  for (gsize n = 99900; n < 99990; n += 13) {
    g_autofree char *ours = pt_sha256 (data, n);
    g_autofree char *expected = g_compute_checksum_for_data (G_CHECKSUM_SHA256, data, n);

    g_assert_cmpstr (ours, ==, expected);
  }
}

static void
test_known (void)
{
  g_autofree char *ours = pt_sha256 ("abc", 3);

  g_assert_cmpstr (ours, ==, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

/* Pieces of all lengths around a block, in any order, give the sum of the whole. */
static void
test_pieces (void)
{
  g_autofree guint8 *data = g_malloc (50000);
  g_autofree char *expected = NULL;

  for (guint i = 0; i < 50000; i++)
    data[i] = (guint8) (i * 17 + i / 128);
  expected = g_compute_checksum_for_data (G_CHECKSUM_SHA256, data, 50000);
  for (guint step = 1; step < 200; step += 7) {
    g_autoptr (PtSha256) sum = pt_sha256_new ();
    g_autofree char *ours = NULL;
    gsize at = 0;

    for (guint i = 0; at < 50000; i++) {
      gsize n = MIN (50000 - at, (i * step) % 150);

      pt_sha256_add (sum, data + at, n);
      at += n;
    }
    ours = pt_sha256_end (sum);
    g_assert_cmpstr (ours, ==, expected);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sha256/known", test_known);
  g_test_add_func ("/sha256/lengths", test_lengths);
  g_test_add_func ("/sha256/pieces", test_pieces);
  return g_test_run ();
}
