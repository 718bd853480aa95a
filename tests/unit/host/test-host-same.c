/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A job of each kind in this process and in one of its own: the events are the same, byte for byte,
 * apart from times. This program is the host, too.
 */

#include <math.h>
#include <string.h>
#include <glib/gstdio.h>
#include <pteris/engine.h>

#include "engine/host/messages.h"
#include "tests/unit/under-wine.h"

typedef struct {
  GPtrArray *events; /* GBytes */
  GBytes *stats;     /* the last ones of a job */
  guint n_finals;
} Heard;

/* ---- without times ---- */

static void
clear_checks (PtRunReport *report)
{
  report->load_s = report->first_s = report->median_s = report->min_s = 0;
  for (guint i = 0; i < report->n_checks; i++)
    ((PtRunCheck *) &report->checks[i])->seconds = 0;
}

static void
clear_bench (PtBenchReport *report)
{
  report->load_s = report->first_token_s = report->prefill_tokens_per_s = 0;
  report->decode_tokens_per_s = report->encode_s = report->decode_s = report->elapsed_s = 0;
  report->real_time_factor = 0;
  report->peak_bytes = 0;
}

static void
clear_look (PtLookResult *result)
{
  result->load_s = 0;
  for (guint i = 0; i < result->n_pictures; i++)
    ((PtLookPicture *) &result->pictures[i])->elapsed_s = 0;
}

static void
clear_texts (PtEmbedReport *embedded, PtPrivacyReport *privacy)
{
  if (embedded != NULL)
    embedded->load_s = 0;
  for (guint i = 0; embedded != NULL && i < embedded->n_embeddings; i++)
    ((PtEmbedding *) &embedded->embeddings[i])->elapsed_s = 0;
  if (privacy != NULL)
    privacy->load_s = 0;
  for (guint i = 0; privacy != NULL && i < privacy->n_texts; i++)
    ((PtPrivacyText *) &privacy->texts[i])->elapsed_s = 0;
}

static void
clear_classification (PtClassification *found)
{
  found->load_s = 0;
  for (guint i = 0; i < found->n_pictures; i++)
    ((PtPicture *) &found->pictures[i])->elapsed_s = 0;
}

/* Reports are the test's own once it has them: nobody else looks. */
static void
clear_times (PtEvent *event)
{
  PtStats *stats = &event->stats;

  event->job = 0;
  stats->first_token_s = stats->prefill_s = stats->decode_s = stats->elapsed_s = 0;
  stats->resident_bytes = 0;
  if (event->loaded != NULL)
    ((PtLoadedModel *) event->loaded)->load_s = 0;
  if (event->run != NULL)
    clear_checks ((PtRunReport *) event->run);
  if (event->bench != NULL)
    clear_bench ((PtBenchReport *) event->bench);
  if (event->look != NULL)
    clear_look ((PtLookResult *) event->look);
  if (event->classification != NULL)
    clear_classification ((PtClassification *) event->classification);
  clear_texts ((PtEmbedReport *) event->embedded, (PtPrivacyReport *) event->privacy);
}

static GBytes *
event_bytes (const PtEvent *event)
{
  PtWriter writer = { 0 };

  pt_fields_write (&writer, &pt_event_fields, event);
  writer = (PtWriter){ .data = g_malloc (writer.used), .room = writer.used };
  pt_fields_write (&writer, &pt_event_fields, event);
  return g_bytes_new_take (writer.data, writer.used);
}

/* ---- jobs ---- */

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Heard *heard = user_data;
  PtEvent copy = *event;

  clear_times (&copy);
  /* How many there are of these two depends on the time. */
  if (event->kind == PT_EVENT_PROGRESS && event->step == PT_STEP_READING)
    return;
  if (event->kind == PT_EVENT_STATS) {
    g_clear_pointer (&heard->stats, g_bytes_unref);
    heard->stats = event_bytes (&copy);
    return;
  }
  if (event->kind == PT_EVENT_DONE || event->kind == PT_EVENT_FAILED ||
      event->kind == PT_EVENT_STOPPED) {
    if (heard->stats != NULL)
      g_ptr_array_add (heard->events, g_steal_pointer (&heard->stats));
    heard->n_finals++;
  }
  g_ptr_array_add (heard->events, event_bytes (&copy));
}

static void
hear (PtIsolation isolation, const PtJob *jobs, guint n, Heard *heard)
{
  PtEngineOptions options = PT_ENGINE_OPTIONS_INIT;
  PtEngine *engine;

  options.isolation = isolation;
  *heard = (Heard){ .events = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref) };
  engine = pt_engine_new_with_options (&options, NULL, on_event, heard);
  for (guint i = 0; i < n; i++)
    pt_engine_submit (engine, &jobs[i]);
  while (heard->n_finals < n)
    g_main_context_iteration (NULL, TRUE);
  pt_engine_free (engine);
}

static void
check_same (const PtJob *jobs, guint n, guint least)
{
  Heard here, there;

  hear (PT_ISOLATION_NONE, jobs, n, &here);
  hear (PT_ISOLATION_ALL, jobs, n, &there);
  g_assert_cmpuint (here.events->len, >=, least);
  g_assert_cmpuint (here.events->len, ==, there.events->len);
  for (guint i = 0; i < here.events->len; i++) {
    gsize a, b;
    gconstpointer x = g_bytes_get_data (here.events->pdata[i], &a);
    gconstpointer y = g_bytes_get_data (there.events->pdata[i], &b);

    g_assert_cmpmem (x, a, y, b);
  }
  g_ptr_array_unref (here.events);
  g_ptr_array_unref (there.events);
}

static char *
data_path (const char *folder, const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", folder, name, NULL);
}

static void
test_chat (void)
{
  g_autofree char *model = data_path ("chat", "qwen3_xnnpack_8da4w");
  const PtMessage message = { .role = "user", .text = "Hello" };
  PtJob jobs[] = { PT_JOB_INIT (PT_JOB_LOAD), PT_JOB_INIT (PT_JOB_CHAT), PT_JOB_INIT (PT_JOB_CHAT),
                   PT_JOB_INIT (PT_JOB_UNLOAD) };

  jobs[0].model.path = model;
  for (guint i = 1; i < 3; i++) {
    jobs[i].chat.messages = &message;
    jobs[i].chat.n_messages = 1;
    jobs[i].chat.max_new_tokens = 20;
    jobs[i].chat.seed = 5;
  }
  check_same (jobs, G_N_ELEMENTS (jobs), 20);
}

static void
test_failures (void)
{
  g_autofree char *model = data_path ("tiny", "add_f32");
  PtJob jobs[] = { PT_JOB_INIT (PT_JOB_CHAT), PT_JOB_INIT (PT_JOB_LOAD),
                   PT_JOB_INIT (PT_JOB_TRANSCRIBE), PT_JOB_INIT (PT_JOB_BENCH) };

  jobs[1].model.path = model;
  jobs[2].speech.audio = "/nowhere.wav";
  jobs[3].model.path = "/nowhere.pte";
  check_same (jobs, G_N_ELEMENTS (jobs), 5);
}

/* Three seconds of a falling tone. */
static char *
write_sound (const char *folder)
{
  char *path = g_build_filename (folder, "tone.wav", NULL);
  g_autofree float *samples = g_new (float, 48000);
  g_autoptr (GBytes) wav = NULL;
  gsize size;

  for (guint i = 0; i < 48000; i++)
    samples[i] = (float) (0.4 * sin (i * (0.3 - i * 2e-6)));
  wav = pt_speech_to_wav (samples, 48000, 16000, NULL);
  size = g_bytes_get_size (wav);
  g_assert_true (g_file_set_contents (path, g_bytes_get_data (wav, NULL), (gssize) size, NULL));
  return path;
}

static void
test_speech (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-host-XXXXXX", NULL);
  g_autofree char *model = data_path ("whisper-mini", "model.pte");
  g_autofree char *sound = write_sound (folder);
  PtJob jobs[] = { PT_JOB_INIT (PT_JOB_LOAD), PT_JOB_INIT (PT_JOB_TRANSCRIBE) };

  jobs[0].model.path = model;
  jobs[1].speech.audio = sound;
  jobs[1].speech.language = "en";
  jobs[1].speech.all_sound = TRUE;
  check_same (jobs, G_N_ELEMENTS (jobs), 4);
  g_unlink (sound);
  g_rmdir (folder);
}

/* GStreamer or Windows reads these, in a host from a file that it was given. */
static void
test_containers (void)
{
  g_autofree char *model = data_path ("whisper-mini", "model.pte");
  const char *const names[] = { "tone.m4a", "tone.webm" };

  if (under_wine ()) {
    g_test_skip ("Wine's decoders give other samples each time");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *sound = data_path ("audio", names[i]);
    PtJob jobs[] = { PT_JOB_INIT (PT_JOB_LOAD), PT_JOB_INIT (PT_JOB_TRANSCRIBE) };

    jobs[0].model.path = model;
    jobs[1].speech.audio = sound;
    jobs[1].speech.language = "en";
    jobs[1].speech.all_sound = TRUE;
    check_same (jobs, G_N_ELEMENTS (jobs), 2);
  }
}

static void
test_programs (void)
{
  g_autofree char *tiny = data_path ("tiny", "add_f32");
  g_autofree char *qwen = data_path ("chat", "qwen3_xnnpack_8da4w");
  PtJob jobs[] = { PT_JOB_INIT (PT_JOB_RUN), PT_JOB_INIT (PT_JOB_INSPECT),
                   PT_JOB_INIT (PT_JOB_INSPECT), PT_JOB_INIT (PT_JOB_RUN) };
  const char *inputs[] = { "zeros:", "zeros:", NULL };

  jobs[0].model.path = jobs[1].model.path = jobs[3].model.path = tiny;
  jobs[0].run.inputs = inputs;
  jobs[2].model.path = qwen;
  check_same (jobs, G_N_ELEMENTS (jobs), 8);
}

static void
test_texts (void)
{
  g_autofree char *bert = data_path ("embed", "bert-embedding");
  g_autofree char *colbert = data_path ("embed", "colbert");
  g_autofree char *filter = data_path ("embed", "privacy-filter");
  const char *texts[] = { "Ada wrote to Charles.", "a fern", "", NULL };
  PtJob jobs[] = { PT_JOB_INIT (PT_JOB_EMBED), PT_JOB_INIT (PT_JOB_EMBED),
                   PT_JOB_INIT (PT_JOB_PRIVACY) };

  jobs[0].model.path = bert;
  jobs[1].model.path = colbert;
  jobs[2].model.path = filter;
  jobs[0].embed.texts = jobs[1].embed.texts = jobs[2].privacy.texts = texts;
  check_same (jobs, G_N_ELEMENTS (jobs), 6);
}

/* Some results lie in shared memory. */
static void
test_pictures (void)
{
  static const char *const MODELS[] = { "detector",     "instances-yolo", "ocr",  "pose",
                                        "segmentation", "selfie",         "style" };
  g_autofree char *folder = data_path ("vision", "look");
  g_autofree char *picture = g_build_filename (folder, "picture.png", NULL);
  g_autofree char *classifier = data_path ("classifiers", "vit_xnnpack_q8");
  const char *images[] = { picture, "/nowhere.png", NULL };

  for (guint i = 0; i <= G_N_ELEMENTS (MODELS); i++) {
    gboolean classify = i == G_N_ELEMENTS (MODELS);
    g_autofree char *model =
        classify ? g_strdup (classifier) : g_build_filename (folder, MODELS[i], NULL);
    PtJob job = PT_JOB_INIT (classify ? PT_JOB_CLASSIFY : PT_JOB_LOOK);

    job.model.path = model;
    job.vision.images = images;
    check_same (&job, 1, 2);
  }
}

/* With a model that is loaded once. */
static void
test_kept_pictures (void)
{
  g_autofree char *folder = data_path ("vision", "look");
  g_autofree char *picture = g_build_filename (folder, "picture.png", NULL);
  g_autofree char *model = g_build_filename (folder, "detector", NULL);
  const char *images[] = { picture, "/nowhere.png", NULL };
  PtJob jobs[] = { PT_JOB_INIT (PT_JOB_LOOK), PT_JOB_INIT (PT_JOB_LOAD),
                   PT_JOB_INIT (PT_JOB_LOOK), PT_JOB_INIT (PT_JOB_LOOK),
                   PT_JOB_INIT (PT_JOB_CHAT), PT_JOB_INIT (PT_JOB_UNLOAD),
                   PT_JOB_INIT (PT_JOB_LOOK) };

  jobs[1].model.path = model;
  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    jobs[i].vision.images = images;
  check_same (jobs, G_N_ELEMENTS (jobs), 12);
}

static void
test_speaking (void)
{
  g_autofree char *model = data_path ("speak", NULL);
  PtJob job = PT_JOB_INIT (PT_JOB_SPEAK);

  job.model.path = model;
  job.speak.text = "həlˈO. wˈɜɹld.";
  job.speak.phonemes = TRUE;
  check_same (&job, 1, 2);
}

int
main (int argc, char **argv)
{
  int status = pt_engine_host_main (argc, argv);

  if (status >= 0)
    return status;
  g_setenv ("PTERIS_MODELS", "/nowhere", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/host/same/chat", test_chat);
  g_test_add_func ("/host/same/failures", test_failures);
  g_test_add_func ("/host/same/speech", test_speech);
  g_test_add_func ("/host/same/containers", test_containers);
  g_test_add_func ("/host/same/programs", test_programs);
  g_test_add_func ("/host/same/texts", test_texts);
  g_test_add_func ("/host/same/pictures", test_pictures);
  g_test_add_func ("/host/same/kept-pictures", test_kept_pictures);
  g_test_add_func ("/host/same/speaking", test_speaking);
  return g_test_run ();
}
