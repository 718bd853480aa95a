/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-engine.h"
#include "tests/ui/fake-hub.h"
#include "tests/ui/window-test.h"
#include "ui/window/preferences.h"

/* The page of the server, over a server that is only told about. */

/* What the server was asked for, and what it tells. Functions are called in other threads. */
static struct {
  GMutex mutex;
  guint starts, stops;
  char *key, **origins;
  gboolean fails;
  PterisServerFunc func;
  gpointer user_data;
} server;

static PterisServer *
start_server (const PterisServerOptions *options, GError **error)
{
  PterisServer *made = NULL;

  g_mutex_lock (&server.mutex);
  g_free (server.key);
  server.key = g_strdup (options->key);
  g_strfreev (server.origins);
  server.origins = g_strdupv ((char **) options->origins);
  server.func = options->func;
  server.user_data = options->user_data;
  server.starts++;
  if (server.fails)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE, "All ports are in use.");
  else
    made = (PterisServer *) &server;
  g_mutex_unlock (&server.mutex);
  return made;
}

static void
stop_server (PterisServer *self)
{
  g_mutex_lock (&server.mutex);
  server.stops++;
  g_mutex_unlock (&server.mutex);
}

static const char *
get_address (PterisServer *self)
{
  return "http://127.0.0.1:11999";
}

static void
get_status (PterisServer *self, PterisServerStatus *status)
{
  *status = (PterisServerStatus){
    .connections = 3, .requests_per_minute = 17, .running = 1, .tokens_per_second = 42.5
  };
}

static const PterisServerFunctions FUNCTIONS = { start_server, stop_server, get_address,
                                                 get_status };

static PterisWindow *
open_page (void)
{
  PterisWindow *window;

  fake_reset ();
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE, FALSE);
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE_WITH_KEY, FALSE);
  window = open_window ();
  pteris_window_show_page (window, "server");
  return window;
}

/* Another thread may set the key meanwhile. */
static gboolean
shows_key (PterisWindow *window)
{
  gboolean shown;

  g_mutex_lock (&server.mutex);
  shown = server.key != NULL && says (window->server_page, server.key);
  g_mutex_unlock (&server.mutex);
  return shown;
}

static void
tell (const char *program, const char *fault)
{
  const PterisServerEntry entry = {
    .method = "POST", .route = "", .program = program, .fault = fault
  };

  server.func (&entry, server.user_data);
}

static void
test_on_and_off (void)
{
  PterisWindow *window = open_page ();
  guint starts = server.starts, stops = server.stops;

  wait_until (says (window->server_page, "The server is off."));
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE, TRUE);
  wait_until (says (window->server_page, "http://127.0.0.1:11999"));
  wait_until (says (window->server_page, "17 within the last minute; 1 running, 0 waiting"));
  g_assert_true (says (window->server_page, "42.5 tokens/s"));
  g_assert_cmpuint (server.starts, ==, starts + 1);
  g_assert_null (server.key);
  /* With a key, it starts again. */
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE_WITH_KEY, TRUE);
  wait_until (server.starts == starts + 2);
  wait_until (says (window->server_page, "http://127.0.0.1:11999"));
  g_assert_true (g_str_has_prefix (server.key, "pteris-"));
  wait_until (shows_key (window));
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE, FALSE);
  wait_until (says (window->server_page, "The server is off."));
  g_assert_cmpuint (server.stops, ==, stops + 2);
  close_window (window);
}

/* The key is the same next time where there is a secret store, and no plain file has it. */
static void
test_key (void)
{
  PterisWindow *window;
  g_autofree char *first = NULL;

  fake_hub.has_store = TRUE;
  window = open_page ();
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE_WITH_KEY, TRUE);
  wait_until (says (window->server_page, "The key is shown when the server is on."));
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE, TRUE);
  wait_until (shows_key (window));
  g_assert_false (says (window->server_page, "no secret store"));
  first = g_strdup (server.key);
  g_assert_cmpstr (fake_hub.kept_key, ==, first);
  close_window (window);
  window = open_page ();
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE_WITH_KEY, TRUE);
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE, TRUE);
  wait_until (says (window->server_page, first));
  g_assert_cmpstr (server.key, ==, first);
  close_window (window);
  fake_hub.has_store = FALSE;
}

/* Without a store the key is one of this run; a store that stays locked is told. */
static void
test_no_store (void)
{
  PterisWindow *window = open_page ();

  pteris_settings_set_boolean (PTERIS_SETTING_SERVE_WITH_KEY, TRUE);
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE, TRUE);
  wait_until (says (window->server_page, "no secret store"));
  close_window (window);
  window = open_page ();
  fake_hub.store_refuses = TRUE;
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE_WITH_KEY, TRUE);
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE, TRUE);
  wait_until (says (window->server_page, "The store was not unlocked."));
  fake_hub.store_refuses = FALSE;
  close_window (window);
}

static void
enter_origins (PterisWindow *window, const char *text)
{
  AdwEntryRow *row = ADW_ENTRY_ROW (nth (window->server_page, ADW_TYPE_ENTRY_ROW, 0));

  gtk_editable_set_text (GTK_EDITABLE (row), text);
  g_signal_emit_by_name (row, "apply");
}

/* Pages that were entered may use it; what is none is told, and changes nothing. */
static void
test_origins (void)
{
  PterisWindow *window = open_page ();
  guint starts = server.starts;

  pteris_settings_set_boolean (PTERIS_SETTING_SERVE, TRUE);
  wait_until (server.starts == starts + 1);
  g_assert_cmpuint (g_strv_length (server.origins), ==, 0);
  wait_until (says (window->server_page, "http://127.0.0.1:11999"));
  enter_origins (window, "https://example.org, http://localhost:3000");
  wait_until (server.starts == starts + 2);
  g_assert_cmpstr (server.origins[0], ==, "https://example.org");
  g_assert_cmpstr (server.origins[1], ==, "http://localhost:3000");
  enter_origins (window, "https://example.org/page");
  wait_until (says (window->server_page, "“https://example.org/page” is not the address"));
  wait_until (says (window->server_page, "http://127.0.0.1:11999"));
  g_assert_cmpuint (server.starts, ==, starts + 2);
  enter_origins (window, "");
  wait_until (server.starts == starts + 3);
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE, FALSE);
  wait_until (says (window->server_page, "The server is off."));
  close_window (window);
}

static void
test_told (void)
{
  PterisWindow *window = open_page ();

  pteris_settings_set_boolean (PTERIS_SETTING_SERVE, TRUE);
  wait_until (says (window->server_page, "http://127.0.0.1:11999"));
  tell ("OpenAI/Python <b>", NULL);
  tell ("OpenAI/Python <b>", "“n” is not supported.");
  tell (NULL, NULL);
  wait_until (says (window->server_page, "2 requests"));
  wait_until (says (window->server_page, "A program without a name"));
  g_assert_true (says (window->server_page, "OpenAI/Python <b>"));
  g_assert_true (says (window->server_page, "“n” is not supported."));
  close_window (window);
}

static void
test_failed (void)
{
  PterisWindow *window = open_page ();

  server.fails = TRUE;
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE, TRUE);
  wait_until (says (window->server_page, "All ports are in use."));
  server.fails = FALSE;
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE, FALSE);
  wait_until (says (window->server_page, "The server is off."));
  close_window (window);
}

/* The window is closed while the server runs, or starts. */
static void
test_close (void)
{
  PterisWindow *window = open_page ();
  guint stops = server.stops;

  pteris_settings_set_boolean (PTERIS_SETTING_SERVE, TRUE);
  wait_until (says (window->server_page, "http://127.0.0.1:11999"));
  close_window (window);
  g_assert_cmpuint (server.stops, ==, stops + 1);
}

int
main (int argc, char **argv)
{
  g_autofree char *home = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  g_autoptr (GError) error = NULL;
  int status;

  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_setenv ("XDG_CONFIG_HOME", home, TRUE);
  gtk_test_init (&argc, &argv, NULL);
  pteris_sharing_use (&FUNCTIONS);
  application = GTK_APPLICATION (pteris_application_new ());
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, &error));
  g_assert_no_error (error);

  g_test_add_func ("/server-page/on-and-off", test_on_and_off);
  g_test_add_func ("/server-page/key", test_key);
  g_test_add_func ("/server-page/no-store", test_no_store);
  g_test_add_func ("/server-page/origins", test_origins);
  g_test_add_func ("/server-page/told", test_told);
  g_test_add_func ("/server-page/failed", test_failed);
  g_test_add_func ("/server-page/close", test_close);
  status = g_test_run ();
  g_object_unref (application);
  return status;
}
