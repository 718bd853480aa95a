/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-payload.h"

#include <string.h>

/* Payloads are written here field by field, as an exporter would. */

static void
put (GByteArray *out, gconstpointer bytes, gsize size)
{
  g_byte_array_append (out, bytes, (guint) size);
}

static void
put_u32 (GByteArray *out, guint32 value)
{
  value = GUINT32_TO_LE (value);
  put (out, &value, sizeof value);
}

static void
put_i64 (GByteArray *out, gint64 value)
{
  value = GINT64_TO_LE (value);
  put (out, &value, sizeof value);
}

static void
put_text (GByteArray *out, const char *text)
{
  put_u32 (out, (guint32) strlen (text));
  put (out, text, strlen (text));
}

typedef struct {
  const char *fqn, *key;
  gint64 nbytes;
  gint32 dtype, device;
  gint64 offset;
  guint32 rank;
  gint64 dims[4]; /* sizes, then strides */
} Entry;

static void
put_entry (GByteArray *out, const Entry *entry)
{
  put_text (out, entry->fqn);
  put_text (out, entry->key);
  put_i64 (out, entry->nbytes);
  put_u32 (out, (guint32) entry->dtype);
  put_u32 (out, (guint32) entry->device);
  put_i64 (out, entry->offset);
  put_u32 (out, entry->rank);
  for (guint i = 0; i < MIN (entry->rank, 2) * 2; i++)
    put_i64 (out, entry->dims[i]);
}

static GByteArray *
names_payload (const Entry *entries, guint n)
{
  GByteArray *out = g_byte_array_new ();

  put (out, "ETCUDAFQN3", 10);
  put_text (out, "library_so_blob");
  put_u32 (out, n);
  for (guint i = 0; i < n; i++)
    put_entry (out, &entries[i]);
  return out;
}

static PtCudaPayload *
read_bytes (const guint8 *bytes, gsize size, GError **error)
{
  /* Just these bytes on the heap, so that a sanitizer sees a step beyond them. */
  g_autofree guint8 *copy = g_memdup2 (bytes, size);
  PtDelegateSpec spec = { .id = "CudaBackend", .payload = copy, .payload_size = size };

  return pt_cuda_payload_new (&spec, error);
}

static PtCudaPayload *
read_array (GByteArray *bytes, GError **error)
{
  return read_bytes (bytes->data, bytes->len, error);
}

static void
refuse (GByteArray *bytes, PtError code, const char *words)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (read_array (bytes, &error));
  g_assert_error (error, PT_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, words));
  g_byte_array_unref (bytes);
}

/* ---- keys ---- */

static void
test_method (void)
{
  const PtCompileSpec specs[] = {
    { "platform", 8, (const guint8 *) "linux", 5 },
    { "method_name", 11, (const guint8 *) "encoderXX", 7 },
  };
  PtDelegateSpec spec = { .id = "CudaBackend", .specs = specs, .n_specs = 2 };
  g_autoptr (PtCudaPayload) named = pt_cuda_payload_new (&spec, NULL);
  g_autoptr (PtCudaPayload) plain = NULL;

  g_assert_cmpint (named->form, ==, PT_CUDA_PAYLOAD_METHOD);
  g_assert_cmpstr (named->libraries[0].key, ==, "encoder_so_blob");
  g_assert_cmpuint (named->libraries[0].key_length, ==, 15);
  g_assert_cmpstr (named->weights_key, ==, "encoder_weights_blob");
  g_assert_cmpuint (named->weights_key_length, ==, 20);
  g_assert_false (pt_cuda_payload_has_names (named));
  spec.n_specs = 1;
  plain = pt_cuda_payload_new (&spec, NULL);
  g_assert_cmpstr (plain->libraries[0].key, ==, "so_blob");
  g_assert_cmpstr (plain->weights_key, ==, "weights_blob");
}

static void
test_keys (void)
{
  static const struct {
    const char *payload, *library, *weights;
  } cases[] = {
    { "a_so_blob\nb_weights_blob", "a_so_blob", "b_weights_blob" },
    { "a\n", "a", "" },
    { "a\nb\nc\r", "a", "b\nc\r" },
    { "../../etc/x\n/etc/y", "../../etc/x", "/etc/y" },
    { "ETCUDA\nFQN3", "ETCUDA", "FQN3" },
    { "nothing", NULL, NULL },
    { "\nb", NULL, NULL },
    { "\n", NULL, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const char *text = cases[i].payload;
    g_autoptr (GError) error = NULL;
    g_autoptr (PtCudaPayload) payload = read_bytes ((const guint8 *) text, strlen (text), &error);

    if (cases[i].library == NULL) {
      g_assert_null (payload);
      g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
      continue;
    }
    g_assert_no_error (error);
    g_assert_cmpint (payload->form, ==, PT_CUDA_PAYLOAD_KEYS);
    g_assert_cmpstr (payload->libraries[0].key, ==, cases[i].library);
    g_assert_cmpuint (payload->libraries[0].key_length, ==, strlen (cases[i].library));
    g_assert_cmpstr (payload->weights_key, ==, cases[i].weights);
    g_assert_cmpuint (payload->weights_key_length, ==, strlen (cases[i].weights));
  }
}

/* ---- names ---- */

static const Entry linear[] = {
  { "lin.weight", "cuda_fqn_weight:cuda:lin.weight", 24, 6, 1, 0, 2, { 2, 3, 3, 1 } },
  { "lin.bias", "cuda_fqn_weight:cuda:lin.bias", 6, 15, 1, 1, 1, { 2, 1 } },
  { "flag", "cuda_fqn_weight:cpu:flag", 1, 11, 0, 0, 0, { 0 } },
  { "tied", "cuda_fqn_weight:cuda:lin.weight", 24, 6, 1, 0, 2, { 3, 2, 1, 3 } },
};

static void
test_names (void)
{
  g_autoptr (GByteArray) bytes = names_payload (linear, G_N_ELEMENTS (linear));
  g_autoptr (GError) error = NULL;
  g_autoptr (PtCudaPayload) payload = read_array (bytes, &error);
  const PtCudaConstant *c;

  g_assert_no_error (error);
  g_assert_cmpint (payload->form, ==, PT_CUDA_PAYLOAD_NAMES);
  g_assert_true (pt_cuda_payload_has_names (payload));
  g_assert_cmpstr (payload->libraries[0].key, ==, "library_so_blob");
  g_assert_null (payload->weights_key);
  g_assert_cmpuint (payload->n_constants, ==, 4);
  c = payload->constants;
  g_assert_cmpstr (c->fqn, ==, "lin.weight");
  g_assert_cmpuint (c->nbytes, ==, 24);
  g_assert_cmpuint (c->rank, ==, 2);
  g_assert_cmpint (c->sizes[1], ==, 3);
  g_assert_cmpint (c->strides[0], ==, 3);
  c++;
  g_assert_cmpstr (c->key, ==, "cuda_fqn_weight:cuda:lin.bias");
  g_assert_cmpint (c->dtype, ==, PT_DTYPE_BF16);
  g_assert_cmpint (c->offset, ==, 1);
  c++;
  g_assert_cmpint (c->device_type, ==, PT_DEVICE_CPU);
  g_assert_cmpuint (c->rank, ==, 0);
  g_assert_cmpint (payload->constants[3].strides[1], ==, 3);
}

static void
test_no_constants (void)
{
  g_autoptr (GByteArray) bytes = names_payload (NULL, 0);
  g_autoptr (PtCudaPayload) payload = read_array (bytes, NULL);

  g_assert_nonnull (payload);
  g_assert_cmpuint (payload->n_constants, ==, 0);
}

static void
test_bad_constants (void)
{
  static const struct {
    Entry entry;
    const char *words;
  } cases[] = {
    { { "", "k", 4, 6, 1, 0, 0, { 0 } }, "empty" },
    { { "n", "", 4, 6, 1, 0, 0, { 0 } }, "empty" },
    { { "n", "k", 8, 7, 1, 0, 0, { 0 } }, "dtype 7" },
    { { "n", "k", 8, -1, 1, 0, 0, { 0 } }, "dtype -1" },
    { { "n", "k", 8, 30, 1, 0, 0, { 0 } }, "dtype 30" },
    { { "n", "k", 4, 6, 2, 0, 0, { 0 } }, "device 2" },
    { { "n", "k", 4, 6, -1, 0, 0, { 0 } }, "device -1" },
    { { "n", "k", 4, 6, 1, -1, 0, { 0 } }, "impossible" },
    { { "n", "k", 4, 6, 1, 0, 65, { 1, 1, 1, 1 } }, "impossible" },
    { { "n", "k", 4, 6, 1, 0, 1, { -1, 1 } }, "negative" },
    { { "n", "k", 4, 6, 1, 0, 1, { 1, -1 } }, "negative" },
    { { "n", "k", 3, 6, 1, 0, 0, { 0 } }, "larger" },
    { { "n", "k", 4, 6, 1, 1, 0, { 0 } }, "larger" },
    { { "n", "k", 8, 6, 1, 0, 1, { 3, 1 } }, "larger" },
    { { "n", "k", 8, 6, 1, G_MAXINT64, 1, { 2, 1 } }, "larger" },
    { { "n", "k", 8, 6, 1, 0, 2, { G_MAXINT64, 3, G_MAXINT64, 1 } }, "larger" },
    { { "n", "k", 8, 6, 1, 0, 2, { 1ll << 33, 1, 1ll << 31, 1 } }, "larger" },
    { { "n", "k", 8, 6, 1, 0, 1, { 1ll << 62, 1 } }, "larger" },
    { { "lin.bias", "k", 4, 6, 1, 0, 0, { 0 } }, "two constants" },
    { { "n", "cuda_fqn_weight:cuda:lin.weight", 28, 6, 1, 0, 0, { 0 } }, "disagree" },
    { { "n", "cuda_fqn_weight:cuda:lin.weight", 24, 6, 0, 0, 0, { 0 } }, "disagree" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Entry entries[] = { linear[0], linear[1], cases[i].entry };

    refuse (names_payload (entries, 3), PT_ERROR_PROGRAM, cases[i].words);
  }
}

/* A view without elements needs no bytes of its storage; zero strides are allowed. */
static void
test_odd_views (void)
{
  const Entry entries[] = {
    { "none", "k0", 0, 6, 1, 0, 2, { 0, G_MAXINT64, 1, 1 } },
    { "expanded", "k1", 4, 6, 1, 0, 2, { G_MAXINT64, 1ll << 40, 0, 0 } },
  };
  g_autoptr (GByteArray) bytes = names_payload (entries, 2);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtCudaPayload) payload = read_array (bytes, &error);

  g_assert_no_error (error);
  g_assert_cmpint (payload->constants[1].sizes[1], ==, 1ll << 40);
}

static void
test_bad_structure (void)
{
  GByteArray *bytes = names_payload (linear, 4);

  put (bytes, "", 1);
  refuse (bytes, PT_ERROR_PROGRAM, "follows");
  bytes = names_payload (linear, 4);
  memset (bytes->data + 10, 0xff, 4);
  refuse (bytes, PT_ERROR_PROGRAM, "too early");
  bytes = names_payload (linear, 4);
  memset (bytes->data + 10 + 4 + 15, 0xff, 4);
  refuse (bytes, PT_ERROR_PROGRAM, "cannot hold");
  bytes = names_payload (linear, 4);
  bytes->data[10 + 4 + 15 + 4 + 4 + 2] = '\0';
  refuse (bytes, PT_ERROR_PROGRAM, "no text");
  bytes = names_payload (linear, 4);
  bytes->data[9] = '6';
  refuse (bytes, PT_ERROR_UNSUPPORTED, "newer");
  bytes = names_payload (linear, 4);
  g_byte_array_set_size (bytes, 9);
  refuse (bytes, PT_ERROR_UNSUPPORTED, "newer");
}

static void
test_truncated (void)
{
  g_autoptr (GByteArray) bytes = names_payload (linear, 4);

  for (guint n = 10; n < bytes->len; n++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (read_bytes (bytes->data, n, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
  }
}

static void
test_flipped (void)
{
  g_autoptr (GByteArray) bytes = names_payload (linear, 4);

  for (guint i = 0; i < bytes->len; i++) {
    for (guint bit = 0; bit < 8; bit++) {
      g_autoptr (PtCudaPayload) payload = NULL;

      bytes->data[i] ^= (guint8) (1u << bit);
      payload = read_array (bytes, NULL);
      bytes->data[i] ^= (guint8) (1u << bit);
    }
  }
}

/* ---- libraries for several GPUs ---- */

typedef struct {
  guint target, ptx, flags;
} Target;

static PtCudaPayload *
read_targets (char form, const Target *targets, guint n, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  put (bytes, "ETCUDAFQN", 9);
  put (bytes, &form, 1);
  put_u32 (bytes, n);
  for (guint i = 0; i < n; i++) {
    g_autofree char *key = g_strdup_printf ("%u_so_blob", i);

    put_u32 (bytes, targets[i].target);
    put_u32 (bytes, targets[i].ptx);
    if (form == '5')
      put_u32 (bytes, targets[i].flags);
    put_text (bytes, key);
  }
  put_u32 (bytes, 1);
  put_entry (bytes, &linear[0]);
  return read_array (bytes, error);
}

static void
expect_choice (const PtCudaPayload *payload, guint capability, int index)
{
  g_autoptr (GError) error = NULL;
  const PtCudaLibraryKey *chosen = pt_cuda_payload_choose (payload, capability, &error);

  if (index >= 0) {
    g_assert_no_error (error);
    g_assert_true (chosen == &payload->libraries[index]);
    return;
  }
  g_assert_null (chosen);
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
}

static void
test_targets (void)
{
  static const Target targets[] = { { 90, 0, 0 }, { 86, 86, 0 }, { 80, 80, 0 }, { 120, 0, 0 } };
  static const Target fallback[] = { { 90, 0, 0 }, { 80, 80, 1 }, { 86, 86, 0 } };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtCudaPayload) form4 = read_targets ('4', targets, 4, &error);
  g_autoptr (PtCudaPayload) form5 = read_targets ('5', fallback, 3, &error);
  g_autoptr (PtCudaPayload) none = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (form4->form, ==, PT_CUDA_PAYLOAD_TARGETS);
  g_assert_cmpuint (form4->n_libraries, ==, 4);
  g_assert_cmpuint (form4->n_constants, ==, 1);
  expect_choice (form4, 90, 0);
  expect_choice (form4, 86, 1);
  expect_choice (form4, 89, 2);
  expect_choice (form4, 100, 2);
  expect_choice (form4, 75, -1);
  expect_choice (form5, 90, 0);
  expect_choice (form5, 86, 2);
  expect_choice (form5, 80, 1);
  expect_choice (form5, 89, 1);
  expect_choice (form5, 75, -1);
  none = read_targets ('4', targets, 0, &error);
  g_assert_null (none);
  g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
}

/* ---- hashes in keys ---- */

static void
test_hash (void)
{
  static const char key[] =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad_so_blob";
  g_autoptr (GError) error = NULL;

  g_assert_true (pt_cuda_key_check (key, strlen (key), "abc", 3, &error));
  g_assert_true (pt_cuda_key_check ("forward_so_blob", 15, "abd", 3, &error));
  g_assert_true (pt_cuda_key_check (key, 64, "abd", 3, &error));
  g_assert_no_error (error);
  g_assert_false (pt_cuda_key_check (key, strlen (key), "abd", 3, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/payload/method", test_method);
  g_test_add_func ("/cuda/payload/keys", test_keys);
  g_test_add_func ("/cuda/payload/names", test_names);
  g_test_add_func ("/cuda/payload/no-constants", test_no_constants);
  g_test_add_func ("/cuda/payload/bad-constants", test_bad_constants);
  g_test_add_func ("/cuda/payload/odd-views", test_odd_views);
  g_test_add_func ("/cuda/payload/bad-structure", test_bad_structure);
  g_test_add_func ("/cuda/payload/truncated", test_truncated);
  g_test_add_func ("/cuda/payload/flipped", test_flipped);
  g_test_add_func ("/cuda/payload/targets", test_targets);
  g_test_add_func ("/cuda/payload/hash", test_hash);
  return g_test_run ();
}
