/* SPDX-License-Identifier: BSD-3-Clause */

/* The engine thread: which events come, in which order, and that it can be stopped at any time. */

#include <string.h>
#include <pteris/engine.h>
#ifdef __linux__
#include <sys/inotify.h>
#include <unistd.h>
#endif

#include "tests/unit/tasks/fixtures.h"

typedef struct {
  PtEngine *engine;
  GString *log;   /* a letter for each event, see letter_of() */
  guint64 finals; /* jobs that have ended */
  guint64 last_final;
  GString *text;
  PtInspectReport *inspect; /* of the first inspection */
  PtBenchReport *bench;     /* the last one */
  char *loaded;             /* its name */
  guint context;            /* of the loaded model */
  PtReason reason;          /* of the last end */
  char *failure;
  PtError code;
  guint64 cancel_at_progress; /* a job to cancel when it shows progress */
  gboolean free_at_event;
} Watch;

static char
letter_of (PtEventKind kind)
{
  static const char letters[] = "PLTGSRDFX";

  return letters[kind];
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Watch *watch = user_data;

  g_assert_cmpuint (event->job, !=, watch->last_final);
  if (event->kind != PT_EVENT_PROGRESS && event->kind != PT_EVENT_STATS &&
      event->kind != PT_EVENT_TEXT)
    g_string_append_c (watch->log, letter_of (event->kind));
  switch (event->kind) {
  case PT_EVENT_TEXT: g_string_append (watch->text, event->text); break;
  case PT_EVENT_LOADED:
    g_free (watch->loaded);
    watch->loaded = g_strdup (event->loaded->name);
    watch->context = event->loaded->context_size;
    g_assert_cmpstr (event->loaded->device, ==, "CPU");
    g_assert_cmpuint (event->loaded->bytes, >, 0);
    break;
  case PT_EVENT_REPORT:
    if (event->inspect != NULL && watch->inspect == NULL)
      watch->inspect = pt_inspect_report_ref (event->inspect);
    if (event->bench != NULL)
      watch->bench = pt_bench_report_ref (event->bench);
    break;
  case PT_EVENT_PROGRESS:
    if (watch->cancel_at_progress == event->job)
      pt_engine_cancel (watch->engine, event->job);
    break;
  case PT_EVENT_FAILED:
    watch->code = event->code;
    g_free (watch->failure);
    watch->failure = g_strdup (event->text);
    break;
  default: break;
  }
  if (event->kind >= PT_EVENT_DONE) {
    watch->finals++;
    watch->last_final = event->job;
    watch->reason = event->reason;
  }
  if (watch->free_at_event)
    g_clear_pointer (&watch->engine, pt_engine_free);
}

static void
set_up (Watch *watch, gconstpointer data)
{
  watch->log = g_string_new (NULL);
  watch->text = g_string_new (NULL);
  watch->engine = pt_engine_new (NULL, on_event, watch);
}

static void
tear_down (Watch *watch, gconstpointer data)
{
  g_clear_pointer (&watch->engine, pt_engine_free);
  g_string_free (watch->log, TRUE);
  g_string_free (watch->text, TRUE);
  pt_inspect_report_unref (watch->inspect);
  pt_bench_report_unref (watch->bench);
  g_free (watch->loaded);
  g_free (watch->failure);
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

static void
wait_for (Watch *watch, guint64 finals)
{
  while (watch->finals < finals)
    g_main_context_iteration (NULL, TRUE);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (watch->finals, ==, finals);
}

static char *
chat_model (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "chat", name, "model.pte", NULL);
}

static guint64
submit_model (Watch *watch, PtJobKind kind, const char *model, guint repeat)
{
  PtJob job = PT_JOB_INIT (kind);

  job.model.path = model;
  job.run.repeat = repeat;
  return pt_engine_submit (watch->engine, &job);
}

static guint64
submit_chat (Watch *watch, int max_new_tokens)
{
  const PtMessage message = { "user", "Hello" };
  PtJob job = PT_JOB_INIT (PT_JOB_CHAT);

  job.chat.messages = &message;
  job.chat.n_messages = 1;
  job.chat.max_new_tokens = max_new_tokens;
  job.chat.sampling.temperature = 0;
  return pt_engine_submit (watch->engine, &job);
}

static void
test_conversation (Watch *watch, gconstpointer data)
{
  g_autofree char *model = chat_model ("qwen3_xnnpack_8da4w");
  g_autofree char *said = NULL;

  submit_chat (watch, 4);
  wait_for (watch, 1);
  g_assert_cmpstr (watch->log->str, ==, "F");
  g_assert_cmpint (watch->code, ==, PT_ERROR_STATE);
  g_assert_cmpint (watch->reason, ==, PT_REASON_NONE);

  submit_model (watch, PT_JOB_LOAD, model, 1);
  submit_chat (watch, 4);
  submit_chat (watch, 4);
  submit_model (watch, PT_JOB_UNLOAD, NULL, 1);
  submit_chat (watch, 4);
  wait_for (watch, 6);
  g_assert_cmpstr (watch->log->str, ==, "FLDDDDF");
  g_assert_cmpstr (watch->loaded, ==, "qwen3_xnnpack_8da4w");
  g_assert_cmpuint (watch->context, ==, 128);
  /* The same answer twice. */
  said = g_strndup (watch->text->str, watch->text->len / 2);
  g_assert_cmpuint (watch->text->len, >, 0);
  g_assert_cmpuint (watch->text->len, ==, 2 * strlen (said));
  g_assert_true (g_str_has_suffix (watch->text->str, said));
}

static void
test_failures (Watch *watch, gconstpointer data)
{
  g_autofree char *program =
      g_test_build_filename (G_TEST_DIST, "data", "tiny", "add_f32", "model.pte", NULL);
  PtJob job = PT_JOB_INIT (PT_JOB_TRANSCRIBE);

  submit_model (watch, PT_JOB_LOAD, "/nowhere/model.pte", 1);
  wait_for (watch, 1);
  g_assert_cmpint (watch->code, ==, PT_ERROR_NOT_FOUND);
  submit_model (watch, PT_JOB_LOAD, NULL, 1);
  wait_for (watch, 2);
  g_assert_cmpint (watch->code, ==, PT_ERROR_ARGUMENT);
  submit_model (watch, PT_JOB_LOAD, program, 1);
  submit_chat (watch, 1);
  wait_for (watch, 4);
  g_assert_cmpint (watch->code, ==, PT_ERROR_UNSUPPORTED);
  job.speech.audio = "/nowhere.wav";
  pt_engine_submit (watch->engine, &job);
  wait_for (watch, 5);
  g_assert_cmpint (watch->code, ==, PT_ERROR_UNSUPPORTED);
  submit_model (watch, PT_JOB_BENCH, program, 2);
  wait_for (watch, 6);
  g_assert_cmpint (watch->code, ==, PT_ERROR_UNSUPPORTED);
  g_assert_cmpstr (watch->log->str, ==, "FFLDFFF");
}

/* A folder was named: each file has a role, or a reason why it is left. */
static void
check_files (const PtInspectReport *report)
{
  g_autofree char *json = pt_inspect_report_to_json (report);
  guint programs = 0;

  g_assert_cmpuint (report->n_files, >=, 2);
  for (guint i = 0; i < report->n_files; i++) {
    const PtModelFile *file = &report->files[i];

    g_assert_true ((file->role == NULL) != (file->reason == NULL));
    if (g_strcmp0 (file->role, "program") == 0 && g_str_equal (file->path, report->path))
      programs++;
  }
  g_assert_cmpuint (programs, ==, 1);
  g_assert_nonnull (strstr (json, "\"role\": \"tokenizer\""));
}

static void
test_reports (Watch *watch, gconstpointer data)
{
  g_autofree char *model = chat_model ("qwen3_xnnpack_8da4w");
  g_autofree char *folder = g_path_get_dirname (model);
  g_autofree char *json = NULL;

  submit_model (watch, PT_JOB_INSPECT, folder, 1);
  wait_for (watch, 1);
  submit_model (watch, PT_JOB_BENCH, model, 2);
  wait_for (watch, 2);
  g_assert_cmpstr (watch->log->str, ==, "RDRD");
  /* A reference outlives its event and the engine. */
  g_clear_pointer (&watch->engine, pt_engine_free);
  g_assert_cmpstr (watch->inspect->methods[0].name, ==, "forward");
  g_assert_cmpstr (watch->inspect->family, ==, "text-llm");
  check_files (watch->inspect);
  g_assert_cmpint (watch->bench->kind, ==, PT_BENCH_CHAT);
  g_assert_cmpstr (watch->bench->model, ==, "qwen3_xnnpack_8da4w");
  g_assert_null (watch->bench->device);
  g_assert_cmpuint (watch->bench->runs, ==, 5);
  g_assert_cmpuint (watch->bench->n_tokens, ==, PT_BENCH_MAX_TOKENS);
  g_assert_cmpfloat (watch->bench->decode_tokens_per_s, >, 0);
  json = pt_bench_report_to_json (watch->bench);
  g_assert_true (g_str_has_prefix (json, "{\"model\":\"qwen3_xnnpack_8da4w\",\"task\":\"chat\""));
}

/** A long job is stopped; one that waits behind it never starts. */
static void
test_cancel (Watch *watch, gconstpointer data)
{
  g_autofree char *model = chat_model ("qwen3_xnnpack_8da4w");
  guint64 running = submit_model (watch, PT_JOB_BENCH, model, 1000);
  guint64 waiting = submit_model (watch, PT_JOB_INSPECT, model, 1);

  pt_engine_cancel (watch->engine, waiting);
  wait_for (watch, 1);
  g_assert_cmpuint (watch->last_final, ==, waiting);
  watch->cancel_at_progress = running;
  wait_for (watch, 2);
  g_assert_cmpuint (watch->last_final, ==, running);
  g_assert_cmpstr (watch->log->str, ==, "XX");
  g_assert_cmpint (watch->reason, ==, PT_REASON_STOPPED);

  /* Numbers that mean nothing any more do nothing. */
  pt_engine_cancel (watch->engine, running);
  pt_engine_cancel (watch->engine, 12345);
  submit_model (watch, PT_JOB_INSPECT, model, 1);
  wait_for (watch, 3);
  g_assert_cmpstr (watch->log->str, ==, "XXRD");
}

/** No event is delivered after the engine is freed, whatever it was doing. */
static void
test_free_busy (Watch *watch, gconstpointer data)
{
  g_autofree char *model = chat_model ("qwen3_xnnpack_8da4w");

  submit_model (watch, PT_JOB_BENCH, model, 1000);
  for (int i = 0; i < 10; i++)
    submit_model (watch, PT_JOB_INSPECT, model, 1);
  g_usleep (20000);
  g_clear_pointer (&watch->engine, pt_engine_free);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (watch->finals, ==, 0);
  g_assert_cmpstr (watch->log->str, ==, "");
}

static void
test_free_in_callback (Watch *watch, gconstpointer data)
{
  g_autofree char *model = chat_model ("qwen3_xnnpack_8da4w");

  watch->free_at_event = TRUE;
  for (int i = 0; i < 5; i++)
    submit_model (watch, PT_JOB_INSPECT, model, 1);
  while (watch->engine != NULL)
    g_main_context_iteration (NULL, TRUE);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (watch->log->len, ==, 1);
}

/** Names of reasons are in scripts and in the history: they stay. */
static void
test_reasons (Watch *watch, gconstpointer data)
{
  static const char *const NAMES[PT_N_REASONS] = { NULL,   "stop",      "length",  "context",
                                                   "loop", "no-speech", "stopped", "interrupted" };

  for (guint i = 0; i < PT_N_REASONS; i++) {
    g_assert_cmpstr (pt_reason_name ((PtReason) i), ==, NAMES[i]);
    g_assert_cmpint (pt_reason_find (NAMES[i]), ==, i);
  }
  g_assert_cmpint (pt_reason_find ("gremlins"), ==, PT_REASON_NONE);
  g_assert_null (pt_reason_name (PT_N_REASONS));
}

/* A PtJob as other versions of the header have it, with room for a later member. */
typedef union {
  PtJob job;
  char bytes[sizeof (PtJob) + 8];
} OtherJob;

static void
expect (Watch *watch, OtherJob *other, gsize size, PtError code)
{
  guint64 finals = watch->finals;

  other->job.size = size;
  watch->code = PT_N_ERRORS;
  pt_engine_submit (watch->engine, &other->job);
  wait_for (watch, finals + 1);
  g_assert_cmpint (watch->code, ==, code);
}

/** Programs that were compiled with another version's headers. */
static void
test_sizes (Watch *watch, gconstpointer data)
{
  g_autofree char *model = chat_model ("qwen3_xnnpack_8da4w");
  OtherJob other = { .job = PT_JOB_INIT (PT_JOB_INSPECT) };

  other.job.model.path = model;
  expect (watch, &other, sizeof (PtJob), PT_N_ERRORS);
  /* An earlier one: the member behind its end is not looked at. */
  other.job.speak.text = (const char *) 1;
  expect (watch, &other, G_STRUCT_OFFSET (PtJob, speak), PT_N_ERRORS);
  other.job.speak.text = NULL;
  /* A later one, whose member has its default, or not. */
  expect (watch, &other, sizeof other, PT_N_ERRORS);
  other.bytes[sizeof other - 1] = 1;
  expect (watch, &other, sizeof other, PT_ERROR_ARGUMENT);
  /* None. */
  expect (watch, &other, 0, PT_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (watch->failure, "PT_JOB_INIT"));
  expect (watch, &other, G_MAXSIZE, PT_ERROR_ARGUMENT);
}

#ifdef __linux__
static void
copy_file (const char *from, const char *folder)
{
  g_autofree char *name = g_path_get_basename (from), *copy = NULL, *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (from, &data, &size, NULL));
  copy = file_in (folder, name, data, size);
}

/* How often files called @name were opened since the last call. */
static guint
count_opens (int notify, const char *name)
{
  char bytes[4096] __attribute__ ((aligned (__alignof__(struct inotify_event))));
  guint count = 0;
  gssize n;

  while ((n = read (notify, bytes, sizeof bytes)) > 0)
    for (char *at = bytes; at < bytes + n;) {
      const struct inotify_event *event = (const struct inotify_event *) (gconstpointer) at;

      count += event->len > 0 && strcmp (event->name, name) == 0;
      at += sizeof *event + event->len;
    }
  return count;
}

/** A model's program is opened and verified once a load, also when the engine first looks whether
 * it needs a process of its own. */
static void
test_opened_once (Watch *watch, gconstpointer data)
{
  g_autofree char *from = chat_model ("qwen3_xnnpack_8da4w");
  g_autofree char *beside = g_path_get_dirname (from);
  g_autofree char *tokenizer = g_build_filename (beside, "tokenizer.json", NULL);
  g_autofree char *folder = g_dir_make_tmp ("pteris-once-XXXXXX", NULL);
  g_autofree char *model = g_build_filename (folder, "model.pte", NULL);
  int notify = inotify_init1 (IN_NONBLOCK);

  copy_file (from, folder);
  copy_file (tokenizer, folder);
  if (notify < 0 || inotify_add_watch (notify, folder, IN_OPEN) < 0) {
    g_test_skip ("inotify is not available");
  } else {
    for (guint i = 0; i < 2; i++) {
      pt_engine_set_isolation (watch->engine, i == 0 ? PT_ISOLATION_NONE : PT_ISOLATION_NATIVE);
      submit_model (watch, PT_JOB_LOAD, i == 0 ? model : folder, 1);
      wait_for (watch, i + 1);
      g_assert_cmpint (watch->reason, ==, PT_REASON_STOP);
      g_assert_cmpuint (count_opens (notify, "model.pte"), ==, 1);
    }
  }
  if (notify >= 0)
    close (notify);
  remove_folder (folder);
}
#endif

int
main (int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*func) (Watch *watch, gconstpointer data);
  } tests[] = {
    { "/engine/conversation", test_conversation },
    { "/engine/failures", test_failures },
    { "/engine/reports", test_reports },
    { "/engine/cancel", test_cancel },
    { "/engine/reasons", test_reasons },
    { "/engine/sizes", test_sizes },
#ifdef __linux__
    { "/engine/opened-once", test_opened_once },
#endif
    { "/engine/free-busy", test_free_busy },
    { "/engine/free-in-callback", test_free_in_callback },
  };

  g_setenv ("PTERIS_MODELS", "/nowhere", TRUE);
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Watch, NULL, set_up, tests[i].func, tear_down);
  return g_test_run ();
}
