/* SPDX-License-Identifier: BSD-3-Clause */

/* The Models and Inspect pages with the real engine and small real programs. */

#include <glib/gstdio.h>

#include "tests/ui/window-test.h"
#include "tests/unit/under-wine.h"
#include "ui/engine/model-notes.h"
#include "ui/models/model-text.h"
#include "ui/run/run-input.h"
#include "ui/run/run-panel.h"
#include "ui/settings.h"

static char *folder; /* of models */

static char *
data (const char *room, const char *model, const char *file)
{
  return g_test_build_filename (G_TEST_DIST, "data", room, model, file, NULL);
}

/* Copies @source to @folder/@name. */
static void
put (const char *name, const char *source)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autoptr (GFile) from = g_file_new_for_path (source), to = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;

  g_mkdir_with_parents (parent, 0755);
  g_file_copy (from, to, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

static PterisModel *
find (PterisWindow *window, const char *name)
{
  g_autofree char *relative = g_build_filename (folder, name, NULL);
  g_autofree char *path = g_canonicalize_filename (relative, NULL);

  return pteris_library_find (window->library, path);
}

static void
drop (const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_unlink (path);
}

#define QWEN "qwen3_external_xnnpack_8da4w"

/* Files come and go while the window is open. */
static void
test_watched (void)
{
  g_autofree char *program = data ("chat", QWEN, "model.pte");
  g_autofree char *weights = data ("chat", QWEN, "model.ptd");
  g_autofree char *tokenizer = data ("chat", "qwen3_xnnpack_8da4w", "tokenizer.json");
  PterisWindow *window = open_window ();

  pteris_window_show_page (window, "models");
  g_assert_null (find (window, "qwen/model.pte"));
  put ("qwen/model.pte", program);
  wait_until (find (window, "qwen/model.pte") != NULL);
  wait_until (pteris_model_get_info (find (window, "qwen/model.pte"))->lacks ==
              (PT_MODEL_DATA | PT_MODEL_TOKENIZER));
  put ("qwen/model.ptd", weights);
  wait_until (pteris_model_get_info (find (window, "qwen/model.pte"))->lacks == PT_MODEL_TOKENIZER);
  put ("qwen/tokenizer.json", tokenizer);
  wait_until (pteris_model_get_info (find (window, "qwen/model.pte"))->lacks == 0);
  wait_until (pteris_model_get_details (find (window, "qwen/model.pte")) != NULL);
  g_assert_cmpuint (pteris_model_get_details (find (window, "qwen/model.pte"))->weight_bits, ==, 4);
  wait_until (says (window->models_page, "Chat · Qwen"));
  wait_until (says (window->models_page, "Runs here"));
  drop ("qwen/model.pte");
  wait_until (find (window, "qwen/model.pte") == NULL);
  drop ("qwen/model.ptd");
  drop ("qwen/tokenizer.json");
  close_window (window);
}

/* A tokenizer in another folder is chosen once and used after every restart. */
static void
test_chosen (void)
{
  g_autofree char *program = data ("chat", QWEN, "model.pte");
  g_autofree char *weights = data ("chat", QWEN, "model.ptd");
  g_autofree char *tokenizer = data ("chat", "qwen3_xnnpack_8da4w", "tokenizer.json");
  PterisWindow *window;

  put ("chosen/model.pte", program);
  put ("chosen/model.ptd", weights);
  window = open_window ();
  pteris_library_choose (window->library, find (window, "chosen/model.pte"), PT_MODEL_TOKENIZER,
                         tokenizer);
  wait_until (pteris_model_get_info (find (window, "chosen/model.pte"))->lacks == 0);
  close_window (window);
  pteris_notes_reload ();
  window = open_window ();
  g_assert_cmpuint (pteris_model_get_info (find (window, "chosen/model.pte"))->lacks, ==, 0);
  pteris_engine_client_load (chat_engine (window), find (window, "chosen/model.pte"));
  wait_until (pteris_engine_client_get_state (chat_engine (window)) == PTERIS_MODEL_READY);
  close_window (window);
  drop ("chosen/model.pte");
  drop ("chosen/model.ptd");
}

/* The page shows a reason for every damaged model. */
static void
test_damaged (void)
{
  static const char *const HOSTILE[] = { "i_op_unknown.pte", "d_unknown_backend.pte", "x_cut.pte" };
  g_autofree char *text = g_build_filename (folder, "text.pte", NULL);
  g_autofree char *empty = g_build_filename (folder, "empty.pte", NULL);
  g_autofree char *why = NULL;
  const PtMemory *memory;
  PterisWindow *window;

  for (gsize i = 0; i < G_N_ELEMENTS (HOSTILE); i++) {
    g_autofree char *source = data ("tiny", "hostile", HOSTILE[i]);

    put (HOSTILE[i], source);
  }
  g_assert_true (g_file_set_contents (text, "This is no program.\n", -1, NULL));
  g_assert_true (g_file_set_contents (empty, "", 0, NULL));
  window = open_window ();
  pteris_window_show_page (window, "models");
  wait_until (find (window, "text.pte") != NULL && find (window, "empty.pte") != NULL);
  memory = pteris_machine_get_memory (window->machine);
  g_assert_true (pteris_model_get_info (find (window, "text.pte"))->damaged);
  g_assert_cmpint (pteris_model_judge (find (window, "text.pte"), memory, &why), ==,
                   PTERIS_VERDICT_NOT);
  g_assert_nonnull (why);
  for (gsize i = 0; i < 2; i++) {
    g_autofree char *reason = NULL;

    wait_until (pteris_model_get_details (find (window, HOSTILE[i])) != NULL);
    g_assert_cmpint (pteris_model_judge (find (window, HOSTILE[i]), memory, &reason), ==,
                     PTERIS_VERDICT_NOT);
    g_assert_nonnull (strstr (reason, "Does not run here"));
  }
  close_window (window);
  for (gsize i = 0; i < G_N_ELEMENTS (HOSTILE); i++)
    drop (HOSTILE[i]);
  drop ("text.pte");
  drop ("empty.pte");
}

static gboolean
on_tick (gpointer user_data)
{
  gint64 *times = user_data; /* of the last tick, and between two at most */
  gint64 now = g_get_monotonic_time ();

  if (times[0] != 0)
    times[1] = MAX (times[1], now - times[0]);
  times[0] = now;
  return G_SOURCE_CONTINUE;
}

/* A folder of 500 models, from the start of the window until all details are read. Wine takes a
 * minute and more for them. */
static void
test_many (void)
{
  const guint n = under_wine () ? 100 : 500;
  g_autofree char *last = g_strdup_printf ("many-%03u.pte", n - 1);
  g_autofree char *program = data ("tiny", "add_f32", "model.pte");
  gint64 times[2] = { 0, 0 }, begin;
  PterisWindow *window;
  guint ticks;

  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf ("many-%03u.pte", i);

    put (name, program);
  }
  window = pteris_window_new (application);
  gtk_window_present (GTK_WINDOW (window));
  pteris_window_show_page (window, "models");
  wait_until (gtk_widget_get_mapped (GTK_WIDGET (window)));
  settle (300);
  begin = g_get_monotonic_time ();
  pteris_library_rescan (window->library);
  ticks = g_timeout_add (5, on_tick, times);
  wait_until (g_list_model_get_n_items (G_LIST_MODEL (window->library)) == n);
  wait_until (find (window, last) != NULL &&
              pteris_model_get_details (find (window, last)) != NULL);
  g_source_remove (ticks);
  g_test_message ("%u models in %.1f s; the window waited %.0f ms at most", n,
                  (double) (g_get_monotonic_time () - begin) / 1e6, (double) times[1] / 1000);
  close_window (window);
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf ("many-%03u.pte", i);

    drop (name);
  }
}

static PterisRunPanel *
open_run (PterisWindow *window, const char *model)
{
  g_autofree char *path = data ("tiny", model, "model.pte");

  gtk_widget_activate_action (GTK_WIDGET (window), "win.run-model", "^ay", path);
  wait_until (says (window->inspect_page, "Input 0"));
  return PTERIS_RUN_PANEL (nth (window->inspect_page, PTERIS_TYPE_RUN_PANEL, 0));
}

static void
test_run (void)
{
  PterisWindow *window = open_window ();
  PterisRunPanel *panel = open_run (window, "add_f32");
  PterisRunInput *one = PTERIS_RUN_INPUT (nth (panel, PTERIS_TYPE_RUN_INPUT, 0));
  PterisRunInput *two = PTERIS_RUN_INPUT (nth (panel, PTERIS_TYPE_RUN_INPUT, 1));

  pteris_run_input_set_source (one, PTERIS_INPUT_NUMBERS);
  pteris_run_input_set_numbers (one, "1,2,3,4,5,6");
  pteris_run_input_set_source (two, PTERIS_INPUT_NUMBERS);
  pteris_run_input_set_numbers (two, "0.5");
  pteris_run_panel_start (panel);
  wait_until (says (panel, "1.5, 2.5, 3.5, 4.5, 5.5, 6.5") && !pteris_run_panel_is_running (panel));
  g_assert_true (says (panel, "min 1.5 · max 6.5 · mean 4"));
  g_assert_true (says (panel, "aten::add.out × 1"));
  pteris_run_input_set_numbers (one, "1,2");
  pteris_run_panel_start (panel);
  g_assert_true (says (panel, "Enter 6 numbers, or one number for all; there are 2."));

  panel = open_run (window, "dynamic_shape");
  wait_until (says (panel, "Input 0: float32 [8,3]"));
  one = PTERIS_RUN_INPUT (nth (panel, PTERIS_TYPE_RUN_INPUT, 0));
  pteris_run_input_set_shape (one, "2,3");
  pteris_run_panel_start (panel);
  wait_until (says (panel, "Output 1: float32 [2, 2]") && !pteris_run_panel_is_running (panel));
  pteris_run_input_set_shape (one, "9,3");
  pteris_run_panel_start (panel);
  g_assert_true (says (panel, "dimension 0 must be between 0 and 8"));
  close_window (window);
}

int
main (int argc, char **argv)
{
  int status;

  begin_window_tests (&argc, &argv);
  folder = g_build_filename (g_get_user_data_dir (), "my models é", NULL);
  g_mkdir_with_parents (folder, 0755);
  pteris_settings_add_to_list (PTERIS_SETTING_FOLDERS, folder);
  g_test_add_func ("/models/real/watched", test_watched);
  g_test_add_func ("/models/real/chosen", test_chosen);
  g_test_add_func ("/models/real/damaged", test_damaged);
  g_test_add_func ("/models/real/many", test_many);
  g_test_add_func ("/models/real/run", test_run);
  status = end_window_tests ();
  g_free (folder);
  return status;
}
