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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sha256/known", test_known);
  g_test_add_func ("/sha256/lengths", test_lengths);
  return g_test_run ();
}
