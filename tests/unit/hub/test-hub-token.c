/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <pteris/hub-token.h>
#include <pteris/server-key.h>
#include <pteris/stats.h>

#ifdef G_OS_WIN32
#include <windows.h>
#include <wincred.h>
#endif

/*
 * Tokens in the system's secret store. On Linux that is tests/fakes/fake-secret-service.c on a bus
 * of the test; on Windows the vault of the account that runs the test.
 */

#define HUB "https://hub.example"
#define OTHER "https://hub.example:8443"
#define TOKEN "hf_test0123456789"

#ifdef G_OS_WIN32

static void
begin (const char *options)
{
}

static void
end (void)
{
  g_assert_true (pt_hub_token_forget (HUB, NULL, NULL));
  g_assert_true (pt_hub_token_forget (OTHER, NULL, NULL));
}

#else

static GTestDBus *bus;
static GSubprocess *service;

/* Start the service with @options, NULL: none at all. */
static void
begin (const char *options)
{
  g_autofree char *line = g_strdup_printf ("%s %s", g_getenv ("PTERIS_TEST_SECRETS"), options);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) words = NULL;
  char answer[5] = "";

  bus = g_test_dbus_new (G_TEST_DBUS_NONE);
  g_test_dbus_up (bus);
  if (options == NULL)
    return;
  g_assert_true (g_shell_parse_argv (line, NULL, &words, NULL));
  service =
      g_subprocess_newv ((const char *const *) words,
                         G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error);
  g_assert_no_error (error);
  g_assert_true (g_input_stream_read_all (g_subprocess_get_stdout_pipe (service), answer, 5, NULL,
                                          NULL, NULL));
  g_assert_cmpmem (answer, 5, "ready", 5);
}

static void
end (void)
{
  if (service != NULL) {
    g_assert_true (g_output_stream_close (g_subprocess_get_stdin_pipe (service), NULL, NULL));
    g_assert_true (g_subprocess_wait (service, NULL, NULL));
    g_clear_object (&service);
  }
  g_test_dbus_stop (bus);
  g_clear_object (&bus);
}

#endif

static void
assert_kept (const char *endpoint, gboolean may_ask, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *token = pt_hub_token_load (endpoint, may_ask, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (token, ==, expected);
}

static void
keep (const char *endpoint, const char *token)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (pt_hub_token_keep (endpoint, token, NULL, &error));
  g_assert_no_error (error);
}

static void
test_origin (void)
{
  static const char *const ROWS[][2] = {
    { "https://huggingface.co", "https://huggingface.co" },
    { "https://HuggingFace.co/", "https://huggingface.co" },
    { "https://huggingface.co:443/mirror", "https://huggingface.co" },
    { "https://huggingface.co:8443", "https://huggingface.co:8443" },
    { "http://127.0.0.1:8080", "http://127.0.0.1:8080" },
  };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (ROWS); i++) {
    g_autofree char *origin = pt_hub_token_origin (ROWS[i][0], &error);

    g_assert_no_error (error);
    g_assert_cmpstr (origin, ==, ROWS[i][1]);
  }
  g_assert_null (pt_hub_token_origin ("http://huggingface.co", &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
}

/* What a person sends with a report of a problem holds no token. */
static void
test_diagnosis (void)
{
  PtDiagnosis *diagnosis;

  begin ("");
  keep (HUB, TOKEN);
  g_setenv ("HF_TOKEN", TOKEN, TRUE);
  diagnosis = pt_diagnose ();
  g_assert_nonnull (strstr (diagnosis->report, "CPU"));
  g_assert_null (strstr (diagnosis->report, TOKEN));
  g_assert_null (strstr (diagnosis->report, "HF_TOKEN"));
  pt_diagnosis_free (diagnosis);
  g_unsetenv ("HF_TOKEN");
  end ();
}

static void
test_keep (void)
{
  g_auto (GStrv) list = NULL;

  begin ("");
  g_assert_true (pt_hub_token_can_keep (NULL));
  assert_kept (HUB, TRUE, NULL);
  keep (HUB, "hf_old");
  keep (HUB "/", TOKEN);
  keep (OTHER, "hf_other");
  assert_kept (HUB, FALSE, TOKEN);
  assert_kept (OTHER, FALSE, "hf_other");
  assert_kept ("https://hub.example:444", TRUE, NULL);
  assert_kept ("https://another.example", TRUE, NULL);
  list = pt_hub_token_list (NULL, NULL);
  g_assert_true (g_strv_contains ((const char *const *) list, HUB));
  g_assert_true (g_strv_contains ((const char *const *) list, OTHER));
  g_assert_true (pt_hub_token_forget (HUB, NULL, NULL));
  g_assert_true (pt_hub_token_forget (HUB, NULL, NULL));
  assert_kept (HUB, TRUE, NULL);
  assert_kept (OTHER, TRUE, "hf_other");
  end ();
}

/* The key of the server is in the same store, and is no token of a hub. */
static void
test_server_key (void)
{
  g_autofree char *one = pt_server_key_new (), *two = pt_server_key_new (), *none = NULL;
  g_autofree char *kept = NULL;
  g_auto (GStrv) list = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (strlen (one), ==, strlen ("pteris-") + 48);
  g_assert_cmpstr (one, !=, two);
  begin ("");
#ifndef G_OS_WIN32
  none = pt_server_key_load (NULL, &error);
  g_assert_no_error (error);
  g_assert_null (none);
#endif
  g_assert_true (pt_server_key_keep (one, NULL, NULL));
  g_assert_true (pt_server_key_keep (two, NULL, NULL));
  kept = pt_server_key_load (NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (kept, ==, two);
  list = pt_hub_token_list (NULL, NULL);
  g_assert_cmpuint (g_strv_length (list), ==, 0);
  g_assert_false (pt_server_key_keep ("a b", NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  end ();
}

/* What is no token is not kept, and what something else put there is not used. */
static void
test_wrong (void)
{
  static const char *const WRONG[] = { "", "a b", "hf_\n", "hf_\xc3\xa4" };
  g_autofree char *longest = g_strnfill (512, 'x');
  g_autofree char *too_long = g_strnfill (513, 'x');
  g_autoptr (GError) error = NULL;

  begin ("");
  for (guint i = 0; i < G_N_ELEMENTS (WRONG); i++) {
    g_assert_false (pt_hub_token_keep (HUB, WRONG[i], NULL, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
    g_clear_error (&error);
  }
  g_assert_false (pt_hub_token_keep (HUB, too_long, NULL, NULL));
  keep (HUB, longest);
  assert_kept (HUB, TRUE, longest);
  end ();
}

#ifdef G_OS_WIN32

/* An entry as other programs see it. */
static void
test_vault (void)
{
  PCREDENTIALW entry = NULL;

  keep (HUB, TOKEN);
  g_assert_true (CredReadW (L"org.pteris.Pteris:"
                            L"https://hub.example",
                            CRED_TYPE_GENERIC, 0, &entry));
  g_assert_cmpmem (entry->CredentialBlob, entry->CredentialBlobSize, TOKEN, strlen (TOKEN));
  g_assert_cmpint (entry->Persist, ==, CRED_PERSIST_LOCAL_MACHINE);
  CredFree (entry);
  end ();
}

#else

static void
test_locked (void)
{
  begin ("--locked --item " HUB "=" TOKEN);
  assert_kept (HUB, FALSE, NULL);
  assert_kept (OTHER, TRUE, NULL);
  assert_kept (HUB, FALSE, NULL);
  assert_kept (HUB, TRUE, TOKEN);
  assert_kept (HUB, FALSE, TOKEN);
  end ();
  begin ("--locked");
  keep (HUB, TOKEN);
  assert_kept (HUB, FALSE, TOKEN);
  end ();
}

static void
test_dismissed (void)
{
  g_autoptr (GError) error = NULL;

  begin ("--locked --dismissed --item " HUB "=" TOKEN);
  g_assert_null (pt_hub_token_load (HUB, TRUE, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_false (pt_hub_token_keep (HUB, TOKEN, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_false (pt_hub_token_forget (HUB, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
  end ();
}

static void
test_no_collection (void)
{
  begin ("--no-collection");
  keep (HUB, TOKEN);
  assert_kept (HUB, FALSE, TOKEN);
  end ();
}

static void
test_strange (void)
{
  g_autoptr (GError) error = NULL;

  begin ("--item '" HUB "=pass phrase'");
  g_assert_null (pt_hub_token_load (HUB, TRUE, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FORMAT);
  g_assert_null (strstr (error->message, "pass phrase"));
  g_clear_error (&error);
  end ();
  begin ("--damaged");
  g_assert_null (pt_hub_token_load (HUB, TRUE, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
  g_clear_error (&error);
  g_assert_false (pt_hub_token_keep (HUB, TOKEN, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
  g_assert_null (strstr (error->message, TOKEN));
  end ();
}

static void
test_no_store (void)
{
  g_autoptr (GError) error = NULL;

  begin (NULL);
  g_assert_false (pt_hub_token_can_keep (NULL));
  g_assert_null (pt_hub_token_load (HUB, TRUE, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  g_assert_false (pt_hub_token_keep (HUB, TOKEN, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
  end ();
  g_clear_error (&error);
  g_unsetenv ("DBUS_SESSION_BUS_ADDRESS");
  g_assert_false (pt_hub_token_can_keep (NULL));
  g_assert_null (pt_hub_token_list (NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
}

#endif

int
main (int argc, char **argv)
{
  g_setenv ("XDG_RUNTIME_DIR", g_get_tmp_dir (), TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hub-token/origin", test_origin);
#ifndef G_OS_WIN32
  {
    g_autofree char *daemon = g_find_program_in_path ("dbus-daemon");

    if (daemon == NULL)
      return g_test_run ();
  }
#endif
  g_test_add_func ("/hub-token/keep", test_keep);
  g_test_add_func ("/hub-token/server-key", test_server_key);
  g_test_add_func ("/hub-token/wrong", test_wrong);
  g_test_add_func ("/hub-token/diagnosis", test_diagnosis);
#ifdef G_OS_WIN32
  g_test_add_func ("/hub-token/vault", test_vault);
#else
  g_test_add_func ("/hub-token/locked", test_locked);
  g_test_add_func ("/hub-token/dismissed", test_dismissed);
  g_test_add_func ("/hub-token/no-collection", test_no_collection);
  g_test_add_func ("/hub-token/strange", test_strange);
  g_test_add_func ("/hub-token/no-store", test_no_store);
#endif
  return g_test_run ();
}
