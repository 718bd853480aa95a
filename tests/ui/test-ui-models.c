/* SPDX-License-Identifier: BSD-3-Clause */

/* The Models page over the scripted engine, and the memory of models in a real folder. */

#include <glib/gstdio.h>

#include "tests/ui/fake-engine.h"
#include "tests/ui/window-test.h"
#include "ui/engine/crash-guard.h"
#include "ui/models/model-card.h"
#include "ui/engine/model-notes.h"
#include "ui/models/model-text.h"
#include "ui/models/variant-button.h"
#include "ui/settings.h"

#define SMOLLM "/models/smollm2-135m-instruct/model.pte"
#define WHISPER "/models/whisper-base/model.pte"
#define QWEN "/models/qwen-0.5b/model.pte"

static void
forget_everything (void)
{
  g_autofree char *notes = g_build_filename (g_get_user_data_dir (), "pteris", "models.ini", NULL);

  g_unlink (notes);
  pteris_notes_reload ();
  fake_reset ();
}

static void
act (PterisWindow *window, const char *action, const char *path)
{
  g_autofree char *name = g_strconcat ("win.", action, NULL);

  g_assert_true (path != NULL ? gtk_widget_activate_action (GTK_WIDGET (window), name, "^ay", path)
                              : gtk_widget_activate_action (GTK_WIDGET (window), name, NULL));
}

static PterisWindow *
open_models (void)
{
  PterisWindow *window = open_window ();

  pteris_window_show_page (window, "models");
  wait_until (gtk_widget_get_mapped (GTK_WIDGET (window->models_page)));
  settle (300);
  return window;
}

static PterisModel *
model_at (PterisWindow *window, const char *path)
{
  PterisModel *model = pteris_library_find (window->library, path);

  g_assert_nonnull (model);
  return model;
}

static guint
n_shown (PterisWindow *window)
{
  return g_list_model_get_n_items (pteris_models_page_get_shown (window->models_page));
}

static const char *
shown_at (PterisWindow *window, guint i)
{
  g_autoptr (PterisModel) model =
      g_list_model_get_item (pteris_models_page_get_shown (window->models_page), i);

  return pteris_model_get_info (model)->title;
}

/* ---- the page ---- */

static void
test_cards (void)
{
  PterisWindow *window;

  forget_everything ();
  window = open_models ();
  wait_until (pteris_model_get_details (model_at (window, SMOLLM)) != NULL);
  wait_until (says (window->models_page, "Chat · SmolLM · 137.9\u00a0MB · 8-bit weights"));
  wait_until (says (window->models_page, "about 337.0\u00a0MB of memory, 21.5\u00a0GB free."));
  g_assert_true (says (window->models_page, "License: Apache-2.0"));
  g_assert_true (
      says (window->models_page, "Its tokenizer (tokenizer.json or .model) is missing."));
  g_assert_true (says (window->models_page, "3 models"));
  close_window (window);
}

/* A model that no page is for says what it is. */
static void
test_embedding (void)
{
  PterisWindow *window;

  forget_everything ();
  fake.with_embedding = TRUE;
  window = open_models ();
  wait_until (says (window->models_page, "Text embedding · 91.0\u00a0MB"));
  close_window (window);
}

/* The drop-down in the header, with what it is for. */
static void
test_header (void)
{
  PterisWindow *window;
  GtkWidget *menu, *list;

  forget_everything ();
  window = open_window ();
  menu = nth (window->model_button, GTK_TYPE_MENU_BUTTON, 0);
  gtk_menu_button_popup (GTK_MENU_BUTTON (menu));
  wait_until (says (window->model_button, "Whisper base"));
  list = nth (window->model_button, GTK_TYPE_LIST_VIEW, 0);
  g_signal_emit_by_name (list, "activate", 0);
  wait_until (pteris_engine_client_get_state (chat_engine (window)) == PTERIS_MODEL_READY);
  wait_until (!says (window->model_button, "Whisper base"));
  close_window (window);
}

static void
test_odd_models (void)
{
  PterisWindow *window;

  forget_everything ();
  fake.with_odd_models = TRUE;
  window = open_models ();
  wait_until (says (window->models_page, "There is no NVIDIA driver on this machine."));
  wait_until (says (window->models_page, "about 26.0\u00a0GB of memory, but this computer has"));
  gtk_editable_set_text (GTK_EDITABLE (nth (window->models_page, GTK_TYPE_SEARCH_ENTRY, 0)),
                         "broken");
  wait_until (says (window->models_page, "ends in the middle of a table"));
  close_window (window);
}

/* ---- what a card offers ---- */

static GtkWidget *
card_of (PterisWindow *window, const char *title)
{
  for (guint i = 0;; i++) {
    GtkWidget *card = nth (window->models_page, PTERIS_TYPE_MODEL_CARD, i);

    if (card == NULL || says (card, title))
      return card;
  }
}

/* The button with @label that is seen; NULL: there is none. */
static GtkWidget *
button_of (GtkWidget *card, const char *label)
{
  for (guint i = 0;; i++) {
    GtkWidget *button = nth (card, GTK_TYPE_BUTTON, i);

    if (button == NULL || (gtk_widget_get_mapped (button) &&
                           g_strcmp0 (gtk_button_get_label (GTK_BUTTON (button)), label) == 0))
      return button;
  }
}

static void
test_buttons (void)
{
  PterisWindow *window;
  GtkWidget *card;

  forget_everything ();
  window = open_models ();
  wait_until (pteris_model_get_details (model_at (window, SMOLLM)) != NULL);
  card = card_of (window, "SmolLM2 135M Instruct");
  wait_until (button_of (card, "_Load") != NULL && button_of (card, "_Chat") != NULL);
  g_assert_nonnull (button_of (card_of (window, "Whisper base"), "_Transcribe"));
  g_signal_emit_by_name (button_of (card, "_Load"), "clicked");
  wait_until (button_of (card, "_Unload") != NULL);
  g_assert_null (button_of (card, "_Load"));
  g_assert_true (says (card, "Loaded · CPU"));
  g_assert_false (says (card, "Runs here"));
  g_assert_true (gtk_widget_has_css_class (button_of (card, "_Chat"), "suggested-action"));
  g_signal_emit_by_name (button_of (card, "_Chat"), "clicked");
  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->pages), ==, "chat");
  g_assert_cmpuint (fake.n_loads, ==, 1);
  /* Without its tokenizer it cannot be loaded, but can be inspected. */
  pteris_window_show_page (window, "models");
  card = card_of (window, "Its tokenizer (tokenizer.json or .model) is missing.");
  wait_until (button_of (card, "_Inspect") != NULL);
  g_assert_null (button_of (card, "_Load"));
  g_assert_null (button_of (card, "_Chat"));
  close_window (window);
}

/* Why it does not run here, and no button that would fail. */
static void
test_not_here (void)
{
  static const char *const WHY[] = { "There is no NVIDIA driver on this machine.",
                                     "Use a smaller model, or one with fewer bits." };
  PterisWindow *window;

  forget_everything ();
  fake.with_odd_models = TRUE;
  window = open_models ();
  for (gsize i = 0; i < G_N_ELEMENTS (WHY); i++) {
    GtkWidget *card;

    wait_until (says (window->models_page, WHY[i]));
    card = card_of (window, WHY[i]);
    wait_until (button_of (card, "_Inspect") != NULL);
    g_assert_null (button_of (card, "_Load"));
    g_assert_null (button_of (card, "_Chat"));
    g_assert_null (button_of (card, "_Run…"));
  }
  close_window (window);
}

/* Side by side where there is room, and never wider than a narrow window. */
static void
test_columns (void)
{
  PterisWindow *window;
  GtkWidget *one, *two;
  graphene_rect_t first, second;

  forget_everything ();
  window = open_models ();
  one = nth (window->models_page, PTERIS_TYPE_MODEL_CARD, 0);
  two = nth (window->models_page, PTERIS_TYPE_MODEL_CARD, 1);
  wait_until (gtk_widget_compute_bounds (one, GTK_WIDGET (window), &first) &&
              gtk_widget_compute_bounds (two, GTK_WIDGET (window), &second) &&
              first.origin.y == second.origin.y && second.origin.x > first.origin.x);
  gtk_window_set_default_size (GTK_WINDOW (window), 480, 720);
  wait_until (gtk_widget_compute_bounds (one, GTK_WIDGET (window), &first) &&
              gtk_widget_compute_bounds (two, GTK_WIDGET (window), &second) &&
              first.origin.x == second.origin.x && second.origin.y > first.origin.y &&
              first.origin.x + first.size.width <= 480);
  close_window (window);
}

static void
test_find (void)
{
  PterisWindow *window;
  GtkEditable *search;
  GtkDropDown *show, *sort;

  forget_everything ();
  fake.with_odd_models = TRUE;
  window = open_models ();
  search = GTK_EDITABLE (nth (window->models_page, GTK_TYPE_SEARCH_ENTRY, 0));
  show = GTK_DROP_DOWN (nth (window->models_page, GTK_TYPE_DROP_DOWN, 0));
  sort = GTK_DROP_DOWN (nth (window->models_page, GTK_TYPE_DROP_DOWN, 1));
  g_assert_cmpuint (n_shown (window), ==, 7);
  gtk_editable_set_text (search, "WHISPER");
  wait_until (n_shown (window) == 1);
  g_assert_true (says (window->models_page, "1 of 7 models"));
  gtk_editable_set_text (search, "no such thing");
  wait_until (n_shown (window) == 0);
  wait_until (says (window->models_page, "No Models Found"));
  gtk_editable_set_text (search, "");
  wait_until (n_shown (window) == 7);
  gtk_drop_down_set_selected (show, 2);
  g_assert_cmpuint (n_shown (window), ==, 1);
  gtk_drop_down_set_selected (show, 0);
  gtk_drop_down_set_selected (sort, 2);
  g_assert_cmpstr (shown_at (window, 0), ==, "Llama 70B");
  gtk_drop_down_set_selected (sort, 1);
  g_assert_cmpstr (shown_at (window, 0), ==, "broken.pte");
  wait_until (pteris_model_get_details (model_at (window, "/models/llama-70b/model.pte")) != NULL);
  gtk_drop_down_set_selected (show, 4);
  g_assert_cmpuint (n_shown (window), <, 7);
  close_window (window);
}

static void
test_many (void)
{
  PterisWindow *window;
  gint64 begin;

  forget_everything ();
  fake.n_more_models = 500;
  window = open_window ();
  begin = g_get_monotonic_time ();
  pteris_window_show_page (window, "models");
  wait_until (gtk_widget_get_mapped (GTK_WIDGET (window->models_page)));
  settle (10);
  g_test_message ("503 models shown after %.0f ms",
                  (double) (g_get_monotonic_time () - begin) / 1000);
  g_assert_cmpuint (n_shown (window), ==, 503);
  /* Cards are made for what can be seen, not for all. */
  g_assert_null (nth (window->models_page, PTERIS_TYPE_MODEL_CARD, 300));
  close_window (window);
}

/* ---- loading ---- */

static void
test_load (void)
{
  PterisWindow *window;

  forget_everything ();
  fake.step_ms = 40;
  window = open_models ();
  act (window, "load-model", SMOLLM);
  wait_until (says (window->models_page, "Loading 40 %"));
  wait_until (says (window->models_page, "Loaded · CPU"));
  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->pages), ==, "models");
  act (window, "unload-model", SMOLLM);
  wait_until (!says (window->models_page, "Loaded · CPU"));

  act (window, "load-model", WHISPER);
  wait_until (says (window->models_page, "Loading 20 %"));
  act (window, "unload-model", WHISPER);
  wait_until (pteris_engines_count_jobs (window->engines) == 0);
  g_assert_cmpint (pteris_engine_client_get_state (speech_engine (window)), ==,
                   PTERIS_MODEL_UNLOADED);
  close_window (window);
}

static void
test_load_fails (void)
{
  PterisWindow *window;

  forget_everything ();
  fake.load_error = "The tokenizer is damaged.";
  fake.load_code = PT_ERROR_TOKENIZER;
  window = open_models ();
  act (window, "load-model", SMOLLM);
  wait_until (says (window->models_page, "The tokenizer is damaged."));
  fake.load_error = NULL;
  act (window, "load-model", SMOLLM);
  wait_until (says (window->models_page, "Loaded · CPU"));
  close_window (window);
}

/* A conversation outlives its model. */
static void
test_reload_on_cpu (void)
{
  PterisWindow *window;

  forget_everything ();
  window = open_window ();
  fake.answer_error = "The GPU has stopped answering.";
  pteris_chat_session_send (window->session, "Hello");
  wait_until (!pteris_chat_session_is_busy (window->session));
  fake.answer_error = NULL;
  act (window, "reload-cpu", NULL);
  wait_until (pteris_engine_client_get_state (chat_engine (window)) == PTERIS_MODEL_READY);
  g_assert_cmpint (fake.load_backend, ==, PT_BACKEND_CPU);
  g_assert_true (says (window->chat_page, "The capital of France is"));
  close_window (window);
}

/* ---- after a crash ---- */

static void
test_crash (void)
{
  g_autofree char *marker = g_build_filename (g_get_user_data_dir (), "pteris", "in-use", NULL);
  g_autofree char *text = NULL;
  PterisWindow *window;

  forget_everything ();
  fake.step_ms = 500;
  window = open_models ();
  act (window, "load-model", SMOLLM);
  g_assert_true (g_file_get_contents (marker, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, SMOLLM);
  close_window (window);
  g_assert_false (g_file_test (marker, G_FILE_TEST_EXISTS));

  /* Now the program is killed while it loads. */
  g_assert_true (g_file_set_contents (marker, SMOLLM, -1, NULL));
  pteris_notes_reload ();
  fake.step_ms = 2;
  window = open_models ();
  wait_until (says (window, "Pteris quit unexpectedly while “SmolLM2 135M Instruct” was in use."));
  wait_until (says (window->models_page, "is no longer loaded automatically"));
  g_assert_false (g_file_test (marker, G_FILE_TEST_EXISTS));
  g_assert_true (pteris_model_is_held (model_at (window, SMOLLM)));
  g_assert_null (pteris_library_pick (window->library, PTERIS_TASK_CHAT, SMOLLM));
  pteris_chat_session_send (window->session, "Hello");
  wait_until (says (window->chat_page, "so it is not loaded automatically") ||
              !pteris_chat_session_is_busy (window->session));
  g_assert_cmpuint (fake.n_loads, ==, 0);
  act (window, "load-model-cpu", SMOLLM);
  wait_until (pteris_engine_client_get_state (chat_engine (window)) == PTERIS_MODEL_READY);
  g_assert_cmpint (fake.load_backend, ==, PT_BACKEND_CPU);
  g_assert_false (pteris_model_is_held (model_at (window, SMOLLM)));
  close_window (window);

  /* It has done well since. */
  pteris_notes_reload ();
  window = open_models ();
  g_assert_false (pteris_model_is_held (model_at (window, SMOLLM)));
  close_window (window);
}

/* Two models were in use: both are held back, and the user chooses. */
static void
test_crash_of_two (void)
{
  static const char PATHS[] = SMOLLM "\0" WHISPER; /* both with a 0 */
  g_autofree char *marker = g_build_filename (g_get_user_data_dir (), "pteris", "in-use", NULL);
  PterisWindow *window;

  forget_everything ();
  g_assert_true (g_file_set_contents (marker, PATHS, sizeof PATHS, NULL));
  window = open_models ();
  wait_until (says (window, "“SmolLM2 135M Instruct” and “Whisper base” were in use."));
  g_assert_true (pteris_model_is_held (model_at (window, SMOLLM)));
  g_assert_true (pteris_model_is_held (model_at (window, WHISPER)));
  wait_until (says (window->load_error_card, "All Models"));
  g_assert_false (says (window->load_error_card, "Try Again"));
  act (window, "load-model", SMOLLM);
  wait_until (pteris_engine_client_get_state (chat_engine (window)) == PTERIS_MODEL_READY);
  act (window, "load-model", WHISPER);
  wait_until (pteris_engine_client_get_state (speech_engine (window)) == PTERIS_MODEL_READY);
  g_assert_false (pteris_model_is_held (model_at (window, WHISPER)));
  close_window (window);
}

/* ---- the library ---- */

static void
test_remove (void)
{
  PterisWindow *window;

  forget_everything ();
  window = open_models ();
  act (window, "remove-model", WHISPER);
  g_assert_cmpuint (n_shown (window), ==, 2);
  pteris_library_rescan (window->library);
  settle (200);
  g_assert_cmpuint (n_shown (window), ==, 2);
  g_assert_true (says (window, "its files are kept"));
  for (guint i = 0;; i++) {
    GtkWidget *button = nth (window->toasts, GTK_TYPE_BUTTON, i);

    g_assert_nonnull (button);
    if (g_strcmp0 (gtk_button_get_label (GTK_BUTTON (button)), "_Undo") == 0) {
      g_signal_emit_by_name (button, "clicked");
      break;
    }
  }
  wait_until (n_shown (window) == 3);
  pteris_settings_remove_from_list (PTERIS_SETTING_MODELS, WHISPER);
  close_window (window);
}

static void
test_choose (void)
{
  PterisWindow *window;
  PterisModel *model;

  forget_everything ();
  window = open_models ();
  model = model_at (window, QWEN);
  g_assert_cmpuint (pteris_model_get_info (model)->lacks, ==, PT_MODEL_TOKENIZER);
  pteris_library_choose (window->library, model, PT_MODEL_TOKENIZER, "/elsewhere/tokenizer.json");
  wait_until (pteris_model_get_info (model_at (window, QWEN))->lacks == 0);
  model = model_at (window, QWEN);
  g_assert_cmpstr (pteris_model_get_companions (model)->tokenizer, ==, "/elsewhere/tokenizer.json");
  close_window (window);

  pteris_notes_reload ();
  window = open_models ();
  model = model_at (window, QWEN);
  g_assert_cmpuint (pteris_model_get_info (model)->lacks, ==, 0);
  act (window, "load-model", QWEN);
  wait_until (pteris_engine_client_get_state (chat_engine (window)) == PTERIS_MODEL_READY);
  g_assert_cmpstr (fake.load_tokenizer, ==, "/elsewhere/tokenizer.json");
  act (window, "reset-members", QWEN);
  wait_until (pteris_model_get_info (model_at (window, QWEN))->lacks != 0);
  close_window (window);
}

#define QWEN3 "/models/qwen3/xnnpack-8da4w.pte"
#define QWEN3_BF16 "/models/qwen3/xnnpack-bf16.pte"

/* The visible button below @root that chooses a variant. */
static GtkWidget *
variant_button (gpointer root)
{
  for (guint i = 0;; i++) {
    GtkWidget *button = nth (root, PTERIS_TYPE_VARIANT_BUTTON, i);

    g_assert_nonnull (button);
    if (gtk_widget_get_visible (button))
      return button;
  }
}

/* Opens the menu of @button and chooses row @n of it. */
static void
choose_row (GtkWidget *button, int n)
{
  GtkWidget *menu = nth (button, GTK_TYPE_MENU_BUTTON, 0);
  GtkWidget *list;

  gtk_menu_button_popup (GTK_MENU_BUTTON (menu));
  list = nth (button, GTK_TYPE_LIST_BOX, 0);
  wait_until (gtk_widget_get_mapped (list));
  g_signal_emit_by_name (list, "row-activated",
                         gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), n));
}

static GtkListBoxRow *
row_at (GtkWidget *button, int n)
{
  return gtk_list_box_get_row_at_index (GTK_LIST_BOX (nth (button, GTK_TYPE_LIST_BOX, 0)), n);
}

/* The menu on a card: what it shows, and that the choice is kept and used. */
static void
test_variants (void)
{
  PterisWindow *window;
  GtkWidget *button;

  forget_everything ();
  fake.with_variants = TRUE;
  window = open_models ();
  wait_until (says (window->models_page, "Variant: automatic (xnnpack-8da4w)"));
  button = variant_button (window->models_page);
  gtk_menu_button_popup (GTK_MENU_BUTTON (nth (button, GTK_TYPE_MENU_BUTTON, 0)));
  wait_until (says (button, "The best one that runs here, now xnnpack-8da4w"));
  g_assert_true (says (button, "8da4w · CPU · 470.0\u00a0MB"));
  g_assert_true (says (button, "fp16 · coreml · 1.2\u00a0GB"));
  g_assert_true (says (button, "It needs the backend “CoreMLBackend”"));
  g_assert_true (gtk_list_box_row_get_activatable (row_at (button, 2)));
  g_assert_false (gtk_list_box_row_get_activatable (row_at (button, 3)));
  choose_row (button, 2);
  wait_until (says (window->models_page, "Variant: xnnpack-bf16"));
  g_assert_nonnull (pteris_model_get_variant (model_at (window, QWEN3_BF16)));
  close_window (window);

  /* The next start, and what knew the model by its other program. */
  pteris_notes_reload ();
  window = open_models ();
  wait_until (says (window->models_page, "Variant: xnnpack-bf16"));
  g_assert_true (pteris_library_pick (window->library, PTERIS_TASK_CHAT, QWEN3) ==
                 model_at (window, QWEN3_BF16));
  act (window, "use-model", QWEN3);
  wait_until (pteris_engine_client_get_state (chat_engine (window)) == PTERIS_MODEL_READY);
  g_assert_cmpstr (fake.load_path, ==, QWEN3_BF16);
  close_window (window);

  /* A model that is removed stays so with all its variants. */
  window = open_models ();
  act (window, "remove-model", QWEN3_BF16);
  pteris_library_rescan (window->library);
  settle (200);
  g_assert_null (pteris_library_find (window->library, QWEN3));
  close_window (window);
}

/* The menu in the header: the loaded model is loaded again, in the chosen variant. */
static void
test_variant_of_loaded (void)
{
  PterisWindow *window;
  GtkWidget *menu;

  forget_everything ();
  fake.with_variants = TRUE;
  window = open_window ();
  act (window, "use-model", QWEN3);
  wait_until (pteris_engine_client_get_state (chat_engine (window)) == PTERIS_MODEL_READY);
  g_assert_cmpstr (fake.load_path, ==, QWEN3);
  menu = nth (window->model_button, GTK_TYPE_MENU_BUTTON, 0);
  gtk_menu_button_popup (GTK_MENU_BUTTON (menu));
  wait_until (says (window->model_button, "Variant: automatic (xnnpack-8da4w)"));
  choose_row (variant_button (window->model_button), 2);
  wait_until (fake.n_loads == 2);
  g_assert_cmpstr (fake.load_path, ==, QWEN3_BF16);
  wait_until (pteris_engine_client_get_state (chat_engine (window)) == PTERIS_MODEL_READY);
  gtk_menu_button_popup (GTK_MENU_BUTTON (menu));
  wait_until (says (window->model_button, "Variant: xnnpack-bf16"));
  choose_row (variant_button (window->model_button), 0);
  wait_until (fake.n_loads == 3);
  g_assert_cmpstr (fake.load_path, ==, QWEN3);
  close_window (window);
}

/* A program that is opened is the variant that is used. */
static void
test_variant_opened (void)
{
  PterisWindow *window;
  g_autoptr (GFile) file = g_file_new_for_path (QWEN3_BF16);

  forget_everything ();
  fake.with_variants = TRUE;
  window = open_models ();
  wait_until (n_shown (window) == 4);
  _pteris_window_add_model (window, file, FALSE);
  wait_until (says (window->models_page, "Variant: xnnpack-bf16"));
  g_assert_cmpuint (n_shown (window), ==, 4);
  act (window, "remove-model", QWEN3_BF16);
  close_window (window);
}

/* A folder whose drive is no longer mounted, with its models. */
static void
test_away (void)
{
  PtModelInfo seen = { .path = (char *) "/media/stick/models/gemma/model.pte",
                       .title = (char *) "Gemma on a stick",
                       .task = (char *) "chat",
                       .bytes = 5000 };
  PterisWindow *window;
  PterisModel *model;

  forget_everything ();
  pteris_notes_see (&seen);
  pteris_notes_save ();
  pteris_notes_reload ();
  pteris_settings_add_to_list (PTERIS_SETTING_FOLDERS, "/media/stick/models");
  pteris_settings_add_to_list (PTERIS_SETTING_MODELS, "/media/other/unheard-of.pte");
  window = open_models ();
  model = model_at (window, seen.path);
  g_assert_true (pteris_model_is_away (model));
  g_assert_true (says (window->models_page, "Gemma on a stick"));
  g_assert_true (
      says (window->models_page, "Not available: its folder or drive is not connected."));
  act (window, "remove-model", seen.path);
  g_assert_null (pteris_library_find (window->library, seen.path));
  close_window (window);
  pteris_settings_remove_from_list (PTERIS_SETTING_FOLDERS, "/media/stick/models");
  pteris_settings_remove_from_list (PTERIS_SETTING_MODELS, "/media/other/unheard-of.pte");
}

/* ---- in words ---- */

static void
test_notes (void)
{
  const char *path = "/odd [name]/ü=x/model.pte";
  g_auto (GStrv) list = NULL;
  g_autoptr (PterisCompanions) companions = NULL;

  forget_everything ();
  pteris_notes_choose (path, PT_MODEL_DATA, "/data.ptd");
  pteris_notes_set_hidden (path, TRUE);
  pteris_notes_set_held (path, TRUE);
  pteris_notes_save ();
  pteris_notes_reload ();
  companions = pteris_notes_get_companions (path);
  g_assert_cmpstr (companions->data[0], ==, "/data.ptd");
  g_assert_null (companions->tokenizer);
  g_assert_true (pteris_notes_is_hidden (path));
  g_assert_true (pteris_notes_is_held (path));
  list = pteris_notes_list ("/odd [name]");
  g_assert_cmpuint (g_strv_length (list), ==, 1);
  g_assert_cmpstr (list[0], ==, path);
  pteris_notes_clear_companions (path);
  g_assert_null (pteris_notes_get_companions (path));
  pteris_notes_forget (path);
  g_assert_false (pteris_notes_is_held (path));
}

int
main (int argc, char **argv)
{
  begin_window_tests (&argc, &argv);
  g_test_add_func ("/models/notes", test_notes);
  g_test_add_func ("/models/cards", test_cards);
  g_test_add_func ("/models/embedding", test_embedding);
  g_test_add_func ("/models/header", test_header);
  g_test_add_func ("/models/odd-models", test_odd_models);
  g_test_add_func ("/models/buttons", test_buttons);
  g_test_add_func ("/models/not-here", test_not_here);
  g_test_add_func ("/models/columns", test_columns);
  g_test_add_func ("/models/find", test_find);
  g_test_add_func ("/models/many", test_many);
  g_test_add_func ("/models/load", test_load);
  g_test_add_func ("/models/load-fails", test_load_fails);
  g_test_add_func ("/models/reload-on-cpu", test_reload_on_cpu);
  g_test_add_func ("/models/crash", test_crash);
  g_test_add_func ("/models/crash-of-two", test_crash_of_two);
  g_test_add_func ("/models/remove", test_remove);
  g_test_add_func ("/models/choose", test_choose);
  g_test_add_func ("/models/variants", test_variants);
  g_test_add_func ("/models/variant-of-loaded", test_variant_of_loaded);
  g_test_add_func ("/models/variant-opened", test_variant_opened);
  g_test_add_func ("/models/away", test_away);
  return end_window_tests ();
}
