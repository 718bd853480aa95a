/* SPDX-License-Identifier: BSD-3-Clause */

/* Finding, downloading, using and removing a published model, over the hub of tests/hub. */

#include <string.h>

#include <gio/gio.h>

#include "tests/hands/hands.h"
#include "tests/hands/words.h"

#define SEARCH "field:Search published models"
#define DOWNLOAD_SMOLLM "button:Download SmolLM2"
#define DOWNLOAD_QWEN "button:Download Qwen 3"
#define FILTER "combo:Filter"
#define DOWNLOADS "Downloads > "
#define PAUSE DOWNLOADS "button:Pause"
#define MORE "button:More about smollm2_135m_xnnpack_8da4w"
/* 16 KiB of the program and of the tokenizer. */
#define FIRST_PIECES DOWNLOADS "label:32.8*kB of 232.6*kB"
#define CONTINUE DOWNLOADS "button:Continue download"

/* ---- the hub ---- */

static GSubprocess *hub;
static GDataInputStream *answers;

static char *
read_line (void)
{
  g_autoptr (GError) error = NULL;
  char *line = g_data_input_stream_read_line (answers, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (line);
  return line;
}

static void
start_hub (void)
{
  const char *data = g_getenv ("HANDS_DATA");
  g_autofree char *script = g_build_filename (data, "hub", "serve.py", NULL);
  g_autofree char *model = g_build_filename (data, "data", "chat", "qwen3_xnnpack_8da4w", NULL);
  g_autofree char *address = NULL;
  g_autoptr (GError) error = NULL;

  hub = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error,
                          g_getenv ("HANDS_PYTHON"), script, model, NULL);
  g_assert_no_error (error);
  answers = g_data_input_stream_new (g_subprocess_get_stdout_pipe (hub));
  address = read_line ();
  hands_set_environment ("PTERIS_HUB", address);
}

/* Its answer to @command, a line of JSON; free it. */
static char *
ask_hub (const char *command)
{
  g_autofree char *line = g_strconcat (command, "\n", NULL);
  g_autoptr (GError) error = NULL;

  g_output_stream_write_all (g_subprocess_get_stdin_pipe (hub), line, strlen (line), NULL, NULL,
                             &error);
  g_assert_no_error (error);
  return read_line ();
}

static void
tell_hub (const char *command)
{
  g_autofree char *answer = ask_hub (command);
}

static void
stop_hub (void)
{
  g_autoptr (GError) error = NULL;

  g_output_stream_close (g_subprocess_get_stdin_pipe (hub), NULL, NULL);
  g_subprocess_wait (hub, NULL, &error);
  g_assert_no_error (error);
  g_clear_object (&answers);
  g_clear_object (&hub);
}

/* ---- the page ---- */

static void
open_page (void)
{
  hands_start_empty ();
  hands_click ("item:Discover Models…");
  hands_expect (SEARCH);
}

static void
search (const char *text)
{
  hands_click (SEARCH);
  hands_expect_focus (SEARCH);
  hands_key ("ctrl+a");
  hands_type (text);
}

/* Texts and tasks reduce the list; a text that nothing has is told. */
static void
test_search (void)
{
  start_hub ();
  open_page ();
  hands_expect (DOWNLOAD_QWEN);
  hands_picture ("all");
  search ("smollm");
  hands_expect_count ("button:Download *", 2);
  hands_expect ("label:2 models");
  hands_picture ("found");
  hands_click (FILTER);
  hands_click ("GtkPopover > label:Speech output");
  hands_expect ("label:No Models Found");
  hands_picture ("none");
  search ("kokoro");
  hands_expect ("button:Download *Kokoro*");
  hands_picture ("filtered");
  stop_hub ();
}

static gboolean
library_is_empty (gpointer data)
{
  g_autofree char *path = g_build_filename (hands_home (), "data", "pteris", "models", NULL);
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  if (folder == NULL)
    return TRUE;
  while ((name = g_dir_read_name (folder)) != NULL) {
    g_autofree char *inside = g_build_filename (path, name, NULL);
    g_autoptr (GDir) kept = g_dir_open (inside, 0, NULL);

    if (name[0] != '.' || (kept != NULL && g_dir_read_name (kept) != NULL))
      return FALSE;
  }
  return TRUE;
}

/* A download of which the hub has sent the first piece only. */
static void
start_download (void)
{
  start_hub ();
  tell_hub ("hold");
  open_page ();
  search ("smollm");
  hands_click (DOWNLOAD_SMOLLM);
  hands_expect ("label:License: apache-2.0. *");
  hands_expect ("label:232.6*kB in 3 files. *");
  hands_picture ("license");
  hands_click ("button:Download");
  hands_expect (FIRST_PIECES);
}

static gboolean
is_asked_for_the_rest (gpointer data)
{
  g_autofree char *state = ask_hub ("ask");

  return strstr (state, "\"offsets\": [16384") != NULL;
}

/* The rest of the program is requested, not the whole. */
static void
expect_rest (void)
{
  hands_wait_for (is_asked_for_the_rest, NULL, "the hub is asked for the bytes behind the first");
}

static void
chat_with_it (void)
{
  hands_key ("ctrl+3");
  hands_expect ("label:SmolLM2*");
  hands_picture ("library");
  hands_click ("button:Load");
  hands_expect ("button:Unload");
  hands_key ("ctrl+1");
  hands_expect_focus (COMPOSER);
  hands_ask ("What is the capital of France?");
  hands_expect (ANSWER_AGAIN);
  hands_picture ("answer");
}

static void
remove_it (void)
{
  hands_key ("ctrl+3");
  hands_click (MORE);
  hands_picture ("more");
  hands_click ("menu:Remove from Library");
  hands_expect ("label:No Models Yet");
  hands_picture ("removed");
}

/* The license is shown before; a paused download goes on where it was; then the model is used and
 * removed from the library. */
static void
test_download (void)
{
  start_download ();
  hands_picture ("begun");
  hands_click (PAUSE);
  hands_expect (CONTINUE);
  hands_picture ("paused");
  hands_click (CONTINUE);
  hands_expect (PAUSE);
  expect_rest ();
  tell_hub ("go");
  hands_expect ("label:Installed*");
  hands_picture ("installed");
  chat_with_it ();
  remove_it ();
  stop_hub ();
}

/* After a crash the download is listed as paused, and goes on where it was. */
static void
test_crash (void)
{
  start_download ();
  hands_crash ();
  hands_start_empty ();
  hands_key ("ctrl+4");
  hands_expect (CONTINUE);
  hands_picture ("again");
  hands_click (CONTINUE);
  expect_rest ();
  tell_hub ("go");
  hands_expect ("label:Installed*");
  hands_picture ("installed");
  stop_hub ();
}

/* A download that is removed leaves no file. */
static void
test_cancel (void)
{
  start_download ();
  hands_click (DOWNLOADS "button:Remove");
  hands_expect_gone (DOWNLOADS "label:*");
  hands_wait_for (library_is_empty, NULL, "the files of the download are deleted");
  hands_picture ("removed");
  tell_hub ("go");
  stop_hub ();
}

int
main (int argc, char **argv)
{
  hands_init (&argc, &argv);
  hands_add ("/discover/search", test_search);
  hands_add ("/discover/download", test_download);
  hands_add ("/discover/crash", test_crash);
  hands_add ("/discover/cancel", test_cancel);
  return g_test_run ();
}
