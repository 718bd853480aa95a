/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-engine.h"
#include "tests/ui/fake-hub.h"
#include "tests/ui/window-test.h"

#include "ui/discover/catalogue.h"
#include "ui/discover/download-row.h"
#include "ui/discover/estimate.h"
#include "ui/discover/access-token.h"
#include "ui/discover/offer-row.h"
#include "ui/window/preferences.h"

#define GB G_GUINT64_CONSTANT (1000000000)

/* The page of published models over the hub of fake-hub.c. */

static PterisWindow *
open_discover (void)
{
  PterisWindow *window;

  fake_reset ();
  window = open_window ();
  pteris_window_show_page (window, "discover");
  wait_until (gtk_widget_get_mapped (GTK_WIDGET (window->discover_page)));
  settle (200);
  return window;
}

static void
reset_hub (void)
{
  g_free (fake_hub.borrowed);
  g_free (fake_hub.got);
  g_free (fake_hub.wanted);
  fake_hub = (FakeHub){ 0 };
  pteris_hub_token_enter (NULL, FALSE);
}

/* The open dialog that shows @text, or NULL. */
static GtkWidget *
find_dialog (const char *text)
{
  GListModel *tops = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (tops); i++) {
    g_autoptr (GtkWidget) top = g_list_model_get_item (tops, i);

    if (ADW_IS_MESSAGE_DIALOG (top) && gtk_widget_get_mapped (top) && says (top, text))
      return top;
  }
  return NULL;
}

static GtkWidget *
wait_for_dialog (const char *text)
{
  wait_until (find_dialog (text) != NULL);
  return find_dialog (text);
}

/* The visible button below @root with this tooltip. */
static GtkWidget *
find_button (gpointer root, const char *tooltip)
{
  for (guint i = 0;; i++) {
    GtkWidget *button = nth (root, GTK_TYPE_BUTTON, i);

    g_assert_nonnull (button);
    if (gtk_widget_get_mapped (button) &&
        g_strcmp0 (gtk_widget_get_tooltip_text (button), tooltip) == 0)
      return button;
  }
}

static void
search (PterisWindow *window, const char *text)
{
  gtk_editable_set_text (GTK_EDITABLE (nth (window->discover_page, GTK_TYPE_SEARCH_ENTRY, 0)),
                         text);
}

static void
ask_for (PterisWindow *window, const char *id)
{
  g_assert_true (
      gtk_widget_activate_action (GTK_WIDGET (window->discover_page), "discover.get", "s", id));
}

/* That an entry for programs of react-native-executorch agrees with the names of their files. */
static void
check_names (PterisOffer *offer)
{
  const char *id = pteris_offer_get_repository (offer);
  guint n;
  const PterisOfferVariant *variants = pteris_offer_get_variants (offer, &n);

  if (!g_str_has_prefix (id, "software-mansion/"))
    return;
  g_assert_true (g_str_has_prefix (pteris_offer_get_revision (offer), "v0."));
  for (guint i = 0; i < n; i++) {
    /* Tags before v0.9.0 have folders of precisions. */
    g_assert_true (strstr (variants[i].file, "xnnpack/") != NULL ||
                   strstr (variants[i].file, "QLoRA/") != NULL);
    /* Kokoro's two programs have no precision in their names. */
    if (strstr (id, "kokoro") == NULL && strstr (variants[i].file, variants[i].precision) == NULL)
      g_error ("“%s” is not of precision %s", variants[i].file, variants[i].precision);
  }
}

/* That the texts of an entry are there, and its files are. */
static void
check_offer (PterisOffer *offer)
{
  static const char *const TASKS[] = { "chat", "transcribe", "speak", "embed",
                                       "look", "companion",  NULL };
  const char *const *also = pteris_offer_get_also (offer);
  guint n, n_usual = 0;
  const PterisOfferVariant *variants = pteris_offer_get_variants (offer, &n);

  g_assert_cmpuint (n, >, 0);
  g_assert_true (g_strv_contains (TASKS, pteris_offer_get_task (offer)));
  g_assert_cmpstr (pteris_offer_get_license (offer), !=, "");
  g_assert_cmpstr (pteris_offer_get_about (offer), !=, "");
  g_assert_cmpstr (pteris_offer_get_revision (offer), !=, "");
  g_assert_cmpstr (pteris_offer_get_languages (offer), !=, "");
  for (guint i = 0; i < n; i++) {
    n_usual += variants[i].usual;
    g_assert_true (g_str_has_suffix (variants[i].file, ".pte"));
    g_assert_null (strstr (variants[i].file, ".."));
    g_assert_cmpuint (variants[i].bytes, <, 50 * GB);
    for (guint k = 0; k < i; k++)
      g_assert_cmpstr (variants[i].file, !=, variants[k].file);
  }
  g_assert_cmpuint (n_usual, ==, 1);
  for (guint i = 0; also != NULL && also[i] != NULL; i += 3) {
    g_assert_nonnull (strchr (also[i], '/'));
    g_assert_cmpstr (also[i + 1], !=, "");
    g_assert_cmpstr (also[i + 2], !=, "");
  }
  check_names (offer);
}

static void
test_catalogue (void)
{
  g_autoptr (GHashTable) ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GListModel) catalogue = pteris_catalogue_new ();
  const PterisOfferVariant *variant;
  guint n = g_list_model_get_n_items (catalogue);
  PterisOffer *best;

  g_assert_cmpuint (n, >, 40);
  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisOffer) offer = g_list_model_get_item (catalogue, i);
    g_autofree char *id = NULL;

    check_offer (offer);
    g_assert_true (pt_hub_parse (pteris_offer_get_repository (offer), &id, NULL, NULL, NULL));
    g_assert_cmpstr (id, ==, pteris_offer_get_repository (offer));
    /* Downloads are found by the repository and its tag. */
    g_assert_true (
        g_hash_table_add (ids, g_strdup_printf ("%s@%s", id, pteris_offer_get_revision (offer))));
  }
  best = pteris_catalogue_best_chat (catalogue, 3 * GB, &variant);
  g_assert_cmpuint (variant->bytes, <=, 3 * GB);
  g_assert_cmpuint (variant->bytes, >, 2 * GB);
  g_assert_cmpstr (pteris_offer_get_task (best), ==, "chat");
  /* One of more weights is better than a larger file. */
  pteris_catalogue_best_chat (catalogue, 1270000000, &variant);
  g_assert_cmpstr (variant->name, ==, "1.7 B");
  g_assert_cmpuint (variant->bytes, <, 1270000000);
  g_assert_null (pteris_catalogue_best_chat (catalogue, 1000, &variant));
}

/* Two of the ways of the first start ask about a chat model: of middle size, and the best. */
static void
test_first_start (void)
{
  static const struct {
    const char *action, *file;
  } WAYS[] = { { "welcome.get-better", "1_7b/xnnpack/qwen_3_1_7b_xnnpack_8da4w.pte" },
               { "welcome.get-best", "4b/xnnpack/qwen_3_4b_xnnpack_8da4w.pte" } };

  for (gsize i = 0; i < G_N_ELEMENTS (WAYS); i++) {
    PterisWindow *window;
    GtkWidget *dialog;

    fake_reset ();
    fake.with_models = FALSE;
    pteris_settings_set_boolean (PTERIS_SETTING_WELCOMED, FALSE);
    window = pteris_window_new (application);
    gtk_window_present (GTK_WINDOW (window));
    wait_until (says (window, "Welcome to Pteris"));
    g_assert_true (gtk_widget_activate_action (gtk_stack_get_visible_child (window->pages),
                                               WAYS[i].action, NULL));
    dialog = wait_for_dialog ("Download Qwen 3?");
    wait_until (says (dialog, "in 3 files."));
    g_assert_cmpstr (fake_hub.wanted, ==, WAYS[i].file);
    adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
    close_window (window);
    reset_hub ();
  }
}

/* Entries that lack what an offer needs are left out; nothing of them crashes. */
static void
test_damaged_catalogue (void)
{
  static const char *const TEXTS[] = {
    "",
    "{}",
    "[]",
    "{\"models\": 3}",
    "{\"models\": [3, null, [], \"a\"]}",
    "{\"models\": [{\"title\": \"a\", \"repository\": \"a/b\"}]}",
    "{\"models\": [{\"title\": 1, \"repository\": \"a/b\", \"variants\": [{\"file\": \"x\"}]}]}",
    "{\"models\": [{\"title\": \"a\", \"repository\": \"ab\", \"variants\": [{\"file\": \"x\"}]}]}",
    "{\"models\": [{\"title\": \"a\", \"repository\": \"a/b\", \"variants\": [{\"file\": 3}, 7]}]}",
  };
  const char *good =
      "{\"models\": [{\"title\": \"a\", \"repository\": \"a/b\", \"also\": [{\"files\": [1, "
      "\"t\"]}],"
      "\"variants\": [{\"file\": \"x\", \"bytes\": -5, \"context\": 99999999999}]}]}";
  g_autoptr (GListModel) list = pteris_catalogue_new_for_text (good, strlen (good));
  g_autoptr (PterisOffer) offer = g_list_model_get_item (list, 0);

  for (guint i = 0; i < G_N_ELEMENTS (TEXTS); i++) {
    g_autoptr (GListModel) none = pteris_catalogue_new_for_text (TEXTS[i], strlen (TEXTS[i]));

    g_assert_cmpuint (g_list_model_get_n_items (none), ==, 0);
  }
  g_assert_cmpuint (pteris_offer_get_usual (offer)->bytes, ==, 0);
  g_assert_cmpstr (pteris_offer_get_also (offer)[2], ==, "t");
}

static void
test_estimates (void)
{
  PtMemory memory = { .ram_total = 8 * GB, .ram_free = 6 * GB };
  PtFit fit;
  g_autofree char *small = pteris_estimate_fit (GB, &memory, &fit);
  g_autofree char *large = NULL;
  guint64 largest = pteris_estimate_largest (&memory);

  g_assert_cmpint (fit, ==, PT_FIT_WELL);
  large = pteris_estimate_fit (20 * GB, &memory, &fit);
  g_assert_cmpint (fit, ==, PT_FIT_NEVER);
  g_assert_cmpuint (largest, >, GB);
  g_assert_cmpuint (largest, <, 6 * GB);
  g_assert_cmpfloat (pteris_estimate_speed (GB, 10e9), ==, 7);
  g_assert_cmpfloat (pteris_estimate_speed (0, 10e9), ==, 0);
}

static void
test_search (void)
{
  PterisWindow *window = open_discover ();
  gpointer page = window->discover_page;
  GtkDropDown *task = GTK_DROP_DOWN (nth (page, GTK_TYPE_DROP_DOWN, 0));

  g_assert_true (says (page, "SmolLM2"));
  search (window, "qwen thinks");
  wait_until (says (page, "1 model"));
  g_assert_true (says (page, "Qwen 3"));
  search (window, "nothing has this name");
  wait_until (says (page, "No Models Found"));
  search (window, "");
  gtk_drop_down_set_selected (task, 2);
  wait_until (says (page, "Whisper tiny") && !says (page, "SmolLM2"));
  search (window, "https://huggingface.co/owner/name");
  wait_until (says (page, "owner/name"));
  close_window (window);
}

static void
test_download (void)
{
  PterisWindow *window = open_discover ();
  gpointer page = window->discover_page;
  GtkWidget *dialog;

  fake_hub.held = 1;
  ask_for (window, "software-mansion/react-native-executorch-qwen-3");
  dialog = wait_for_dialog ("1.0\u00a0MB in 3 files. It needs about 201.2\u00a0MB of memory.");
  g_assert_true (says (dialog, "Download Qwen 3?"));
  g_assert_true (says (dialog, "License: apache-2.0."));
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), "get");
  wait_until (says (page, "500.0\u00a0kB of 1.0\u00a0MB · 250.0\u00a0kB/s · 2.0 s left"));
  gtk_widget_activate (find_button (page, "Pause"));
  wait_until (says (page, "Paused · 500.0\u00a0kB of 1.0\u00a0MB"));
  gtk_widget_activate (find_button (page, "Continue Download"));
  wait_until (says (page, "2.0 s left"));
  g_atomic_int_set (&fake_hub.held, 0);
  wait_until (says (page, "downloaded and verified"));
  g_assert_true (says (page, "Installed"));
  g_assert_true (says (window, "Qwen 3 is ready to use."));
  g_assert_cmpstr (fake_hub.got, ==, "software-mansion/react-native-executorch-qwen-3 8da4w");
  gtk_widget_activate (find_button (page, "Remove from This List"));
  wait_until (nth (page, PTERIS_TYPE_DOWNLOAD_ROW, 0) == NULL);
  g_assert_null (fake_hub.discarded);
  close_window (window);
  reset_hub ();
}

/* Two tags of one repository. */
static void
test_tags (void)
{
  PterisWindow *window = open_discover ();
  GtkWidget *button;
  GVariant *target;

  search (window, "software-mansion 3.2 qlora");
  wait_until (says (window->discover_page, "1 model"));
  button = nth (nth (window->discover_page, PTERIS_TYPE_OFFER_ROW, 0), GTK_TYPE_BUTTON, 0);
  target = gtk_actionable_get_action_target_value (GTK_ACTIONABLE (button));
  g_assert_cmpstr (g_variant_get_string (target, NULL), ==,
                   "software-mansion/react-native-executorch-llama-3.2@v0.8.0");
  gtk_widget_activate (button);
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (wait_for_dialog ("in 3 files.")), "get");
  wait_until (says (window, "Llama 3.2 (QLoRA) is ready to use."));
  close_window (window);
  reset_hub ();
}

/* A tokenizer that another repository has. */
static void
test_borrowed (void)
{
  PterisWindow *window = open_discover ();
  GtkWidget *dialog;

  ask_for (window, "software-mansion/react-native-executorch-gemma-4-multimodal");
  dialog = wait_for_dialog ("in 3 files.");
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), "get");
  wait_until (says (window->discover_page, "downloaded and verified"));
  g_assert_cmpstr (fake_hub.borrowed, ==, "e2b/tokenizer_config.json");
  close_window (window);
  reset_hub ();
}

static void
test_problems (void)
{
  PterisWindow *window = open_discover ();
  gpointer page = window->discover_page;
  GtkWidget *dialog;

  fake_hub.offline = TRUE;
  ask_for (window, "owner/name");
  dialog = wait_for_dialog ("The hub cannot be reached.");
  fake_hub.offline = FALSE;
  fake_hub.damaged = TRUE;
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), "get");
  dialog = wait_for_dialog ("in 3 files.");
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), "get");
  wait_until (says (page, "A file did not arrive as published."));
  fake_hub.damaged = FALSE;
  gtk_widget_activate (find_button (page, "Try Again"));
  wait_until (says (page, "downloaded and verified"));
  close_window (window);
  reset_hub ();
}

/* The dialog that wants a token and has none yet, or NULL. */
static GtkWidget *
find_empty_dialog (void)
{
  GtkWidget *dialog = find_dialog ("It is sent to the hub only");
  GtkWidget *entry = dialog != NULL ? nth (dialog, GTK_TYPE_PASSWORD_ENTRY, 0) : NULL;

  return entry != NULL && *gtk_editable_get_text (GTK_EDITABLE (entry)) == '\0' ? dialog : NULL;
}

/* That dialog with @token entered. */
static GtkWidget *
enter_token (const char *token)
{
  GtkWidget *dialog;

  wait_until (find_empty_dialog () != NULL);
  dialog = find_empty_dialog ();
  gtk_editable_set_text (GTK_EDITABLE (nth (dialog, GTK_TYPE_PASSWORD_ENTRY, 0)), token);
  return dialog;
}

/* A click on the button also closes the dialog. */
static void
continue_with (GtkWidget *dialog)
{
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), "get");
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* Whether @dialog goes on with @token, by a button that says @label. */
static void
assert_goes_on (GtkWidget *dialog, const char *token, const char *label, gboolean enabled)
{
  AdwMessageDialog *message = ADW_MESSAGE_DIALOG (dialog);

  gtk_editable_set_text (GTK_EDITABLE (nth (dialog, GTK_TYPE_PASSWORD_ENTRY, 0)), token);
  g_assert_cmpstr (adw_message_dialog_get_response_label (message, "get"), ==, label);
  g_assert_true (adw_message_dialog_get_response_enabled (message, "get") == enabled);
}

/* An empty token is none; after a refused one the same can be tried again. */
static void
test_empty_token (void)
{
  PterisWindow *window = open_discover ();
  GtkWidget *dialog;

  fake_hub.token = "hf_right";
  ask_for (window, "owner/gated");
  wait_until (find_empty_dialog () != NULL);
  dialog = find_empty_dialog ();
  assert_goes_on (dialog, "", "_Continue", FALSE);
  assert_goes_on (dialog, "  ", "_Continue", FALSE);
  assert_goes_on (dialog, "hf", "_Continue", TRUE);
  assert_goes_on (dialog, "", "_Continue", FALSE);
  continue_with (enter_token (" hf_wrong\n"));
  wait_until (find_empty_dialog () != NULL);
  dialog = find_empty_dialog ();
  assert_goes_on (dialog, "", "_Try Again", TRUE);
  assert_goes_on (dialog, "h", "_Continue", TRUE);
  assert_goes_on (dialog, " hf_right ", "_Continue", TRUE);
  continue_with (dialog);
  gtk_window_destroy (GTK_WINDOW (wait_for_dialog ("in 3 files.")));
  close_window (window);
  reset_hub ();
}

static void
test_token (void)
{
  PterisWindow *window = open_discover ();
  GtkWidget *dialog;

  fake_hub.token = "hf_right";
  ask_for (window, "owner/gated");
  dialog = wait_for_dialog ("The repository wants a token.");
  g_assert_true (
      says (dialog, "kept until Pteris closes, because this system has no secret store"));
  g_assert_false (says (dialog, "Keep in the system’s secret store"));
  continue_with (enter_token ("hf_wrong"));
  continue_with (enter_token ("hf_right"));
  dialog = wait_for_dialog ("in 3 files.");
  g_assert_false (says (dialog, "is kept until Pteris closes only"));
  continue_with (dialog);
  wait_until (says (window->discover_page, "downloaded and verified"));
  g_assert_null (fake_hub.kept);
  close_window (window);
  reset_hub ();
}

/* In the store when the hub took it, and used from there in the next run. */
static void
test_kept_token (void)
{
  PterisWindow *window = open_discover ();
  GtkWidget *dialog;

  fake_hub.token = "hf_right";
  fake_hub.has_store = TRUE;
  ask_for (window, "owner/gated");
  dialog = enter_token ("hf_wrong");
  g_assert_true (says (dialog, "Keep in the system’s secret store"));
  continue_with (dialog);
  wait_until (find_empty_dialog () != NULL);
  g_assert_null (fake_hub.kept);
  continue_with (enter_token ("hf_right"));
  wait_for_dialog ("in 3 files.");
  g_assert_cmpstr (fake_hub.kept, ==, "hf_right");
  pteris_hub_token_enter (NULL, FALSE);
  gtk_window_destroy (GTK_WINDOW (find_dialog ("in 3 files.")));
  ask_for (window, "owner/other");
  dialog = wait_for_dialog ("in 3 files.");
  continue_with (dialog);
  wait_until (says (window->discover_page, "downloaded and verified"));
  close_window (window);
  reset_hub ();
}

/* Who does not want it kept, and a store that refuses. */
static void
test_passing_token (void)
{
  PterisWindow *window = open_discover ();
  GtkWidget *dialog;

  fake_hub.token = "hf_right";
  fake_hub.has_store = TRUE;
  ask_for (window, "owner/gated");
  dialog = enter_token ("hf_right");
  gtk_check_button_set_active (GTK_CHECK_BUTTON (nth (dialog, GTK_TYPE_CHECK_BUTTON, 0)), FALSE);
  continue_with (dialog);
  dialog = wait_for_dialog ("in 3 files.");
  g_assert_null (fake_hub.kept);
  gtk_window_destroy (GTK_WINDOW (dialog));
  pteris_hub_token_enter (NULL, FALSE);
  fake_hub.store_refuses = TRUE;
  ask_for (window, "owner/gated");
  continue_with (enter_token ("hf_right"));
  dialog = wait_for_dialog ("is kept until Pteris closes only. The store was not unlocked.");
  continue_with (dialog);
  wait_until (says (window->discover_page, "downloaded and verified"));
  close_window (window);
  reset_hub ();
}

/* A hub lists the files of a gated repository without a token, and gives none of them. */
static void
test_gated (void)
{
  PterisWindow *window = open_discover ();
  GtkWidget *dialog;

  fake_hub.gated = TRUE;
  ask_for (window, "owner/gated");
  dialog = wait_for_dialog ("is given only to those who accept its terms");
  continue_with (enter_token ("hf_right"));
  dialog = wait_for_dialog ("in 3 files.");
  gtk_window_destroy (GTK_WINDOW (dialog));
  close_window (window);
  reset_hub ();
}

static GtkWidget *
show_safety (PterisWindow *window)
{
  PterisPreferences *preferences = pteris_preferences_new (
      GTK_WINDOW (window), window->library, window->machine, window->meaning, window->updates);

  pteris_preferences_show (preferences, "safety");
  gtk_window_present (GTK_WINDOW (preferences));
  wait_until (says (preferences, "Access Tokens"));
  return GTK_WIDGET (preferences);
}

static void
test_forget (void)
{
  PterisWindow *window = open_discover ();
  GtkWidget *preferences = show_safety (window);

  wait_until (says (preferences, "No access tokens"));
  gtk_window_destroy (GTK_WINDOW (preferences));
  pteris_hub_token_enter ("hf_secret", FALSE);
  preferences = show_safety (window);
  wait_until (says (preferences, "https://hub.example") &&
              says (preferences, "Until Pteris closes"));
  gtk_widget_activate (find_button (preferences, "Forget Token"));
  wait_until (says (preferences, "No access tokens"));
  gtk_window_destroy (GTK_WINDOW (preferences));
  fake_hub.has_store = TRUE;
  fake_hub.kept = (char *) g_intern_string ("hf_secret");
  preferences = show_safety (window);
  wait_until (says (preferences, "https://hub.example"));
  g_assert_false (says (preferences, "Until Pteris closes"));
  g_assert_false (says (preferences, "hf_secret"));
  gtk_widget_activate (find_button (preferences, "Forget Token"));
  wait_until (says (preferences, "No access tokens"));
  g_assert_null (fake_hub.kept);
  gtk_window_destroy (GTK_WINDOW (preferences));
  close_window (window);
  reset_hub ();
}

/* A download of an earlier run is listed as paused; removing it deletes its bytes. */
static void
test_begun (void)
{
  PterisWindow *window;
  gpointer page;

  fake_hub.n_parts = 1;
  window = open_discover ();
  page = window->discover_page;
  wait_until (says (page, "Paused · 250.0\u00a0kB of 1.0\u00a0MB"));
  gtk_widget_activate (find_button (page, "Cancel and Delete"));
  wait_until (nth (page, PTERIS_TYPE_DOWNLOAD_ROW, 0) == NULL && fake_hub.discarded != NULL);
  g_assert_cmpstr (fake_hub.discarded, ==, "8da4w");
  close_window (window);
  reset_hub ();
}

int
main (int argc, char **argv)
{
  begin_window_tests (&argc, &argv);
  g_test_add_func ("/discover/catalogue", test_catalogue);
  g_test_add_func ("/discover/first-start", test_first_start);
  g_test_add_func ("/discover/damaged-catalogue", test_damaged_catalogue);
  g_test_add_func ("/discover/estimates", test_estimates);
  g_test_add_func ("/discover/search", test_search);
  g_test_add_func ("/discover/download", test_download);
  g_test_add_func ("/discover/tags", test_tags);
  g_test_add_func ("/discover/borrowed", test_borrowed);
  g_test_add_func ("/discover/problems", test_problems);
  g_test_add_func ("/discover/empty-token", test_empty_token);
  g_test_add_func ("/discover/token", test_token);
  g_test_add_func ("/discover/kept-token", test_kept_token);
  g_test_add_func ("/discover/passing-token", test_passing_token);
  g_test_add_func ("/discover/gated", test_gated);
  g_test_add_func ("/discover/forget", test_forget);
  g_test_add_func ("/discover/begun", test_begun);
  return end_window_tests ();
}
