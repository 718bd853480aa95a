/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The window in a state worth looking at, over the scripted engine: `ui-scenes SCENE [dark]
 * [large] [rtl]`: with text twice as large, from right to left. It stays open until it is killed;
 * screenshots.sh takes pictures of it.
 */

#include <locale.h>

#include "tests/ui/fake-engine.h"
#include "tests/ui/fake-machine.h"
#include "tests/ui/scenes-pictures.h"
#include "tests/ui/scenes-server.h"
#include "tests/ui/scenes-speech.h"
#include "ui/window/application.h"
#include "ui/chat/chat-settings.h"
#include "ui/chat/composer.h"
#include "ui/chat/thinking-view.h"
#include "ui/i18n.h"
#include "ui/engine/crash-guard.h"
#include "ui/run/run-panel.h"
#include "ui/window/preferences.h"
#include "ui/settings.h"
#include "ui/window/window-private.h"

static const char ANSWER[] =
    "Here is a small function in C that finds the **largest** of some numbers:\n\n"
    "```c\n"
    "int\n"
    "largest (const int *numbers, int n)\n"
    "{\n"
    "  int best = numbers[0];\n\n"
    "  for (int i = 1; i < n; i++)\n"
    "    if (numbers[i] > best)\n"
    "      best = numbers[i];\n"
    "  return best;\n"
    "}\n"
    "```\n\n"
    "A few notes:\n\n"
    "1. It expects `n` to be *at least* 1.\n"
    "2. It looks at every number **once**, so it takes time in proportion to `n`.\n"
    "3. With `n` of zero, decide first what you want:\n"
    "   - return a value that cannot occur, or\n"
    "   - report an error.\n";

static const char RICH[] =
    "## Ferns in numbers\n\n"
    "Ferns are *old*: the first grew **360 million years** ago, ~~before~~ after the "
    "[horsetails](https://en.wikipedia.org/wiki/Equisetum). See https://www.gbif.org for more.\n\n"
    "| Genus | Species | Height | Note |\n"
    "|:------|--------:|:------:|------|\n"
    "| *Pteris* | 250 | 1 m | brake ferns, common in the tropics |\n"
    "| *Dryopteris* | 400 | 1.2 m | `D. filix-mas` is the male fern |\n"
    "| *Cyathea* | 640 | 20 m | tree ferns |\n\n"
    "> A fern has no flowers and no seeds.\n>\n> > It never needed them.\n\n"
    "- [x] find a shady place\n- [ ] water it\n\n"
    "1. Loosen the soil.\n2. Put the plant in:\n   - not too deep,\n   - not too dry.\n\n"
    "```python\n"
    "# How many fronds after n years?\n"
    "def fronds(years: int, first=3) -> int:\n"
    "    return first * 2 ** min(years, 5)  # it stops\n\n"
    "print(f\"{fronds(4)} fronds\")\n"
    "```\n\n---\n\nThat is all.\n";

static PterisComposer *
find_composer (GtkWidget *root)
{
  if (PTERIS_IS_COMPOSER (root))
    return PTERIS_COMPOSER (root);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child)) {
    PterisComposer *found = find_composer (child);

    if (found != NULL)
      return found;
  }
  return NULL;
}

static GtkWidget *
find_run_panel (GtkWidget *root)
{
  if (PTERIS_IS_RUN_PANEL (root))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child)) {
    GtkWidget *found = find_run_panel (child);

    if (found != NULL)
      return found;
  }
  return NULL;
}

static void
say (PterisWindow *window, const char *text)
{
  g_signal_emit_by_name (find_composer (GTK_WIDGET (window->chat_page)), "send", text);
}

static void
transcribe (PterisWindow *window, const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  GSList list = { .data = file };

  pteris_window_open_files (window, &list);
}

/* Conversations of some days. */
static void
fill_history (PterisWindow *window)
{
  static const struct {
    const char *title;
    int days;
  } CHATS[] = {
    { "Haiku about ferns and rain", 0 },
    { "Why is the sky blue?", 0 },
    { "Translate a letter to the landlord into German", 1 },
    { "Recipe for rye bread without yeast", 4 },
    { "Names for a small grey cat", 60 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (CHATS); i++) {
    gint64 time = g_get_real_time () - CHATS[i].days * G_TIME_SPAN_DAY - i * G_TIME_SPAN_MINUTE;
    g_autoptr (PterisConversation) chat = pteris_conversation_new (time, CHATS[i].title, time);

    pteris_chat_history_take (window->history, chat);
  }
}

static void
show_chat (PterisWindow *window)
{
  fill_history (window);
  fake.answer = ANSWER;
  fake.hold = TRUE;
  say (window, "Write a C function that returns the largest of n numbers.");
}

static void
show_rich (PterisWindow *window)
{
  fake.answer = RICH;
  say (window, "Tell me about ferns, with everything that Markdown has.");
}

static void show_done (PterisWindow *window);

static GtkWidget *
find_child (GtkWidget *root, GType type)
{
  if (g_type_is_a (G_OBJECT_TYPE (root), type) && gtk_widget_get_visible (root))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child)) {
    GtkWidget *found = find_child (child, type);

    if (found != NULL)
      return found;
  }
  return NULL;
}

static gboolean
unfold_thought (gpointer user_data)
{
  PterisWindow *window = user_data;
  GtkWidget *view = find_child (GTK_WIDGET (window->chat_page), PTERIS_TYPE_THINKING_VIEW);

  if (view == NULL)
    return G_SOURCE_CONTINUE;
  gtk_expander_set_expanded (GTK_EXPANDER (find_child (view, GTK_TYPE_EXPANDER)), TRUE);
  return G_SOURCE_REMOVE;
}

static void
show_thinking (PterisWindow *window)
{
  fake.takes = PT_MODEL_IMAGES;
  fake.answer = "<think>\nThe user asks for a fern that grows indoors. *Nephrolepis* needs light, "
                "*Asplenium* needs less. I should name one and say why.\n</think>\n\nTake a "
                "**bird's-nest fern** (*Asplenium nidus*): it is content with little light and "
                "forgives a missed watering.";
  say (window, "Which fern can I keep in a dark bathroom?");
  g_timeout_add (300, unfold_thought, window);
}

static void
show_chat_settings (PterisWindow *window)
{
  show_done (window);
  pteris_chat_settings_button_open (PTERIS_CHAT_SETTINGS_BUTTON (
      find_child (GTK_WIDGET (window->chat_page), PTERIS_TYPE_CHAT_SETTINGS_BUTTON)));
}

static gboolean
ask_too_much (gpointer user_data)
{
  PterisWindow *window = user_data;
  g_autoptr (GFile) picture = g_file_new_for_path ("/pictures/fern.png");
  GSList list = { .data = picture };

  if (pteris_chat_session_is_busy (window->session))
    return G_SOURCE_CONTINUE;
  if (g_list_model_get_n_items (G_LIST_MODEL (window->session)) == 2) {
    fake.answer = "Rome.";
    say (window, "And of Italy?");
    return G_SOURCE_CONTINUE;
  }
  if (fake.answer_error == NULL) {
    pteris_chat_session_leave_out (window->session);
    fake.answer = "";
    fake.answer_error =
        "The conversation has 2,100 tokens; with an answer, the model's context holds 2,048. That "
        "is 53 too many: shorten it, or start a new chat.";
    say (window, "And now tell me everything about both, from the beginning.");
    return G_SOURCE_CONTINUE;
  }
  pteris_window_open_files (window, &list);
  return G_SOURCE_REMOVE;
}

static void
show_full (PterisWindow *window)
{
  fake.context_used = 1930;
  fake.answer = "The capital of France is **Paris**.";
  say (window, "What is the capital of France?");
  g_timeout_add (50, ask_too_much, window);
}

static void
show_done (PterisWindow *window)
{
  fake.answer = "The capital of France is **Paris**.";
  say (window, "What is the capital of France?");
}

static void
show_error (PterisWindow *window)
{
  fake.load_error =
      "“model.ptd” is not beside “model.pte”: the weights of this model lie in it. Put both "
      "files into one folder, or open the folder that has both.";
  fake.load_code = PT_ERROR_MISSING_FILE;
  say (window, "What is the capital of France?");
}

static void
show_consent (PterisWindow *window)
{
  fake.load_error = "“model.pte” contains native code: a library that runs with your permissions "
                    "and can do whatever you can. Run it only if you trust its source. The SHA-256 "
                    "of the file is "
                    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.";
  fake.load_code = PT_ERROR_UNTRUSTED;
  fake.alternative = "/models/smollm2/model.cpu.pte";
  gtk_widget_activate_action (GTK_WIDGET (window), "win.pick-model", "s",
                              "/models/smollm2-135m-instruct/model.pte");
}

static void
show_transcribe (PterisWindow *window)
{
  fake.n_segments = 40;
  fake.step_ms = 60;
  transcribe (window, "/recordings/Inaugural address.flac");
  transcribe (window, "/recordings/Interview with the gardener.mp3");
}

static void
show_empty_transcribe (PterisWindow *window)
{
  pteris_window_show_page (window, "transcribe");
}

static void
show_no_models (PterisWindow *window)
{
}

static void
show_models (PterisWindow *window)
{
  static const PtMachineStats STATS = { .valid = PT_MACHINE_MEMORY,
                                        .memory_total = 24000000000,
                                        .memory_available = 21500000000 };

  fake.stats = &STATS;
  pteris_window_show_page (window, "models");
}

static void
show_header (PterisWindow *window)
{
  gtk_widget_activate_action (GTK_WIDGET (window), "win.load-model", "^ay",
                              "/models/smollm2-135m-instruct/model.pte");
  gtk_menu_button_popup (
      GTK_MENU_BUTTON (gtk_widget_get_first_child (GTK_WIDGET (window->model_button))));
}

static void
show_loaded_model (PterisWindow *window)
{
  show_models (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.load-model", "^ay",
                              "/models/smollm2-135m-instruct/model.pte");
}

static void
show_inspect (PterisWindow *window)
{
  fake.report = "text-model";
  gtk_widget_activate_action (GTK_WIDGET (window), "win.inspect-model", "^ay",
                              "/models/smollm2-135m-instruct/model.pte");
}

static gboolean
run_again (gpointer user_data)
{
  PterisWindow *window = user_data;

  gtk_widget_activate_action (find_run_panel (GTK_WIDGET (window)), "run.start", NULL);
  return G_SOURCE_REMOVE;
}

static void
show_run (PterisWindow *window)
{
  gtk_window_set_default_size (GTK_WINDOW (window), 1080, 1500);
  fake.report = "classifier";
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run-model", "^ay",
                              "/models/mobilenet-v2/model.pte");
  g_timeout_add (800, run_again, window);
}

/* A program that ended while a model was in use. */
static void
show_crashed (PterisWindow *window)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "pteris", "in-use", NULL);

  show_models (window);
  g_file_set_contents (path, "/models/whisper-base/model.pte", -1, NULL);
  window->crashed = pteris_crash_guard_take ();
  pteris_library_rescan (window->library);
}

static void
show_shortcuts (PterisWindow *window)
{
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-help-overlay", NULL);
}

static void
show_welcome (PterisWindow *window)
{
}

static void
show_about (PterisWindow *window)
{
  g_action_group_activate_action (G_ACTION_GROUP (gtk_window_get_application (GTK_WINDOW (window))),
                                  "about", NULL);
}

static void
show_preferences (PterisWindow *window)
{
  fake.trusted = TRUE;
  pteris_settings_add_to_list (PTERIS_SETTING_FOLDERS, "/media/drive/models");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.preferences", NULL);
}

static void
show_preferences_page (PterisWindow *window, const char *page)
{
  GListModel *windows = gtk_window_get_toplevels ();

  show_preferences (window);
  for (guint i = 0; i < g_list_model_get_n_items (windows); i++) {
    g_autoptr (GtkWindow) toplevel = g_list_model_get_item (windows, i);

    if (PTERIS_IS_PREFERENCES (toplevel))
      pteris_preferences_show (PTERIS_PREFERENCES (toplevel), page);
  }
}

static void
show_preferences_models (PterisWindow *window)
{
  show_preferences_page (window, "models");
}

static void
show_preferences_safety (PterisWindow *window)
{
  show_preferences_page (window, "safety");
}

static void
show_drop (PterisWindow *window)
{
  gtk_label_set_text (window->drop_label, "Transcribe 3 recordings");
  gtk_widget_set_visible (window->drop_highlight, TRUE);
}

/* Ten minutes of work with the question of scene "done" at the end. */
static void
show_machine (PterisWindow *window, const FakeMachine *machine)
{
  enum { SECONDS = 540 };
  GArray *spans = pteris_activity_get_spans (window->activity);
  gint64 begin = g_get_monotonic_time () - SECONDS * G_TIME_SPAN_SECOND;
  PtMachineStats *stats = NULL;

  show_done (window);
  for (guint i = 0; i <= SECONDS; i++) {
    PterisSpan span = { i % 100 < 50 ? PT_JOB_CHAT : PT_JOB_TRANSCRIBE,
                        begin + i * G_TIME_SPAN_SECOND, begin + (i + 18) * G_TIME_SPAN_SECOND };

    pt_machine_stats_free (stats);
    stats = fake_machine_read (machine, i);
    /* No polling for a minute. */
    if (i < 200 || i > 260)
      pteris_machine_take (window->machine, stats, span.begin);
    if (i % 50 == 0)
      g_array_insert_val (spans, i / 50, span);
  }
  fake.stats = stats;
  pteris_window_show_page (window, "gpu");
}

static void
show_gpu (PterisWindow *window)
{
  show_machine (window, &(FakeMachine){ .n_gpus = 1 });
}

static GtkToggleButton *
find_last_toggle (GtkWidget *root)
{
  GtkToggleButton *found = GTK_IS_TOGGLE_BUTTON (root) ? GTK_TOGGLE_BUTTON (root) : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child)) {
    GtkToggleButton *inner = find_last_toggle (child);

    found = inner != NULL ? inner : found;
  }
  return found;
}

static void
show_ten_minutes (PterisWindow *window)
{
  show_gpu (window);
  gtk_toggle_button_set_active (find_last_toggle (GTK_WIDGET (window->gpu_page)), TRUE);
}

static void
show_two_gpus (PterisWindow *window)
{
  show_machine (window, &(FakeMachine){ .n_gpus = 2, .second_lost = TRUE });
}

static void
show_no_gpu (PterisWindow *window)
{
  show_machine (window, &(FakeMachine){ .n_gpus = 0 });
}

static const struct {
  const char *name;
  void (*show) (PterisWindow *window);
} SCENES[] = {
  { "empty", show_no_models },
  { "chat", show_chat },
  { "rich", show_rich },
  { "thinking", show_thinking },
  { "chat-settings", show_chat_settings },
  { "full", show_full },
  { "done", show_done },
  { "error", show_error },
  { "consent", show_consent },
  { "transcribe", show_transcribe },
  { "transcript", show_transcript },
  { "find", show_find },
  { "record", show_record },
  { "empty-transcribe", show_empty_transcribe },
  { "no-models", show_no_models },
  { "models", show_loaded_model },
  { "odd-models", show_models },
  { "crashed", show_crashed },
  { "model-menu", show_header },
  { "pictures", show_pictures },
  { "writing", show_writing },
  { "inspect", show_inspect },
  { "run", show_run },
  { "shortcuts", show_shortcuts },
  { "welcome", show_welcome },
  { "about", show_about },
  { "preferences", show_preferences },
  { "preferences-models", show_preferences_models },
  { "preferences-safety", show_preferences_safety },
  { "drop", show_drop },
  { "gpu", show_gpu },
  { "ten-minutes", show_ten_minutes },
  { "two-gpus", show_two_gpus },
  { "no-gpu", show_no_gpu },
  { "server", show_server },
};

typedef struct {
  PterisWindow *window;
  const char *scene;
} Scene;

static gboolean
begin (gpointer user_data)
{
  Scene *scene = user_data;

  if (!pteris_library_is_ready (scene->window->library))
    return G_SOURCE_CONTINUE;
  for (guint i = 0; i < G_N_ELEMENTS (SCENES); i++)
    if (g_str_equal (SCENES[i].name, scene->scene))
      SCENES[i].show (scene->window);
  return G_SOURCE_REMOVE;
}

static void
on_activate (GtkApplication *application, const char *name)
{
  static Scene scene;
  g_autoptr (GdkMonitor) monitor =
      g_list_model_get_item (gdk_display_get_monitors (gdk_display_get_default ()), 0);
  GdkRectangle screen;

  gdk_monitor_get_geometry (monitor, &screen);
  scene.scene = name;
  scene.window = pteris_window_new (application);
  gtk_window_set_default_size (GTK_WINDOW (scene.window), screen.width, screen.height);
  /* With a window manager: maximised, so that the corners are not rounded. */
  gtk_window_maximize (GTK_WINDOW (scene.window));
  gtk_window_present (GTK_WINDOW (scene.window));
  g_timeout_add (100, begin, &scene);
}

int
main (int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "empty";
  g_autofree char *home = g_dir_make_tmp ("pteris-scene-XXXXXX", NULL);
  g_autoptr (PterisApplication) application = NULL;

  g_setenv ("XDG_DATA_HOME", home, TRUE);
  fake_reset ();
  fake.step_ms = 15;
  fake.with_models = !g_str_equal (name, "no-models") && !g_str_equal (name, "welcome");
  fake.with_pictures = g_str_equal (name, "pictures") || g_str_equal (name, "writing");
  fake.with_odd_models = g_str_equal (name, "odd-models");
  setlocale (LC_ALL, "");
  pteris_i18n_init ();
  gtk_init ();
  if (g_str_equal (name, "server"))
    pteris_sharing_use (&scenes_server);
  application = pteris_application_new ();
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  pteris_settings_set_boolean (PTERIS_SETTING_WELCOMED, !g_str_equal (name, "welcome"));
  for (int i = 2; i < argc; i++) {
    if (g_str_equal (argv[i], "dark"))
      pteris_settings_set_enum (PTERIS_SETTING_THEME, 2);
    else if (g_str_equal (argv[i], "large"))
      pteris_settings_set_int (PTERIS_SETTING_TEXT_SIZE, 200);
    else if (g_str_equal (argv[i], "rtl"))
      gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  }
  g_signal_connect (application, "activate", G_CALLBACK (on_activate), (gpointer) name);
  return g_application_run (G_APPLICATION (application), 1, argv);
}
