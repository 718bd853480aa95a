/* SPDX-License-Identifier: BSD-3-Clause */

/* The Inspect page over the scripted engine. */

#include <math.h>

#include "tests/ui/fake-engine.h"
#include "tests/ui/window-test.h"
#include "ui/run/inspect-item.h"
#include "ui/run/inspect-row.h"
#include "ui/run/run-image.h"
#include "ui/run/run-input.h"
#include "ui/run/run-panel.h"
#include "ui/run/run-result.h"

#define SMOLLM "/models/smollm2-135m-instruct/model.pte"

static PterisWindow *
open_page (const char *action)
{
  PterisWindow *window = open_window ();
  g_autofree char *name = g_strconcat ("win.", action, NULL);

  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), name, "^ay", SMOLLM));
  return window;
}

/* The contents of a model of fake-inspect.c. */
static PterisWindow *
open_report (const char *name)
{
  PterisWindow *window;

  fake_reset ();
  fake.report = name;
  window = open_page ("inspect-model");
  wait_until (says (window->inspect_page, "Required Memory"));
  return window;
}

/* ---- items ---- */

static void
test_items (void)
{
  g_autoptr (GPtrArray) items = pteris_inspect_items_read (fake_find_report ("text-model"));
  g_autoptr (GPtrArray) found = NULL;
  g_autofree char *text = NULL;

  g_assert_nonnull (items);
  text = pteris_inspect_items_write (items);
  g_assert_nonnull (strstr (text, "None: this model can run on this computer."));
  g_assert_nonnull (strstr (text, "Input 0: int64 [1, ≤2047]"));
  g_assert_nonnull (strstr (text, "llama::update_cache.out: × 60"));
  g_assert_nonnull (strstr (text, "FullyConnected: × 211"));
  g_assert_nonnull (strstr (text, "get_vocab_size: 49152"));
  g_assert_nonnull (strstr (text, "Including KV cache and other state: 94.4"));
  found = pteris_inspect_items_search (items, "UPDATE_cache");
  g_assert_cmpuint (found->len, ==, 2);
  g_assert_cmpint (pteris_inspect_item_get_kind (found->pdata[0]), ==, PTERIS_INSPECT_SECTION);
  g_assert_cmpstr (pteris_inspect_item_get_name (found->pdata[1]), ==, "llama::update_cache.out");
  g_clear_pointer (&found, g_ptr_array_unref);
  found = pteris_inspect_items_search (items, "");
  g_assert_cmpuint (found->len, ==, items->len);
  g_clear_pointer (&found, g_ptr_array_unref);
  /* A match in a heading shows the whole section. */
  found = pteris_inspect_items_search (items, "constant methods");
  g_assert_cmpuint (found->len, >, 10);
}

/* The lines of a report with everything that the models of the other tests do not have. */
static void
test_all_items (void)
{
  static const char *const MISSING[] = { "the operator ns::none", NULL }, *const NONE[] = { NULL };
  static const char *const FUNCTIONS[] = { "aoti_torch_x", NULL };
  static const gint64 SHAPE[] = { 1, 7 };
  static const PtInspectValue INPUTS[] = {
    { .value = { .kind = PT_ARGUMENT_DOUBLE, .as_double = INFINITY } },
    { .value = { .kind = PT_ARGUMENT_STRING, .as_string = "a\nb" } },
    { .value = { .kind = PT_ARGUMENT_TENSOR, .dtype = "int8", .shape = SHAPE, .rank = 2 },
      .dynamic = TRUE,
      .device = "cuda" },
    { .value = { .kind = PT_ARGUMENT_TENSOR, .dtype = "bool" }, .device = "cpu" },
  };
  static const PtInspectCudaCode CODE = { "sm_90a", FALSE };
  static const PtInspectCudaLibrary LIBRARIES[] = {
    { .key = "so_blob",
      .found = TRUE,
      .bytes = 5000,
      .platform = "Windows",
      .cpu = "x86-64",
      .needed = NONE,
      .codes = &CODE,
      .n_codes = 1,
      .missing_functions = FUNCTIONS },
    { .key = "lost" },
  };
  static const PtInspectCuda CUDA = { .form = "two keys",
                                      .libraries = LIBRARIES,
                                      .n_libraries = G_N_ELEMENTS (LIBRARIES) };
  static const PtInspectPair PAIR = { "compiler", "1.2" };
  static const PtInspectContent CONTENTS[] = {
    { .kind = PT_INSPECT_CONTENT_CUDA, .cuda = &CUDA },
    { .kind = PT_INSPECT_CONTENT_PAIRS, .pairs = &PAIR, .n_pairs = 1 },
  };
  static const PtInspectDelegate DELEGATE = {
    .backend = "Other", .count = 2, .payload_bytes = 3000, .contents = CONTENTS, .n_contents = 2
  };
  static const PtInspectMethod METHOD = { .name = "forward",
                                          .inputs = INPUTS,
                                          .n_inputs = G_N_ELEMENTS (INPUTS),
                                          .delegates = &DELEGATE,
                                          .n_delegates = 1 };
  static const PtInspectExternal EXTERNAL = {
    .name = "weight",
    .value = { .kind = PT_ARGUMENT_TENSOR, .dtype = "int8", .shape = SHAPE, .rank = 2 },
    .bytes = 7,
    .why = "in no file"
  };
  static const PtInspectNamed NAMED = { "key", 2000 };
  static const PtInspectTests TESTS = { "forward", 3, 100 };
  static const PtModelFile FILES[] = {
    { (char *) "/models/qwen/xnnpack/a_8da4w.pte", (char *) "program", NULL },
    { (char *) "/models/qwen/README.md", (char *) "model card", NULL },
    { (char *) "/models/qwen/xnnpack/a_bf16.pte", NULL, (char *) "It is the variant “bf16”." },
  };
  static const PtInspectReport REPORT = { .path = "/m.pte",
                                          .missing = MISSING,
                                          .native = TRUE,
                                          .sha256 = "b179c9",
                                          .methods = &METHOD,
                                          .n_methods = 1,
                                          .n_external = 1,
                                          .external = &EXTERNAL,
                                          .n_external_listed = 1,
                                          .n_named = 1,
                                          .named = &NAMED,
                                          .n_named_listed = 1,
                                          .files = FILES,
                                          .n_files = G_N_ELEMENTS (FILES),
                                          .tests = &TESTS,
                                          .n_tests = 1 };
  static const char *const LINES[] = {
    "the operator ns::none",
    "Native code: Yes; Pteris asks before running it",
    "SHA-256: b179c9",
    "Input 0: double",
    "Input 1: string \"a\\nb\"",
    "Input 2: int8 [1, ≤7] · cuda",
    "Input 3: bool []",
    "Library: Windows · x86-64 · sm_90a · 5.0\u00a0kB",
    "aoti_torch_x: function",
    "compiler: 1.2",
    "weight: int8 [1, 7] · 7 bytes · in no file",
    "key: 2.0\u00a0kB",
    "forward: 3",
    "xnnpack/a_8da4w.pte: Program",
    "README.md: Model card",
    "xnnpack/a_bf16.pte: Not used. It is the variant “bf16”.",
  };
  g_autoptr (GPtrArray) items = pteris_inspect_items_read (&REPORT);
  g_autofree char *text = pteris_inspect_items_write (items);

  for (gsize i = 0; i < G_N_ELEMENTS (LINES); i++)
    if (strstr (text, LINES[i]) == NULL)
      g_error ("“%s” is not in:\n%s", LINES[i], text);
}

/* The drop-down names a file that is not in the library, and says what to do before one is open. */
static void
test_prompt (void)
{
  PterisWindow *window;

  fake_reset ();
  fake.report = "text-model";
  window = open_window ();
  pteris_window_show_page (window, "inspect");
  wait_until (says (window->inspect_page, "Choose a Model"));
  g_assert_false (says (window->inspect_page, "(None)"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.inspect-model", "^ay", "/other/net.pte");
  wait_until (says (window->inspect_page, "net.pte"));
  wait_until (says (window->inspect_page, "Required Memory"));
  g_assert_false (says (window->inspect_page, "Choose a Model"));
  close_window (window);
}

static void
test_page (void)
{
  PterisWindow *window = open_report ("text-model");
  GtkEditable *search;

  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->pages), ==, "inspect");
  g_assert_cmpstr (pteris_inspect_page_get_path (window->inspect_page), ==, SMOLLM);
  /* The first one is in the drop-down. */
  search = GTK_EDITABLE (nth (window->inspect_page, GTK_TYPE_SEARCH_ENTRY, 1));
  gtk_editable_set_text (search, "get_vocab");
  wait_until (!says (window->inspect_page, "Required Memory"));
  wait_until (says (window->inspect_page, "get_vocab_size"));
  gtk_widget_activate_action (GTK_WIDGET (window->inspect_page), "inspect.copy-json", NULL);
  gtk_widget_activate_action (GTK_WIDGET (window->inspect_page), "inspect.copy-text", NULL);
  close_window (window);
}

/* ---- what folds, where it stands ---- */

static GtkListView *
get_view (PterisWindow *window)
{
  /* The drop-down has one, too. */
  for (guint i = 0;; i++) {
    GtkWidget *view = nth (window->inspect_page, GTK_TYPE_LIST_VIEW, i);

    if (gtk_widget_has_css_class (view, "inspect-items"))
      return GTK_LIST_VIEW (view);
  }
}

/* The row of the section @name; GTK_INVALID_LIST_POSITION: there is none. */
static guint
find_section (GtkListView *view, const char *name)
{
  GListModel *rows = G_LIST_MODEL (gtk_list_view_get_model (view));

  for (guint i = 0; rows != NULL && i < g_list_model_get_n_items (rows); i++) {
    g_autoptr (GtkTreeListRow) row = g_list_model_get_item (rows, i);
    g_autoptr (PterisInspectItem) item = gtk_tree_list_row_get_item (row);

    if (pteris_inspect_item_get_kind (item) == PTERIS_INSPECT_SECTION &&
        g_str_equal (pteris_inspect_item_get_name (item), name))
      return i;
  }
  return GTK_INVALID_LIST_POSITION;
}

static guint
count_rows (GtkListView *view)
{
  return g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (view)));
}

static void
test_sections_fold (void)
{
  PterisWindow *window = open_report ("text-model");
  GtkEditable *search;
  GtkListView *view;
  guint folded, before;

  view = get_view (window);
  search = GTK_EDITABLE (nth (window->inspect_page, GTK_TYPE_SEARCH_ENTRY, 1));
  folded = find_section (view, "External Tensors");
  before = count_rows (view);
  g_assert_cmpuint (folded, <, before);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (view), "list.activate-item", "u", folded));
  wait_until (count_rows (view) > before + PTERIS_INSPECT_FEW);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (view), "list.activate-item", "u", 0));
  before = count_rows (view);
  /* Matches of a search are expanded; afterwards collapsed rows are collapsed again. */
  gtk_editable_set_text (search, "get_vocab");
  wait_until (says (window->inspect_page, "get_vocab_size"));
  gtk_editable_set_text (search, "");
  wait_until (count_rows (view) == before);
  close_window (window);
}

static void
test_scrolled_back (void)
{
  PterisWindow *window = open_report ("text-model");
  GtkAdjustment *adjustment;

  adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (get_view (window)));
  wait_until (
      (gtk_adjustment_set_value (adjustment, 200), gtk_adjustment_get_value (adjustment) > 100));
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.inspect-model", "^ay",
                                             "/models/mobilenet-v2/model.pte"));
  wait_until (gtk_list_view_get_model (get_view (window)) != NULL &&
              gtk_adjustment_get_value (adjustment) < 1);
  wait_until (!gtk_widget_get_mapped (nth (window->inspect_page, GTK_TYPE_SPINNER, 0)));
  settle (50);
  g_assert_cmpfloat (gtk_adjustment_get_value (adjustment), <, 1);
  close_window (window);
}

static GtkToggleButton *
find_toggle (PterisWindow *window, const char *label)
{
  for (guint i = 0;; i++) {
    GtkWidget *button = nth (window->inspect_page, GTK_TYPE_TOGGLE_BUTTON, i);

    if (g_strcmp0 (gtk_button_get_label (GTK_BUTTON (button)), label) == 0)
      return GTK_TOGGLE_BUTTON (button);
  }
}

/* Without a model: no disabled buttons, and the focus is on the choice of a model. */
static void
test_empty (void)
{
  PterisWindow *window;
  GtkWidget *focus;

  fake_reset ();
  window = open_window ();
  pteris_window_show_page (window, "inspect");
  wait_until (says (window->inspect_page, "Open Model"));
  g_assert_false (says (window->inspect_page, "Contents"));
  focus = gtk_root_get_focus (GTK_ROOT (window));
  g_assert_nonnull (focus);
  g_assert_nonnull (gtk_widget_get_ancestor (focus, GTK_TYPE_DROP_DOWN));
  close_window (window);
}

/* There and back, and there again. */
static void
test_switch (void)
{
  PterisWindow *window = open_report ("classifier");
  GtkWidget *panel;

  panel = nth (window->inspect_page, PTERIS_TYPE_RUN_PANEL, 0);
  for (guint i = 0; i < 2; i++) {
    g_signal_emit_by_name (find_toggle (window, "Run"), "clicked");
    wait_until (gtk_widget_get_mapped (panel));
    g_assert_false (gtk_widget_get_mapped (GTK_WIDGET (get_view (window))));
    g_signal_emit_by_name (find_toggle (window, "Contents"), "clicked");
    wait_until (gtk_widget_get_mapped (GTK_WIDGET (get_view (window))));
    g_assert_false (gtk_widget_get_mapped (panel));
  }
  close_window (window);
}

/* A size is never squeezed by its name, and a long value is below its name. */
static void
test_item_row (void)
{
  static const char HASH[] = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";
  g_autoptr (PterisInspectItem) size =
      pteris_inspect_item_new (PTERIS_INSPECT_PLAIN, HASH, "49.2 kB");
  g_autoptr (PterisInspectItem) tensor = pteris_inspect_item_new (
      PTERIS_INSPECT_PLAIN, HASH, "float32 [49152, 576] · 113.2 MB · model.ptd");
  PterisInspectRow *row = g_object_ref_sink (pteris_inspect_row_new ());
  GtkLabel *name = GTK_LABEL (nth (row, GTK_TYPE_LABEL, 0));
  GtkLabel *value = GTK_LABEL (nth (row, GTK_TYPE_LABEL, 1));

  for (int width = 200; width <= 1000; width += 100) {
    graphene_rect_t bounds, other;
    int height;

    pteris_inspect_row_set_item (row, size);
    gtk_widget_measure (GTK_WIDGET (row), GTK_ORIENTATION_VERTICAL, width, &height, NULL, NULL,
                        NULL);
    gtk_widget_size_allocate (GTK_WIDGET (row), &(GtkAllocation){ 0, 0, width, height }, -1);
    g_assert_cmpint (pango_layout_get_line_count (gtk_label_get_layout (value)), ==, 1);
    pteris_inspect_row_set_item (row, tensor);
    gtk_widget_measure (GTK_WIDGET (row), GTK_ORIENTATION_VERTICAL, width, &height, NULL, NULL,
                        NULL);
    gtk_widget_size_allocate (GTK_WIDGET (row), &(GtkAllocation){ 0, 0, width, height }, -1);
    g_assert_true (gtk_widget_compute_bounds (GTK_WIDGET (name), GTK_WIDGET (row), &bounds));
    g_assert_true (gtk_widget_compute_bounds (GTK_WIDGET (value), GTK_WIDGET (row), &other));
    if (width < 600)
      g_assert_cmpfloat (other.origin.y, >=, bounds.origin.y + bounds.size.height);
    g_assert_cmpfloat (other.origin.x + other.size.width, <=, width);
    g_assert_cmpfloat (other.origin.y + other.size.height, <=, height);
  }
  g_object_unref (row);
}

static void
test_damaged (void)
{
  PterisWindow *window;

  fake_reset ();
  window = open_page ("inspect-model");
  wait_until (says (window->inspect_page, "is not an ExecuTorch program."));
  close_window (window);
}

/* Thousands of operators. */
static void
test_large (void)
{
  static PtInspectOperator operators[20000];
  PtInspectMethod method = { .name = "forward",
                             .operators = operators,
                             .n_operators = G_N_ELEMENTS (operators) };
  PtInspectReport report = *fake_find_report ("classifier");
  g_autoptr (GStringChunk) names = g_string_chunk_new (1 << 16);
  PterisWindow *window;
  gint64 begin;

  for (guint i = 0; i < G_N_ELEMENTS (operators); i++) {
    g_autofree char *name = g_strdup_printf ("ns::op_%u", i);

    operators[i] = (PtInspectOperator){ g_string_chunk_insert (names, name), 1, TRUE };
  }
  report.methods = &method;
  fake_reset ();
  fake.inspect = &report;
  window = open_page ("inspect-model");
  wait_until (says (window->inspect_page, "Missing Requirements"));
  begin = g_get_monotonic_time ();
  gtk_editable_set_text (GTK_EDITABLE (nth (window->inspect_page, GTK_TYPE_SEARCH_ENTRY, 1)),
                         "op_19999");
  wait_until (says (window->inspect_page, "ns::op_19999"));
  g_test_message ("searched 20000 operators in %.0f ms",
                  (double) (g_get_monotonic_time () - begin) / 1000);
  close_window (window);
}

/* ---- running ---- */

static PterisRunPanel *
get_panel (PterisWindow *window)
{
  return PTERIS_RUN_PANEL (nth (window->inspect_page, PTERIS_TYPE_RUN_PANEL, 0));
}

static GtkWidget *
find_button (gpointer root, const char *label)
{
  for (guint i = 0;; i++) {
    GtkWidget *button = nth (root, GTK_TYPE_BUTTON, i);

    if (g_strcmp0 (gtk_button_get_label (GTK_BUTTON (button)), label) == 0)
      return button;
  }
}

static double
scrolled (PterisRunPanel *panel)
{
  return gtk_adjustment_get_value (gtk_scrolled_window_get_vadjustment (
      GTK_SCROLLED_WINDOW (nth (panel, GTK_TYPE_SCROLLED_WINDOW, 0))));
}

static void
test_run (void)
{
  static const gint64 SHAPE[] = { 1, 2 };
  static const PtRunOutput OUTPUT = {
    .value = { .kind = PT_ARGUMENT_TENSOR, .dtype = "float32", .shape = SHAPE, .rank = 2 },
    .valid = PT_RUN_OUTPUT_NUMBERS,
    .deviation = 0.25,
    .values = { 1.5, 2 },
    .n_values = 2
  };
  static const PtRunReport two = { .outputs = &OUTPUT, .n_outputs = 1 };
  PterisWindow *window;
  PterisRunPanel *panel;
  PterisRunResult *result;
  GtkWidget *button;

  fake_reset ();
  fake.report = "classifier";
  fake.step_ms = 30;
  window = open_page ("run-model");
  wait_until (says (window->inspect_page, "Input 0: float32 [1,3,96,96]"));
  gtk_window_set_default_size (GTK_WINDOW (window), 1080, 500);
  panel = get_panel (window);
  result = PTERIS_RUN_RESULT (nth (panel, PTERIS_TYPE_RUN_RESULT, 0));
  button = find_button (panel, "_Run");
  gtk_widget_grab_focus (button);
  g_signal_emit_by_name (button, "clicked");
  g_assert_true (pteris_run_panel_is_running (panel));
  wait_until (!pteris_run_panel_is_running (panel));
  /* The result is below the page and is scrolled to. */
  wait_until (scrolled (panel) > 0);
  /* Enter runs it once more. */
  g_assert_true (gtk_root_get_focus (GTK_ROOT (window)) == button);
  settle (50);
  g_assert_true (says (panel, "Output 0: float32 [1, 20]"));
  g_assert_true (says (panel, "Class 9"));
  g_assert_true (says (panel, "By operator"));
  pteris_run_result_set_labels (result, "a\nb\nc\nd\ne\nf\ng\nh\ni\nfern\n");
  g_assert_true (says (panel, "fern (9)"));
  g_assert_true (says (panel, "-2.64301 …"));
  pteris_run_result_set_report (result, &two);
  wait_until (says (panel, "1.5, 2"));
  g_assert_false (says (panel, "2 …"));
  g_assert_true (says (panel, "std 0.25"));

  fake.hold = TRUE;
  pteris_run_panel_start (panel);
  wait_until (pteris_engines_count_jobs (window->engines) > 0);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.stop", NULL);
  wait_until (!pteris_run_panel_is_running (panel));

  fake.hold = FALSE;
  fake.answer_error = "“model.pte” holds native code.";
  fake.digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
  pteris_run_panel_start (panel);
  wait_until (says (panel, "holds native code."));
  g_assert_false (pteris_run_panel_is_running (panel));
  /* Consent to one file lets no other run. */
  fake.digest = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752";
  fake.answer_error = "“model.pte” is another file.";
  gtk_widget_activate_action (GTK_WIDGET (panel), "run.trust", NULL);
  wait_until (says (panel, "is another file."));
  gtk_widget_activate_action (GTK_WIDGET (panel), "run.trust", NULL);
  wait_until (!pteris_run_panel_is_running (panel));
  wait_until (says (panel, "Output 0"));
  close_window (window);
}

/* An output whose file cannot be written to its end leaves the old file as it was. */
static void
test_save (void)
{
  static const char OLD[] = "\x93NUMPY old";
  enum { SIZE = 1 << 20 };
  g_autofree char *from = g_build_filename (g_get_user_data_dir (), "out0.npy", NULL);
  g_autofree char *to = g_build_filename (g_get_user_data_dir (), "kept.npy", NULL);
  g_autofree char *sound = g_build_filename (g_get_user_data_dir (), "sound.wav", NULL);
  g_autofree char *big = g_malloc0 (SIZE), *text = NULL;
  gsize n;
  PterisWindow *window;
  PterisRunPanel *panel;

  memcpy (big, OLD, 6);
  g_assert_true (g_file_set_contents (from, big, SIZE, NULL));
  g_assert_true (g_file_set_contents (to, OLD, -1, NULL));
  g_assert_true (g_file_set_contents (sound, "RIFF", -1, NULL));
  fake_reset ();
  fake.report = "classifier";
  window = open_page ("run-model");
  wait_until (says (window->inspect_page, "Input 0: float32 [1,3,96,96]"));
  panel = get_panel (window);
  pteris_run_panel_save (panel, "/nowhere/out0.npy", to);
  wait_until (says (panel, "/nowhere/out0.npy"));
  pteris_run_panel_save (panel, from, sound);
  wait_until (says (panel, "“sound.wav” exists and is another kind of file"));
#ifndef G_OS_WIN32
  limit_files (SIZE / 2);
  pteris_run_panel_save (panel, from, to);
  wait_until (says (panel, "kept.npy"));
  limit_files (0);
#endif
  g_assert_true (g_file_get_contents (to, &text, &n, NULL));
  g_assert_cmpmem (text, n, OLD, strlen (OLD));
  g_clear_pointer (&text, g_free);
  g_assert_true (g_file_get_contents (sound, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "RIFF");
  pteris_run_panel_save (panel, from, to);
  n = 0;
  wait_until ((g_free (g_steal_pointer (&text)), g_file_get_contents (to, &text, &n, NULL)) &&
              n == SIZE);
  close_window (window);
}

static void
test_inputs (void)
{
  static const gint64 SHAPE[] = { 1, 127 };
  static const PtInspectValue SPEC = {
    .value = { .kind = PT_ARGUMENT_TENSOR, .dtype = "int64", .shape = SHAPE, .rank = 2 },
    .dynamic = TRUE
  };
  g_autoptr (PterisRunInput) input = g_object_ref_sink (pteris_run_input_new (0, &SPEC));
  g_autofree char *shape = NULL;
  g_autofree char *made = NULL;
  PterisImageJob *image;

  g_assert_true (pteris_run_input_check (input));
  pteris_run_input_set_shape (input, "1,128");
  g_assert_false (pteris_run_input_check (input));
  pteris_run_input_set_shape (input, "1");
  g_assert_false (pteris_run_input_check (input));
  pteris_run_input_set_shape (input, "1, x");
  g_assert_false (pteris_run_input_check (input));
  pteris_run_input_set_shape (input, " 1, 3");
  pteris_run_input_set_source (input, PTERIS_INPUT_NUMBERS);
  g_assert_false (pteris_run_input_check (input));
  pteris_run_input_set_numbers (input, "1,2,3");
  g_assert_true (pteris_run_input_check (input));
  pteris_run_input_set_numbers (input, "1; 2.5e3\t-3,");
  g_assert_true (pteris_run_input_check (input));
  pteris_run_input_set_numbers (input, "7");
  g_assert_true (pteris_run_input_check (input));
  /* Said beside them, before anything runs. */
  pteris_run_input_set_numbers (input, "1,2");
  g_assert_false (pteris_run_input_check (input));
  pteris_run_input_set_numbers (input, "1,2,x");
  g_assert_false (pteris_run_input_check (input));
  pteris_run_input_set_numbers (input, " , ");
  g_assert_false (pteris_run_input_check (input));
  pteris_run_input_set_numbers (input, "1,2,3");
  g_assert_true (pteris_run_input_check (input));
  made = pteris_run_input_make (input, "/tmp", &shape, &image);
  g_assert_cmpstr (made, ==, "values:1,2,3");
  g_assert_cmpstr (shape, ==, "1,3");
  g_assert_null (image);
  pteris_run_input_set_source (input, PTERIS_INPUT_FILE);
  g_assert_false (pteris_run_input_check (input));
  pteris_run_input_set_file (input, "/tmp/x.npy");
  g_assert_true (pteris_run_input_check (input));
}

/* ---- images ---- */

static float *
convert (const char *path, const gint64 *sizes, PterisImageFit fit, PterisImageRange range,
         gsize *n)
{
  PterisImageJob job = { .path = (char *) path, .rank = 4, .fit = fit, .range = range };
  g_autofree char *output = g_build_filename (g_get_user_data_dir (), "image.bin", NULL);
  g_autoptr (GError) error = NULL;
  char *bytes;

  memcpy (job.sizes, sizes, sizeof job.sizes);
  job.output = output;
  g_assert_true (pteris_image_write (&job, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (output, &bytes, n, NULL));
  *n /= sizeof (float);
  return (float *) (gpointer) bytes;
}

static void
test_images (void)
{
  static const gint64 FIRST[] = { 1, 3, 4, 4 }, LAST[] = { 1, 4, 4, 3 }, GREY[] = { 1, 1, 2, 2 };
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "red.png", NULL);
  g_autoptr (GdkPixbuf) red = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, 8, 4);
  gsize n;
  g_autofree float *first = NULL;
  g_autofree float *last = NULL;
  g_autofree float *grey = NULL;
  g_autofree float *padded = NULL;

  gdk_pixbuf_fill (red, 0xff0000ff);
  g_assert_true (gdk_pixbuf_save (red, path, "png", NULL, NULL));
  first = convert (path, FIRST, PTERIS_IMAGE_CROP, PTERIS_IMAGE_UNIT, &n);
  g_assert_cmpuint (n, ==, 48);
  g_assert_cmpfloat (first[0], ==, 1);
  g_assert_cmpfloat (first[15], ==, 1);
  g_assert_cmpfloat (first[16], ==, 0);
  last = convert (path, LAST, PTERIS_IMAGE_STRETCH, PTERIS_IMAGE_SIGNED, &n);
  g_assert_cmpfloat (last[0], ==, 1);
  g_assert_cmpfloat (last[1], ==, -1);
  grey = convert (path, GREY, PTERIS_IMAGE_CROP, PTERIS_IMAGE_BYTES, &n);
  g_assert_cmpuint (n, ==, 4);
  g_assert_cmpfloat_with_epsilon (grey[0], 0.299f * 255, 0.01);
  padded = convert (path, FIRST, PTERIS_IMAGE_PAD, PTERIS_IMAGE_IMAGENET, &n);
  g_assert_cmpfloat_with_epsilon (padded[0], -0.485f / 0.229f, 1e-5);
  g_assert_cmpfloat_with_epsilon (padded[4], (1 - 0.485f) / 0.229f, 1e-5);
}

static void
test_image_shapes (void)
{
  static const gint64 NCHW[] = { 1, 3, 224, 224 }, NHWC[] = { 1, 224, 224, 3 },
                      TOKENS[] = { 1, 7, 576, 8 }, HUGE_ONE[] = { 1, 3, 1 << 30, 1 << 30 };

  g_assert_true (pteris_image_fits ("float32", 4, NCHW));
  g_assert_true (pteris_image_fits ("uint8", 4, NHWC));
  g_assert_true (pteris_image_fits ("float32", 3, NCHW + 1));
  g_assert_false (pteris_image_fits ("int64", 4, NCHW));
  g_assert_false (pteris_image_fits ("float32", 4, TOKENS));
  g_assert_false (pteris_image_fits ("float32", 4, HUGE_ONE));
  g_assert_false (pteris_image_fits ("float32", 2, NCHW));
}

int
main (int argc, char **argv)
{
  begin_window_tests (&argc, &argv);
  g_test_add_func ("/inspect/items", test_items);
  g_test_add_func ("/inspect/all-items", test_all_items);
  g_test_add_func ("/inspect/prompt", test_prompt);
  g_test_add_func ("/inspect/page", test_page);
  g_test_add_func ("/inspect/sections-fold", test_sections_fold);
  g_test_add_func ("/inspect/scrolled-back", test_scrolled_back);
  g_test_add_func ("/inspect/empty", test_empty);
  g_test_add_func ("/inspect/switch", test_switch);
  g_test_add_func ("/inspect/inspect-row", test_item_row);
  g_test_add_func ("/inspect/damaged", test_damaged);
  g_test_add_func ("/inspect/large", test_large);
  g_test_add_func ("/inspect/run", test_run);
  g_test_add_func ("/inspect/save", test_save);
  g_test_add_func ("/inspect/inputs", test_inputs);
  g_test_add_func ("/inspect/images", test_images);
  g_test_add_func ("/inspect/image-shapes", test_image_shapes);
  return end_window_tests ();
}
