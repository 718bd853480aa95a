/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/openvino/openvino-blob.h"

#include <string.h>

/* What a payload says without OpenVINO (docs/formats/openvino.md, section 1). */

#define TEXT "meta=1.0;ov=2026.4.1;isa=Intel AVX-512"

/* Six words of a CPU blob: three ranges that end at @size. */
static void
put_ranges (guint8 *at, gsize size)
{
  const guint64 words[] = { 48, 8, 56, 4, 60, size - 60 };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    guint64 word = GUINT64_TO_LE (words[i]);

    memcpy (at + i * 8, &word, 8);
  }
}

/* The blob in exactly its bytes, so that a sanitizer sees a read behind them. */
static PtOpenvinoBlob *
read_blob (const guint8 *bytes, gsize size, const PtCompileSpec *specs, guint n_specs,
           GError **error)
{
  g_autofree guint8 *copy = g_memdup2 (bytes, size);
  const PtDelegateSpec spec = { .id = "OpenvinoBackend",
                                .payload = copy,
                                .payload_size = size,
                                .specs = specs,
                                .n_specs = n_specs };

  return pt_openvino_blob_new (&spec, error);
}

/* A blob of 100 bytes behind the text of 2026.4. */
static gsize
make_new (guint8 *bytes)
{
  const guint32 one = GUINT32_TO_LE (1);
  const guint64 length = GUINT64_TO_LE (strlen (TEXT));

  memset (bytes, 7, 20 + strlen (TEXT) + 100);
  memcpy (bytes, "RR_UPCVO", 8);
  memcpy (bytes + 8, &one, 4);
  memcpy (bytes + 12, &length, 8);
  memcpy (bytes + 20, TEXT, strlen (TEXT));
  put_ranges (bytes + 20 + strlen (TEXT), 100);
  return 20 + strlen (TEXT) + 100;
}

static void
test_versions (void)
{
  guint8 bytes[256] = { 0 };
  gsize size = make_new (bytes);
  g_autoptr (PtOpenvinoBlob) blob = read_blob (bytes, size, NULL, 0, NULL);
  g_autoptr (PtOpenvinoBlob) old = NULL, odd = NULL;

  g_assert_nonnull (blob);
  g_assert_cmpstr (blob->device, ==, "CPU");
  g_assert_cmpstr (blob->version, ==, "2026.4.1");
  g_assert_cmpstr (blob->target, ==, "Intel AVX-512");
  put_ranges (bytes, 100);
  old = read_blob (bytes, 100, NULL, 0, NULL);
  g_assert_nonnull (old);
  g_assert_null (old->version);
  /* It becomes part of a command that is shown. */
  size = make_new (bytes);
  memcpy (strstr ((char *) bytes + 20, "2026"), ";rm /", 4);
  odd = read_blob (bytes, size, NULL, 0, NULL);
  g_assert_nonnull (odd);
  g_assert_null (odd->version);
}

static void
check_refused (const guint8 *bytes, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtOpenvinoBlob) blob = read_blob (bytes, size, NULL, 0, &error);

  g_assert_null (blob);
  g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
}

static void
test_damage (void)
{
  guint8 good[256] = { 0 }, bytes[256];
  gsize size = make_new (good), at = 20 + strlen (TEXT);

  for (gsize cut = 0; cut < size; cut++)
    /* What does not begin as a blob of 2026.4 may be one of another form; it is too short. */
    check_refused (good, cut);
  /* The first word names the form; any other form is OpenVINO's to understand. */
  for (guint word = 1; word < 6; word++) {
    memcpy (bytes, good, size);
    memset (bytes + at + word * 8, 0xff, 8);
    check_refused (bytes, size);
  }
  memcpy (bytes, good, size);
  memset (bytes + 12, 0xff, 8);
  check_refused (bytes, size);
}

static void
check_device (const PtCompileSpec *specs, guint n_specs, const char *expected)
{
  guint8 bytes[100] = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtOpenvinoBlob) blob = NULL;

  put_ranges (bytes, sizeof bytes);
  blob = read_blob (bytes, sizeof bytes, specs, n_specs, &error);
  if (expected == NULL) {
    g_assert_null (blob);
    g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
    return;
  }
  g_assert_no_error (error);
  g_assert_cmpstr (blob->device, ==, expected);
}

#define SPEC(name, text, length)                         \
  {                                                      \
    name, sizeof name - 1, (const guint8 *) text, length \
  }

static void
test_device_names (void)
{
  const PtCompileSpec none[] = { SPEC ("config", "GPU", 3) };
  const PtCompileSpec zeros[] = { SPEC ("device", "NPU\0\0", 5) };
  const PtCompileSpec twice[] = { SPEC ("device", "NPU", 3), SPEC ("device", "GPU.1", 5),
                                  SPEC ("device", "\0", 1), SPEC ("device", "", 0) };
  const PtCompileSpec odd[] = { SPEC ("device", "GPU;rm", 6) };
  const PtCompileSpec inside[] = { SPEC ("device", "G\0U", 3) };
  const PtCompileSpec large[] = {
    SPEC ("device", "GPU.00000000000000000000000000000", 33),
  };

  check_device (NULL, 0, "CPU");
  check_device (none, 1, "CPU");
  check_device (zeros, 1, "NPU");
  check_device (twice, 4, "GPU.1");
  check_device (odd, 1, NULL);
  check_device (inside, 1, NULL);
  check_device (large, 1, NULL);
}

static void
check_choice (const char *device, const char *list, int index, const char *expected)
{
  g_auto (GStrv) devices = g_strsplit (list, ",", -1);
  g_autoptr (GError) error = NULL;
  const char *chosen =
      pt_openvino_choose_device (device, (const char *const *) devices, index, &error);

  g_assert_cmpstr (chosen, ==, expected);
  if (expected != NULL)
    return;
  g_assert_error (error, PT_ERROR, PT_ERROR_MISSING_BACKEND);
  g_assert_nonnull (strstr (error->message, devices[0]));
}

static void
test_choice (void)
{
  check_choice ("CPU", "CPU", 0, "CPU");
  check_choice ("CPU", "CPU,GPU", 3, "CPU");
  check_choice ("NPU", "CPU", 0, NULL);
  check_choice ("GPU", "CPU,GPU.0,GPU.1", 0, "GPU.0");
  check_choice ("GPU", "CPU,GPU.0,GPU.1", 1, "GPU.1");
  check_choice ("GPU", "CPU,GPU.0,GPU.1", 2, NULL);
  check_choice ("GPU.1", "CPU,GPU.0,GPU.1", 0, "GPU.1");
  check_choice ("GPU.1", "CPU,GPU", 0, "GPU");
  check_choice ("GPU", "CPU,GPUX", 0, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/openvino/blob/versions", test_versions);
  g_test_add_func ("/openvino/blob/damage", test_damage);
  g_test_add_func ("/openvino/blob/device-names", test_device_names);
  g_test_add_func ("/openvino/blob/choice", test_choice);
  return g_test_run ();
}
