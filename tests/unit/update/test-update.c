/* SPDX-License-Identifier: BSD-3-Clause */

/* The signed list of versions, without a network: tests/hub/update.py has one. */

#include <string.h>

#include <glib/gstdio.h>

#include "engine/update/update-source.h"
#include "engine/update/version-list.h"

static char *
data_path (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "update", name, NULL);
}

static char *
load (const char *name, gsize *length)
{
  g_autofree char *file = g_strconcat (name, ".versions", NULL);
  g_autofree char *path = data_path (file);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_file_get_contents (path, &text, length, &error);
  g_assert_no_error (error);
  return text;
}

static PtPublicKey
key_of (const char *name)
{
  g_autofree char *path = data_path (name);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  PtPublicKey key;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (pt_public_key_read (text, &key, &error));
  g_assert_no_error (error);
  return key;
}

/* ---- versions ---- */

static void
test_versions (void)
{
  static const char *const RIGHT[] = { "0.0.0", "0.2.0", "1.20.300", "999999.999999.999999" };
  static const char *const WRONG[] = { "",       "1",           "1.2",      "1.2.3.4",
                                       "01.2.3", "1.2.x",       "1.2.3-rc", " 1.2.3",
                                       "1.2.3 ", "1..3",        "-1.2.3",   "1.2.3\n",
                                       "1.2,3",  "1.2.1000000", "v1.2.3",   "1.2.3\xc3\xa4" };
  /* Each is older than the next one. */
  static const char *const ORDER[] = { "0.0.1", "0.2.0", "0.9.9", "0.10.0", "0.10.1", "1.0.0" };

  for (gsize i = 0; i < G_N_ELEMENTS (RIGHT); i++)
    g_assert_true (pt_version_is_valid (RIGHT[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (WRONG); i++)
    g_assert_false (pt_version_is_valid (WRONG[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (ORDER); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (ORDER); k++)
      g_assert_cmpint (CLAMP (pt_version_compare (ORDER[i], ORDER[k]), -1, 1), ==,
                       i < k ? -1 : i > k);
}

/* ---- signatures ---- */

static void
test_keys (void)
{
  static const char *const WRONG[] = {
    "",
    "MFkw",
    "-----BEGIN PUBLIC KEY-----",
    "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----",
    /* P-384 */
    "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEdHz2ck5xBFWkzJbSgZ0PdZ3ZQb0oJlCGq0oYdFPqJ8Fh5jU5UuTzJ0Q8wq6K"
    "1rZy0T2jW1QhYp8m7kZtY9pGx0C4fQ3HfNq1bq6xk5sYJx1o5m4yZ6Qw9Xv2pR8L",
    /* secp256k1 */
    "MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEdHz2ck5xBFWkzJbSgZ0PdZ3ZQb0oJlCGq0oYdFPqJ8Fh5jU5UuTzJ0Q8wq6K"
    "1rZy0T2jW1QhYp8m7kZtY9pGxw==",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (WRONG); i++) {
    g_autoptr (GError) error = NULL;
    PtPublicKey key;

    g_assert_false (pt_public_key_read (WRONG[i], &key, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  }
}

/* Every bit of the signature, of the key and of the text counts. */
static void
test_signature (void)
{
  PtPublicKey key = key_of ("public.pem");
  PtSignature signature;
  gsize length = 0, head = strlen ("pteris-versions 1\n");
  g_autofree char *text = load ("right", &length);
  char *list = text + head + 129;
  gsize rest = length - head - 129;
  g_autoptr (GError) error = NULL;

  g_assert_true (pt_signature_read (text + head, length - head, &signature));
  g_assert_false (pt_signature_read (text + head, 127, &signature));
  pt_signature_verify (&key, &signature, list, rest, &error);
  g_assert_no_error (error);
  g_assert_true (pt_signature_verify (&key, &signature, list, rest, NULL));
  for (guint bit = 0; bit < 8 * sizeof signature; bit += 5) {
    PtSignature other = signature;

    ((guint8 *) &other)[bit / 8] ^= (guint8) (1u << bit % 8);
    g_assert_false (pt_signature_verify (&key, &other, list, rest, NULL));
  }
  for (guint bit = 0; bit < 8 * sizeof key; bit += 31) {
    PtPublicKey other = key;

    ((guint8 *) &other)[bit / 8] ^= (guint8) (1u << bit % 8);
    g_assert_false (pt_signature_verify (&other, &signature, list, rest, NULL));
  }
  for (gsize i = 0; i < rest; i += 17) {
    list[i] ^= 1;
    g_assert_false (pt_signature_verify (&key, &signature, list, rest, NULL));
    list[i] ^= 1;
  }
  g_assert_false (pt_signature_verify (&key, &signature, list, rest - 1, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_DATA);
}

/* Numbers that no signature has, of which some libraries once said that they are right. */
static void
test_odd_signatures (void)
{
  PtPublicKey key = key_of ("public.pem"), none = { { 0 }, { 0 } };
  PtSignature zero = { { 0 }, { 0 } }, largest;

  memset (&largest, 0xff, sizeof largest);
  g_assert_false (pt_signature_verify (&key, &zero, "x", 1, NULL));
  g_assert_false (pt_signature_verify (&key, &largest, "x", 1, NULL));
  g_assert_false (pt_signature_verify (&none, &zero, "x", 1, NULL));
  g_assert_false (pt_signature_verify (&key, &zero, "", 0, NULL));
}

/* ---- lists ---- */

static PtUpdate *
read_list (const char *name, const char *current, GError **error)
{
  PtPublicKey key = key_of ("public.pem");
  gsize length = 0;
  g_autofree char *text = load (name, &length);

  return pt_version_list_read (text, length, &key, current, error);
}

static void
test_list (void)
{
  static const struct {
    const char *current;
    gboolean is_newer;
  } OWN[] = { { "0.2.0", TRUE }, { "0.9.0", TRUE }, { "0.10.0", FALSE }, { "1.0.0", FALSE } };

  for (gsize i = 0; i < G_N_ELEMENTS (OWN); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (PtUpdate) update = read_list ("right", OWN[i].current, &error);

    g_assert_no_error (error);
    g_assert_cmpstr (update->current, ==, OWN[i].current);
    g_assert_cmpstr (update->newest, ==, "0.10.0");
    g_assert_cmpstr (update->date, ==, "2027-01-15");
    g_assert_cmpstr (update->page, ==, "https://pteris.example/0.10.0");
    g_assert_cmpint (update->issued, ==, 1800007200);
    g_assert_cmpint (update->is_newer, ==, OWN[i].is_newer);
    g_assert_cmpuint (update->n_files, ==, 2);
    g_assert_cmpstr (update->files[1].name, ==, "pteris_0.10.0-1_amd64.deb");
    g_assert_cmpuint (update->files[0].bytes, ==, 14454884);
    g_assert_true (g_str_has_prefix (update->files[1].sha256, "f606851f"));
  }
}

static void
test_wrong_lists (void)
{
  static const struct {
    const char *name, *words;
    PtError code;
  } WRONG[] = {
    { "other-key", "signature", PT_ERROR_DATA },
    { "wrong-json", "", PT_ERROR_FORMAT },
    { "wrong-program", "another program", PT_ERROR_FORMAT },
    { "wrong-issued", "issued", PT_ERROR_FORMAT },
    { "wrong-version", "0.9.0-rc1", PT_ERROR_FORMAT },
    { "wrong-date", "no date", PT_ERROR_FORMAT },
    { "wrong-page", "https", PT_ERROR_FORMAT },
    { "wrong-name", "no name", PT_ERROR_FORMAT },
    { "wrong-bytes", "no size", PT_ERROR_FORMAT },
    { "wrong-sum", "SHA-256", PT_ERROR_FORMAT },
    { "no-versions", "versions", PT_ERROR_FORMAT },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (WRONG); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (PtUpdate) update = read_list (WRONG[i].name, "0.2.0", &error);

    g_assert_null (update);
    g_assert_error (error, PT_ERROR, (int) WRONG[i].code);
    g_assert_nonnull (strstr (error->message, WRONG[i].words));
  }
}

/* Every beginning of a list, and every list with a byte changed, is refused. */
static void
test_damage (void)
{
  PtPublicKey key = key_of ("public.pem");
  gsize length = 0;
  g_autofree char *text = load ("right", &length);
  g_autofree char *large = g_malloc0 (PT_VERSION_LIST_MAX + 1);

  for (gsize i = 0; i < length; i += 7) {
    g_autofree char *start = g_memdup2 (text, i);

    g_assert_null (pt_version_list_read (start != NULL ? start : "", i, &key, "0.2.0", NULL));
    text[i] ^= 2;
    g_assert_null (pt_version_list_read (text, length, &key, "0.2.0", NULL));
    text[i] ^= 2;
  }
  memcpy (large, text, length);
  g_assert_null (pt_version_list_read (large, PT_VERSION_LIST_MAX + 1, &key, "0.2.0", NULL));
}

/* ---- what was seen ---- */

static void
write_state (const char *first_line, const char *list, gsize length)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "pteris", "versions", NULL);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GString) text = g_string_new (first_line);

  g_string_append_len (text, list, (gssize) length);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text->str, (gssize) text->len, NULL));
}

static void
write_time (gint64 seconds_ago)
{
  g_autofree char *line = g_strdup_printf ("asked %" G_GINT64_FORMAT "\n",
                                           g_get_real_time () / G_USEC_PER_SEC - seconds_ago);

  write_state (line, "", 0);
}

static void
test_state (void)
{
  g_autofree char *key = data_path ("public.pem");
  gsize length = 0;
  g_autofree char *list = load ("right", &length);
  g_autoptr (PtUpdate) update = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *host = NULL;

  g_setenv ("PTERIS_UPDATE_URL", "", TRUE);
  g_assert_false (pt_update_is_possible ());
  g_assert_null (pt_update_host ());
  g_assert_null (pt_update_look (NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  g_setenv ("PTERIS_UPDATE_URL", "https://versions.example/pteris", TRUE);
  g_setenv ("PTERIS_UPDATE_KEY", key, TRUE);
  g_assert_true (pt_update_is_possible ());
  host = pt_update_host ();
  g_assert_cmpstr (host, ==, "versions.example");

  g_assert_true (pt_update_is_due ());
  g_assert_cmpint (pt_update_last_time (), ==, 0);
  g_assert_null (pt_update_known (&error));
  g_assert_no_error (error);
  write_time (3600);
  g_assert_false (pt_update_is_due ());
  write_time (25 * 3600);
  g_assert_true (pt_update_is_due ());
  write_time (-7200);
  g_assert_true (pt_update_is_due ());
  for (guint i = 0; i < 5; i++) {
    static const char *const DAMAGED[] = { "", "asked", "asked -5\n",
                                           "asked 99999999999999999999\n", "asked 1x\n" };

    write_state (DAMAGED[i], list, length);
    g_assert_cmpint (pt_update_last_time (), ==, 0);
    g_assert_null (pt_update_known (NULL));
  }
  write_state ("asked 1700000000\n", list, length);
  g_assert_cmpint (pt_update_last_time (), ==, 1700000000);
  update = pt_update_known (&error);
  g_assert_no_error (error);
  g_assert_cmpstr (update->newest, ==, "0.10.0");
  /* What somebody has changed is not taken. */
  list[length - 9] ^= 1;
  write_state ("asked 1700000000\n", list, length);
  g_assert_null (pt_update_known (&error));
  g_assert_error (error, PT_ERROR, PT_ERROR_DATA);
}

int
main (int argc, char **argv)
{
  g_autofree char *home = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);

  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/update/versions", test_versions);
  g_test_add_func ("/update/keys", test_keys);
  g_test_add_func ("/update/signature", test_signature);
  g_test_add_func ("/update/odd-signatures", test_odd_signatures);
  g_test_add_func ("/update/list", test_list);
  g_test_add_func ("/update/wrong-lists", test_wrong_lists);
  g_test_add_func ("/update/damage", test_damage);
  g_test_add_func ("/update/state", test_state);
  return g_test_run ();
}
