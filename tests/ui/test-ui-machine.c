/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-engine.h"
#include "tests/ui/fake-machine.h"
#include "tests/ui/window-test.h"
#include "ui/window/application.h"
#include "ui/chat/composer.h"
#include "ui/machine/device-card.h"
#include "ui/machine/usage-graph.h"

#define SECOND G_TIME_SPAN_SECOND

/* ---- helpers ---- */

static void
press (gpointer root, const char *text)
{
  GtkWidget *label = find_label (root, text);
  GtkWidget *button = gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON);

  g_signal_emit_by_name (button, "clicked");
}

static PterisDevice *
gpu_at (PterisMachine *machine, guint i)
{
  g_autoptr (PterisDevice) gpu = g_list_model_get_item (pteris_machine_get_gpus (machine), i);

  return gpu;
}

static guint
n_gpus (PterisMachine *machine)
{
  return g_list_model_get_n_items (pteris_machine_get_gpus (machine));
}

static void
take (PterisMachine *machine, const FakeMachine *fake_machine, guint second)
{
  g_autoptr (PtMachineStats) stats = fake_machine_read (fake_machine, second);

  pteris_machine_take (machine, stats, second * SECOND);
}

static double
last (PterisDevice *device, PterisQuantity quantity)
{
  return pteris_series_last (pteris_device_get_series (device, quantity));
}

/* ---- the figures ---- */

static void
test_series (void)
{
  PterisSeries *series = g_new0 (PterisSeries, 1);

  g_assert_false (pteris_is_known (pteris_series_last (series)));
  g_assert_false (pteris_is_known (pteris_series_peak (series, 0)));
  for (guint i = 0; i < PTERIS_SERIES_LENGTH + 50; i++)
    pteris_series_add (series, i * SECOND, i % 10 == 3 ? PTERIS_UNKNOWN : i);
  g_assert_cmpuint (series->n, ==, PTERIS_SERIES_LENGTH);
  g_assert_cmpint (pteris_series_get (series, 0)->time, ==, 50 * SECOND);
  g_assert_cmpfloat (pteris_series_last (series), ==, 649);
  g_assert_cmpfloat (pteris_series_peak (series, 0), ==, 649);
  pteris_series_add (series, 650 * SECOND, PTERIS_UNKNOWN);
  g_assert_false (pteris_is_known (pteris_series_last (series)));
  g_assert_cmpfloat (pteris_series_peak (series, 0), ==, 649);
  g_assert_false (pteris_is_known (pteris_series_peak (series, 650 * SECOND)));
  pteris_series_add (series, 10 * SECOND, 1);
  g_assert_cmpuint (series->n, ==, 1);
  g_free (series);
}

static void
test_two_gpus (void)
{
  g_autoptr (PterisMachine) machine = pteris_machine_new ();
  FakeMachine two = { .n_gpus = 2, .second_silent = TRUE };
  PterisDevice *second;

  take (machine, &two, 5);
  g_assert_cmpuint (n_gpus (machine), ==, 2);
  second = gpu_at (machine, 1);
  g_assert_cmpstr (pteris_device_get_name (second), ==, "NVIDIA H200");
  g_assert_cmpfloat (last (gpu_at (machine, 0), PTERIS_QUANTITY_MEMORY), ==, 41.2e9);
  g_assert_cmpfloat (pteris_device_get_facts (gpu_at (machine, 0))->power_limit, ==, 700);
  for (guint i = 0; i < PTERIS_N_QUANTITIES; i++)
    g_assert_false (pteris_is_known (last (second, i)));
  g_assert_false (pteris_is_known (pteris_device_get_facts (second)->power_limit));
  g_assert_cmpfloat (last (pteris_machine_get_processor (machine), PTERIS_QUANTITY_OWN_MEMORY), >,
                     3e8);
  g_assert_null (pteris_machine_get_gpu_reason (machine));
  g_assert_cmpstr (pteris_machine_get_driver (machine), ==, "580.65.06");
}

/* A lost GPU reports nothing, but keeps its name and its history. */
static void
test_lost_gpu (void)
{
  g_autoptr (PterisMachine) machine = pteris_machine_new ();
  g_autofree char *state = NULL;
  PterisDevice *second;
  gboolean serious;

  take (machine, &(FakeMachine){ .n_gpus = 2 }, 1);
  second = gpu_at (machine, 1);
  take (machine, &(FakeMachine){ .n_gpus = 2, .second_lost = TRUE }, 2);
  g_assert_true (gpu_at (machine, 1) == second);
  g_assert_cmpstr (pteris_device_get_name (second), ==, "NVIDIA H200");
  g_assert_false (pteris_is_known (last (second, PTERIS_QUANTITY_POWER)));
  g_assert_true (pteris_is_known (
      pteris_series_peak (pteris_device_get_series (second, PTERIS_QUANTITY_POWER), 0)));
  state = pteris_device_describe_state (second, &serious);
  g_assert_true (serious);
  g_assert_nonnull (strstr (state, "no longer responds"));
  take (machine, &(FakeMachine){ .n_gpus = 0 }, 3);
  g_assert_cmpuint (n_gpus (machine), ==, 0);
  g_assert_nonnull (pteris_machine_get_gpu_reason (machine));
}

static void
take_two (PterisMachine *machine, const char *first, const char *second, gint64 time)
{
  PtGpuStats gpus[] = { { .index = 0, .uuid = (char *) first },
                        { .index = 1, .uuid = (char *) second } };
  PtMachineStats stats = { .gpus = gpus, .n_gpus = 2 };

  pteris_machine_take (machine, &stats, time);
}

/* GPUs are told apart by what they are, not by their place. */
static void
test_other_order (void)
{
  g_autoptr (PterisMachine) machine = pteris_machine_new ();
  PterisDevice *a, *b;

  take_two (machine, "a", "b", 1);
  a = gpu_at (machine, 0);
  b = gpu_at (machine, 1);
  take_two (machine, "b", "a", 2);
  g_assert_true (gpu_at (machine, 0) == b);
  g_assert_true (gpu_at (machine, 1) == a);
  take_two (machine, "b", "b", 3);
  g_assert_cmpuint (n_gpus (machine), ==, 2);
  g_assert_true (gpu_at (machine, 0) == b);
  g_assert_true (gpu_at (machine, 1) != b);
}

/* Numbers without their bit are not known, whatever they are. */
static void
test_unknown (void)
{
  PtGpuStats gpu = { .memory_used = 5, .utilization = 5, .power = 5, .temperature = 5, .fan = 5 };
  PtMachineStats stats = {
    .cpu_percent = 5, .memory_total = 5, .resident_bytes = 5, .gpus = &gpu, .n_gpus = 1
  };
  g_autoptr (PterisMachine) machine = pteris_machine_new ();

  pteris_machine_take (machine, &stats, 1);
  for (guint i = 0; i < PTERIS_N_QUANTITIES; i++) {
    g_assert_false (pteris_is_known (last (pteris_machine_get_processor (machine), i)));
    g_assert_false (pteris_is_known (last (gpu_at (machine, 0), i)));
  }
  g_assert_false (pteris_is_known (pteris_device_get_facts (gpu_at (machine, 0))->fan));
  g_assert_false (pteris_is_known (pteris_machine_get_free_memory (machine)));
  g_assert_cmpstr (pteris_device_get_name (gpu_at (machine, 0)), ==, "NVIDIA GPU");
  g_assert_cmpuint (pteris_device_get_cores (pteris_machine_get_processor (machine)), ==, 0);
}

static void
assert_state (guint64 throttle, const char *sentence)
{
  g_autoptr (PterisMachine) machine = pteris_machine_new ();
  PtGpuStats gpu = { .valid = PT_GPU_THROTTLE, .throttle = throttle };
  PtMachineStats stats = { .gpus = &gpu, .n_gpus = 1 };
  g_autofree char *state = NULL;
  gboolean serious;

  pteris_machine_take (machine, &stats, 1);
  state = pteris_device_describe_state (gpu_at (machine, 0), &serious);
  g_assert_false (serious);
  g_assert_cmpstr (state, ==, sentence);
}

static void
test_throttling (void)
{
  assert_state (0, "");
  assert_state (PT_THROTTLE_POWER_CAP, "Slowed down: the power limit is reached.");
  /* An unknown bit of a newer driver is ignored. */
  assert_state (PT_THROTTLE_IDLE | PT_THROTTLE_THERMAL | 0x10000,
                "The clocks are low because the GPU is idle.\nSlowed down: the GPU is too hot.");
}

/* ---- asking ---- */

/* Without watchers there is no polling; the shortest interval is used. */
static void
test_watching (void)
{
  g_autoptr (PterisMachine) machine = pteris_machine_new ();
  int n;

  fake_reset ();
  g_assert_false (pteris_machine_is_polling (machine));
  pteris_machine_watch (machine, PTERIS_PACE_CALM);
  pteris_machine_watch (machine, PTERIS_PACE_SECOND);
  wait_until (g_atomic_int_get (&fake.n_reads) >= 2);
  pteris_machine_unwatch (machine, PTERIS_PACE_SECOND);
  g_assert_true (pteris_machine_is_polling (machine));
  pteris_machine_unwatch (machine, PTERIS_PACE_CALM);
  g_assert_false (pteris_machine_is_polling (machine));
  settle (200);
  n = g_atomic_int_get (&fake.n_reads);
  settle (1500);
  g_assert_cmpint (g_atomic_int_get (&fake.n_reads), ==, n);
  g_assert_cmpint (pteris_machine_get_time (machine), >, 0);
}

static void
test_hidden (void)
{
  PterisWindow *window;
  int n;

  fake_reset ();
  window = open_window ();
  g_assert_true (pteris_machine_is_polling (window->machine));
  pteris_window_show_page (window, "gpu");
  wait_until (gtk_widget_get_mapped (GTK_WIDGET (window->gpu_page)));
  n = g_atomic_int_get (&fake.n_reads);
  wait_until (g_atomic_int_get (&fake.n_reads) >= n + 2);
  gtk_widget_set_visible (GTK_WIDGET (window), FALSE);
  g_assert_false (pteris_machine_is_polling (window->machine));
  gtk_widget_set_visible (GTK_WIDGET (window), TRUE);
  wait_until (pteris_machine_is_polling (window->machine));
  close_window (window);
}

/* ---- the page ---- */

static void
test_no_gpu (void)
{
  PterisWindow *window;
  GtkWidget *graph;

  fake_reset ();
  window = open_window ();
  g_action_group_activate_action (G_ACTION_GROUP (window), "show-page",
                                  g_variant_new_string ("gpu"));
  wait_until (says (window->gpu_page, "There is no NVIDIA driver on this machine."));
  g_assert_true (says (window->gpu_page, "Models Run on the CPU"));
  g_assert_true (says (window->gpu_page, "AMD EPYC 9R45"));
  g_assert_true (says (window->gpu_page, "2 cores · kernels for avx512-vnni"));
  g_assert_true (says (window->gpu_page, "No model loaded"));
  graph = nth (window->gpu_page, PTERIS_TYPE_GRAPH, 0);
  g_assert_cmpstr (pteris_graph_get_description (PTERIS_GRAPH (graph)), ==,
                   "41 %, Pteris 32 % · peak 41 %, last 60 s");
  gtk_test_accessible_assert_property (nth (graph, PTERIS_TYPE_PLOT, 0),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, "CPU");
  g_assert_null (nth (window->gpu_page, PTERIS_TYPE_GRAPH, 2));
  press (window->gpu_page, "Check Again");
  wait_until (says (window->gpu_page, "No GPU found."));
  close_window (window);
}

static void
on_pasted (GObject *source, GAsyncResult *result, gpointer user_data)
{
  *(char **) user_data = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (source), result, NULL);
}

static void
test_diagnostics (void)
{
  PterisWindow *window;
  g_autofree char *text = NULL;

  fake_reset ();
  window = open_window ();
  pteris_window_show_page (window, "gpu");
  wait_until (says (window->gpu_page, "Copy Diagnostics"));
  press (window->gpu_page, "Copy Diagnostics");
  wait_until (says (window->gpu_page, "Copied."));
  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (GTK_WIDGET (window)), NULL, on_pasted,
                                 &text);
  wait_until (text != NULL);
  g_assert_true (g_str_has_prefix (text, "Pteris " PTERIS_VERSION "\nSystem: "));
  g_assert_nonnull (strstr (text, "CUDA_VISIBLE_DEVICES: not set"));
  close_window (window);
}

/* The machine has a GPU that CUDA does not give to this process. */
static void
test_unusable_gpu (void)
{
  g_autoptr (PtMachineStats) stats = fake_machine_read (&(FakeMachine){ .n_gpus = 1 }, 0);
  PterisWindow *window;

  fake_reset ();
  fake.stats = stats;
  fake.cuda_fails = TRUE;
  window = open_window ();
  pteris_window_show_page (window, "gpu");
  wait_until (says (window->gpu_page, "CUDA_VISIBLE_DEVICES is “-1”"));
  press (window->gpu_page, "Check Again");
  wait_until (says (window->gpu_page, "Restart Pteris"));
  close_window (window);
}

static void
test_gpus (void)
{
  g_autoptr (PtMachineStats) stats =
      fake_machine_read (&(FakeMachine){ .n_gpus = 2, .second_lost = TRUE }, 5);
  PterisWindow *window;
  GtkWidget *graph;

  fake_reset ();
  fake.stats = stats;
  window = open_window ();
  pteris_window_show_page (window, "gpu");
  wait_until (says (window->gpu_page, "NVIDIA H200"));
  settle (100);
  g_assert_false (says (window->gpu_page, "Models Run on the CPU"));
  g_assert_true (says (window->gpu_page, "Compute capability 9.0"));
  g_assert_true (says (window->gpu_page, "1980 MHz"));
  g_assert_true (says (window->gpu_page, "5 ×16"));
  g_assert_true (says (window->gpu_page, "no longer responds"));
  graph = nth (window->gpu_page, PTERIS_TYPE_GRAPH, 1);
  g_assert_cmpstr (pteris_graph_get_description (PTERIS_GRAPH (graph)), ==,
                   "41.2\u00a0GB, Pteris 36.4\u00a0GB · of 150.8\u00a0GB, last 60 s");
  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (nth (window->gpu_page, GTK_TYPE_TOGGLE_BUTTON, 1)), TRUE);
  g_assert_true (
      g_str_has_suffix (pteris_graph_get_description (PTERIS_GRAPH (graph)), "last 10 min"));
  close_window (window);
}

/* A chat adds statistics and a mark. */
static void
test_activity (void)
{
  PterisWindow *window;
  GArray *spans;
  PterisSpan *span;

  fake_reset ();
  window = open_window ();
  spans = pteris_activity_get_spans (window->activity);
  pteris_window_show_page (window, "gpu");
  g_signal_emit_by_name (nth (window, PTERIS_TYPE_COMPOSER, 0), "send", "And of Italy?");
  wait_until (spans->len == 1);
  wait_until (!pteris_chat_session_is_busy (window->session));
  span = &g_array_index (spans, PterisSpan, 0);
  g_assert_cmpint (span->kind, ==, PT_JOB_CHAT);
  g_assert_cmpint (span->end, >=, span->begin);
  wait_until (says (window->gpu_page, "162 tokens/s"));
  g_assert_true (says (window->gpu_page, "41 ms"));
  g_assert_true (says (window->gpu_page, "18 ms"));
  g_assert_true (says (window->gpu_page, "SmolLM2 135M Instruct"));
  g_assert_true (says (window->gpu_page, "Runs on CPU"));
  g_assert_true (says (window->gpu_page, "Idle"));
  close_window (window);
}

/* It fits a narrow window. */
static void
test_narrow (void)
{
  g_autoptr (PtMachineStats) stats = fake_machine_read (&(FakeMachine){ .n_gpus = 1 }, 5);
  PterisWindow *window;
  int minimum;

  fake_reset ();
  fake.stats = stats;
  window = open_window ();
  pteris_window_show_page (window, "gpu");
  wait_until (says (window->gpu_page, "NVIDIA H200"));
  gtk_widget_measure (GTK_WIDGET (window->gpu_page), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL,
                      NULL, NULL);
  g_assert_cmpint (minimum, <=, 360);
  close_window (window);
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
  application = GTK_APPLICATION (pteris_application_new ());
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, &error));
  g_assert_no_error (error);

  g_test_add_func ("/machine/series", test_series);
  g_test_add_func ("/machine/two-gpus", test_two_gpus);
  g_test_add_func ("/machine/lost-gpu", test_lost_gpu);
  g_test_add_func ("/machine/other-order", test_other_order);
  g_test_add_func ("/machine/unknown", test_unknown);
  g_test_add_func ("/machine/throttling", test_throttling);
  g_test_add_func ("/machine/watching", test_watching);
  g_test_add_func ("/machine/hidden", test_hidden);
  g_test_add_func ("/machine/no-gpu", test_no_gpu);
  g_test_add_func ("/machine/diagnostics", test_diagnostics);
  g_test_add_func ("/machine/unusable-gpu", test_unusable_gpu);
  g_test_add_func ("/machine/gpus", test_gpus);
  g_test_add_func ("/machine/activity", test_activity);
  g_test_add_func ("/machine/narrow", test_narrow);
  status = g_test_run ();
  g_object_unref (application);
  return status;
}
