/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A GPU fails, and the model goes on with its program for the CPU: when it is loaded, amid an
 * answer, amid a recording. The GPU is a fake one (tests/fakes) that can be lost at any time; its
 * logits are zeros, so that it always writes the token "!". This program is the host, too:
 * PTERIS_TEST_HOST makes it one that crashes behind a segment.
 */

#include <stdlib.h>
#include <string.h>

#include <gio/gio.h>
#include <gmodule.h>
#include <pteris/engine.h>
#include <vulkan/vulkan.h>

#include "engine/host/link.h"
#include "tests/fakes/fake-vulkan.h"
#include "tests/unit/remove-folder.h"

/* The program for Vulkan has room for 31 tokens. */
#define QUESTION "Hi?"
#define PROMPT "user" QUESTION "\nassistant"
#define N_TOKENS 12
#define SEGMENT_END 0.5

static FakeVulkanFail fail;
static FakeVulkanCalls count_calls;
static char *folder; /* of a chat model with programs for Vulkan and the CPU */

/* ---- a host that crashes ---- */

static void
send_event (PtLink *link, guint64 job, PtEvent event)
{
  event.job = job;
  pt_link_send (link, PT_FRAME_EVENT, 0, &pt_event_fields, &event, 0, NULL, NULL);
}

static void
answer (PtLink *link, guint64 number, const PtJob *job)
{
  static const PtLoadedModel LOADED = { "m", "m", "transcribe", .path = "m", .device = "Fake GPU" };

  if (job->kind == PT_JOB_LOAD) {
    send_event (link, number, (PtEvent){ .kind = PT_EVENT_LOADED, .loaded = &LOADED });
    send_event (link, number, (PtEvent){ .kind = PT_EVENT_DONE, .reason = PT_REASON_STOP });
    return;
  }
  g_assert_cmpint (job->kind, ==, PT_JOB_TRANSCRIBE);
  send_event (link, number,
              (PtEvent){ .kind = PT_EVENT_SEGMENT, .end = SEGMENT_END, .text = "first" });
  send_event (
      link, number,
      (PtEvent){ .kind = PT_EVENT_STATS,
                 .stats = { .audio_s = SEGMENT_END, .elapsed_s = 1000, .language = "en" } });
  if (g_str_equal (g_getenv ("PTERIS_TEST_HOST"), "text"))
    send_event (link, number, (PtEvent){ .kind = PT_EVENT_TEXT, .text = "sec" });
  exit (5);
}

static int
host_main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  PtLink *link = pt_link_adopt (argc, argv, &error);
  const PtHello hello = pt_hello_init ();
  g_autoptr (PtFrames) frames = NULL;
  guint8 bytes[4096];
  gssize n;

  g_assert_no_error (error);
  frames = pt_frames_new (pt_link_take_shared, link);
  pt_link_send (link, PT_FRAME_HELLO, 0, &pt_hello_fields, &hello, 0, NULL, NULL);
  while ((n = pt_link_read (link, bytes, sizeof bytes, NULL)) > 0) {
    PtFrame frame;

    pt_frames_put (frames, bytes, (gsize) n);
    while (pt_frames_next (frames, &frame, NULL)) {
      g_autoptr (PtHeap) heap = pt_heap_new ();
      guint64 number;
      PtJob job;

      if (frame.kind == PT_FRAME_JOB &&
          pt_frame_read (&frame, &number, &pt_job_fields, &job, heap, NULL))
        answer (link, number, &job);
      pt_frame_clear (&frame);
    }
  }
  return 0;
}

/* ---- models ---- */

static void
copy (const char *name, const char *to, const char *target)
{
  g_autofree char *source = g_test_build_filename (G_TEST_DIST, "data", name, NULL);
  g_autofree char *path = g_build_filename (to, target, NULL), *bytes = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (source, &bytes, &size, NULL));
  g_assert_true (g_file_set_contents (path, bytes, (gssize) size, NULL));
}

/* A character is a token, and the other tokens of the models are words that no text has. */
static void
write_tokenizer (void)
{
  g_autoptr (GString) json = g_string_new ("{\"version\": \"1.0\", \"added_tokens\": [], "
                                           "\"decoder\": {\"type\": \"ByteLevel\"}, "
                                           "\"model\": {\"type\": \"BPE\", \"merges\": [], "
                                           "\"vocab\": {\"\304\240\": 94, \"\304\212\": 95");
  g_autofree char *path = g_build_filename (folder, "tokenizer.json", NULL);
  g_autofree char *config = g_build_filename (folder, "tokenizer_config.json", NULL);
  static const char template[] =
      "{\"chat_template\": \"{% for m in messages %}{{ m.role }}{{ m.content }}\\n{% endfor %}"
      "{% if add_generation_prompt %}assistant{% endif %}\"}";

  for (char c = '!'; c <= '~'; c++)
    g_string_append_printf (json, c == '"' || c == '\\' ? ", \"\\%c\": %d" : ", \"%c\": %d", c,
                            c - '!');
  for (int id = 96; id < 640; id++)
    g_string_append_printf (json, ", \"w%d\": %d", id, id);
  g_string_append (json, "}}, \"pre_tokenizer\": {\"type\": \"ByteLevel\", "
                         "\"add_prefix_space\": false}}");
  g_assert_true (g_file_set_contents (path, json->str, -1, NULL));
  g_assert_true (g_file_set_contents (config, template, -1, NULL));
}

static void
make_chat_model (void)
{
  folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  copy ("vulkan/llama_8da4w/model.pte", folder, "model-vulkan.pte");
  copy ("chat/llama_sequential_xnnpack_8da4w/model.pte", folder, "model-xnnpack.pte");
  write_tokenizer ();
}

/* Whisper for the CPU, and the same bytes as if they were for Vulkan, which no GPU would take. */
static char *
make_speech_model (void)
{
  static const char from[] = "\16\0\0\0XnnpackBackend", to[] = "\15\0\0\0VulkanBackend";
  char *path = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *program = g_build_filename (path, "model-vulkan.pte", NULL), *bytes = NULL;
  gsize size;

  copy ("whisper-mini/model.pte", path, "model-xnnpack.pte");
  copy ("whisper-mini/model.pte", path, "model-vulkan.pte");
  copy ("whisper-mini/tokenizer.json", path, "tokenizer.json");
  g_assert_true (g_file_get_contents (program, &bytes, &size, NULL));
  for (gsize i = 0; i + sizeof from <= size; i++)
    if (memcmp (bytes + i, from, sizeof from - 1) == 0)
      memcpy (bytes + i, to, sizeof to);
  g_assert_true (g_file_set_contents (program, bytes, (gssize) size, NULL));
  return path;
}

/* ---- the engine ---- */

typedef struct {
  PtEngine *engine;
  gboolean ended;
  PtEventKind final;
  PtReason reason;
  PtError code;
  char *failure, *alternative, *device;
  guint n_fallbacks;
  PtError why; /* of the last of these */
  char *sentence;
  gboolean has_exit;
  GString *before, *after; /* texts, also of segments, before and after it */
  PtStats stats;
} Watch;

static void
set (char **text, const char *value)
{
  g_free (*text);
  *text = g_strdup (value);
}

static void
take_fallback (Watch *watch, const PtEvent *event)
{
  watch->n_fallbacks++;
  watch->why = event->code;
  watch->has_exit = event->host != NULL;
  set (&watch->sentence, event->text);
  g_assert_nonnull (strstr (event->alternative, "xnnpack"));
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Watch *watch = user_data;
  GString *text = watch->n_fallbacks > 0 ? watch->after : watch->before;

  switch (event->kind) {
  case PT_EVENT_FALLBACK: take_fallback (watch, event); return;
  case PT_EVENT_LOADED: set (&watch->device, event->loaded->device); return;
  case PT_EVENT_STATS: watch->stats = event->stats; return;
  case PT_EVENT_TEXT: g_string_append (text, event->text); return;
  case PT_EVENT_SEGMENT:
    g_string_append_printf (text, "%.2f-%.2f %s\n", event->start, event->end, event->text);
    return;
  case PT_EVENT_DONE:
  case PT_EVENT_FAILED:
  case PT_EVENT_STOPPED: break;
  default: return;
  }
  watch->ended = TRUE;
  watch->final = event->kind;
  watch->reason = event->reason;
  watch->code = event->code;
  set (&watch->failure, event->text);
  set (&watch->alternative, event->alternative);
  g_assert_null (event->host);
}

static void
set_up (Watch *watch, gconstpointer isolation)
{
  PtEngineOptions options = PT_ENGINE_OPTIONS_INIT;

  options.isolation = (PtIsolation) GPOINTER_TO_INT (isolation);
  watch->engine = pt_engine_new_with_options (&options, NULL, on_event, watch);
  watch->before = g_string_new (NULL);
  watch->after = g_string_new (NULL);
}

static void
tear_down (Watch *watch, gconstpointer unused)
{
  fail (NULL, 0, 0);
  pt_engine_free (watch->engine);
  g_string_free (watch->before, TRUE);
  g_string_free (watch->after, TRUE);
  g_free (watch->failure);
  g_free (watch->alternative);
  g_free (watch->device);
  g_free (watch->sentence);
}

static void
run (Watch *watch, const PtJob *job)
{
  watch->ended = FALSE;
  watch->n_fallbacks = 0;
  g_string_truncate (watch->before, 0);
  g_string_truncate (watch->after, 0);
  pt_engine_submit (watch->engine, job);
  while (!watch->ended)
    g_main_context_iteration (NULL, TRUE);
  if (watch->failure != NULL)
    g_test_message ("%s", watch->failure);
}

static PtJob
load_job (const char *path)
{
  PtJob job = PT_JOB_INIT (PT_JOB_LOAD);

  job.model.path = path;
  /* The program for Vulkan does not say what it is. */
  if (g_str_has_prefix (path, folder))
    job.model.family = "text-llm";
  return job;
}

/* Loads the model without trouble. */
static void
load (Watch *watch, const char *path)
{
  const PtJob job = load_job (path);

  run (watch, &job);
  g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
  g_assert_cmpuint (watch->n_fallbacks, ==, 0);
}

/* A question, and if @answer is not NULL, the answer to continue. */
static void
ask (Watch *watch, const char *answer, int n_tokens, const char *tools)
{
  const PtMessage messages[] = { { .role = "user", .text = QUESTION },
                                 { .role = "assistant", .text = answer } };
  PtJob job = PT_JOB_INIT (PT_JOB_CHAT);

  job.chat.messages = messages;
  job.chat.n_messages = answer != NULL ? 2 : 1;
  job.chat.max_new_tokens = n_tokens;
  job.chat.sampling.temperature = 0;
  job.chat.sampling.repetition_penalty = 1;
  job.chat.tools = tools;
  run (watch, &job);
}

static void
check_fallback (const Watch *watch, PtError why, const char *words)
{
  g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
  g_assert_cmpuint (watch->n_fallbacks, ==, 1);
  g_assert_cmpint (watch->why, ==, why);
  if (strstr (watch->sentence, words) == NULL)
    g_error ("“%s” is not in: %s", words, watch->sentence);
  g_assert_cmpstr (watch->device, ==, "CPU");
}

static void
check_failed (const Watch *watch, PtError code, const char *words)
{
  g_assert_cmpint (watch->final, ==, PT_EVENT_FAILED);
  g_assert_cmpint (watch->code, ==, code);
  if (strstr (watch->failure, words) == NULL)
    g_error ("“%s” is not in: %s", words, watch->failure);
}

/* What the program for the CPU writes behind @answer. */
static char *
continue_on_cpu (const char *answer, int n_tokens)
{
  Watch watch = { 0 };
  char *text;
  PtJob job = load_job (folder);

  job.model.backend = PT_BACKEND_CPU;
  set_up (&watch, GINT_TO_POINTER (PT_ISOLATION_NONE));
  run (&watch, &job);
  ask (&watch, answer, n_tokens, NULL);
  g_assert_cmpint (watch.final, ==, PT_EVENT_DONE);
  text = g_strdup (watch.before->str);
  tear_down (&watch, NULL);
  return text;
}

/* ---- loading ---- */

static void
check_load (Watch *watch, const char *function, int code, PtError why, const char *words)
{
  const PtJob job = load_job (folder);

  fail (function, 0, code);
  run (watch, &job);
  check_fallback (watch, why, words);
  fail (NULL, 0, 0);
  ask (watch, NULL, 4, NULL);
  g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
  g_assert_cmpuint (watch->n_fallbacks, ==, 0);
  g_assert_cmpstr (watch->before->str, !=, "!!!!");
}

static void
test_load (Watch *watch, gconstpointer unused)
{
  check_load (watch, "vkCreateDevice", VK_ERROR_DEVICE_LOST, PT_ERROR_GPU,
              "Fake GPU has given up its work");
  check_load (watch, "vkCreateDevice", VK_ERROR_UNKNOWN, PT_ERROR_GPU, "Vulkan error -13");
  check_load (watch, "vkAllocateMemory", VK_ERROR_OUT_OF_DEVICE_MEMORY, PT_ERROR_MEMORY,
              "not enough memory on the GPU (Fake GPU)");
  /* The next time, the GPU works. */
  load (watch, folder);
  g_assert_cmpstr (watch->device, ==, "Fake GPU");
}

/* Each in a process of its own: GPUs are listed once. */
static void
test_none (void)
{
  g_autofree char *program = NULL;
  Watch watch = { 0 };
  PtJob job;

  if (!g_test_subprocess ()) {
    g_setenv ("FAKE_VULKAN", "list=-3", TRUE);
    g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_passed ();
    g_unsetenv ("FAKE_VULKAN");
    return;
  }
  set_up (&watch, GINT_TO_POINTER (PT_ISOLATION_NATIVE));
  /* Who names the folder gets the program that runs here, without a word; so does the file. */
  load (&watch, folder);
  g_assert_cmpstr (watch.device, ==, "CPU");
  program = g_build_filename (folder, "model-vulkan.pte", NULL);
  job = load_job (program);
  run (&watch, &job);
  check_fallback (&watch, PT_ERROR_MISSING_BACKEND, "needs a GPU with Vulkan");
  tear_down (&watch, NULL);
}

/* Who asks for the GPU is told. */
static void
test_asked (Watch *watch, gconstpointer unused)
{
  PtJob job = load_job (folder);

  fail ("vkCreateDevice", 0, VK_ERROR_DEVICE_LOST);
  job.model.backend = PT_BACKEND_VULKAN;
  run (watch, &job);
  check_failed (watch, PT_ERROR_GPU, "Fake GPU");
  g_assert_true (g_str_has_suffix (watch->alternative, "model-xnnpack.pte"));
  job.model.backend = PT_BACKEND_AUTO;
  job.keep_device = TRUE;
  run (watch, &job);
  check_failed (watch, PT_ERROR_GPU, "Fake GPU");
  g_assert_cmpuint (watch->n_fallbacks, ==, 0);
  /* The same amid an answer. */
  fail (NULL, 0, 0);
  run (watch, &job);
  fail ("vkQueueSubmit", 0, VK_ERROR_DEVICE_LOST);
  ask (watch, NULL, 4, NULL);
  check_failed (watch, PT_ERROR_GPU, "Fake GPU");
}

/* There is nothing to go on with. */
static void
test_alone (Watch *watch, gconstpointer unused)
{
  g_autofree char *cpu = g_build_filename (folder, "model-xnnpack.pte", NULL);
  g_autofree char *away = g_build_filename (folder, "away", NULL);
  const PtJob job = load_job (folder);

  g_assert_cmpint (g_rename (cpu, away), ==, 0);
  fail ("vkCreateDevice", 0, VK_ERROR_DEVICE_LOST);
  run (watch, &job);
  check_failed (watch, PT_ERROR_GPU, "Fake GPU");
  g_assert_null (watch->alternative);
  g_assert_cmpint (g_rename (away, cpu), ==, 0);
}

/* Each program has a folder of its own. */
static void
test_folders (Watch *watch, gconstpointer unused)
{
  static const char *const FILES[][2] = {
    { "model-vulkan.pte", "whole/vulkan/model.pte" },
    { "model-xnnpack.pte", "whole/xnnpack/model.pte" },
    { "tokenizer.json", "whole/tokenizer.json" },
    { "tokenizer_config.json", "whole/tokenizer_config.json" },
  };
  g_autofree char *whole = g_build_filename (folder, "whole", NULL);
  const PtJob job = load_job (whole);

  for (guint i = 0; i < G_N_ELEMENTS (FILES); i++) {
    g_autofree char *from = g_build_filename (folder, FILES[i][0], NULL);
    g_autofree char *to = g_build_filename (folder, FILES[i][1], NULL), *bytes = NULL;
    g_autofree char *in = g_path_get_dirname (to);
    gsize size;

    g_assert_cmpint (g_mkdir_with_parents (in, 0700), ==, 0);
    g_assert_true (g_file_get_contents (from, &bytes, &size, NULL));
    g_assert_true (g_file_set_contents (to, bytes, (gssize) size, NULL));
  }
  fail ("vkCreateDevice", 0, VK_ERROR_DEVICE_LOST);
  run (watch, &job);
  check_fallback (watch, PT_ERROR_GPU, "Fake GPU");
  remove_folder (whole);
}

/* The program for the CPU is damaged: its tables are good, its weights are gone. */
static void
test_damaged (Watch *watch, gconstpointer unused)
{
  g_autofree char *cpu = g_build_filename (folder, "model-xnnpack.pte", NULL), *bytes = NULL;
  g_autofree char *away = g_build_filename (folder, "away", NULL);
  const PtJob job = load_job (folder);
  gsize size;

  load (watch, folder);
  fail ("vkQueueSubmit", 0, VK_ERROR_DEVICE_LOST);
  g_assert_true (g_file_get_contents (cpu, &bytes, &size, NULL));
  g_assert_cmpint (g_rename (cpu, away), ==, 0);
  g_assert_true (g_file_set_contents (cpu, bytes, (gssize) size / 2, NULL));
  ask (watch, NULL, 4, NULL);
  g_assert_cmpint (watch->final, ==, PT_EVENT_FAILED);
  g_assert_cmpint (g_rename (away, cpu), ==, 0);
  fail (NULL, 0, 0);
  run (watch, &job);
  g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
}

/* ---- answers ---- */

/* How often the GPU is given work for an answer. */
static guint
count_work (Watch *watch)
{
  guint n;

  load (watch, folder);
  fail ("vkQueueSubmit", G_MAXUINT, VK_SUCCESS);
  ask (watch, NULL, N_TOKENS, NULL);
  n = count_calls ();
  fail (NULL, 0, 0);
  g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
  g_assert_cmpstr (watch->before->str, ==, "!!!!!!!!!!!!");
  g_assert_cmpuint (n, >=, N_TOKENS);
  return n;
}

/* What the GPU wrote stays, and the CPU's program goes on behind it. */
static void
check_answer (Watch *watch)
{
  guint n = (guint) watch->before->len;
  g_autofree char *rest = NULL;

  g_assert_cmpuint (strspn (watch->before->str, "!"), ==, n);
  rest = continue_on_cpu (n > 0 ? watch->before->str : NULL, N_TOKENS - (int) n);
  g_assert_cmpstr (watch->after->str, ==, rest);
  g_assert_cmpint (watch->reason, ==, PT_REASON_LENGTH);
  g_assert_cmpuint (watch->stats.new_tokens, ==, N_TOKENS);
  g_assert_cmpuint (watch->stats.prompt_tokens, ==, strlen (PROMPT));
  /* The model stays on the CPU. */
  ask (watch, NULL, 4, NULL);
  g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
  g_assert_cmpuint (watch->n_fallbacks, ==, 0);
}

static void
test_answer (Watch *watch, gconstpointer unused)
{
  guint work = count_work (watch);

  for (guint nth = 0; nth < work; nth += MAX (work / 7, 1)) {
    load (watch, folder);
    fail ("vkQueueSubmit", nth, VK_ERROR_DEVICE_LOST);
    ask (watch, NULL, N_TOKENS, NULL);
    fail (NULL, 0, 0);
    check_fallback (watch, PT_ERROR_GPU, "given up its work");
    check_answer (watch);
  }
}

static void
test_timeout (Watch *watch, gconstpointer unused)
{
  guint work = count_work (watch);

  load (watch, folder);
  fail ("vkWaitForFences", work / 2, VK_TIMEOUT);
  ask (watch, NULL, N_TOKENS, NULL);
  fail (NULL, 0, 0);
  check_fallback (watch, PT_ERROR_GPU, "has not answered for 60 seconds");
  check_answer (watch);
}

/* An answer that was begun and may be a call cannot go on: the next one finds the model loaded. */
static void
test_tools (Watch *watch, gconstpointer unused)
{
  static const char tools[] =
      "[{\"type\": \"function\", \"function\": {\"name\": \"measure\", \"parameters\": {}}}]";
  guint work = count_work (watch);

  load (watch, folder);
  fail ("vkQueueSubmit", work - 2, VK_ERROR_DEVICE_LOST);
  ask (watch, NULL, N_TOKENS, tools);
  fail (NULL, 0, 0);
  g_assert_cmpuint (watch->n_fallbacks, ==, 1);
  check_failed (watch, PT_ERROR_GPU, "given up its work");
  g_assert_null (watch->alternative);
  g_assert_cmpuint (watch->before->len, >, 0);
  g_assert_cmpstr (watch->device, ==, "CPU");
  ask (watch, NULL, 4, tools);
  g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
  /* One that was not begun is done again. */
  load (watch, folder);
  fail ("vkQueueSubmit", 0, VK_ERROR_DEVICE_LOST);
  ask (watch, NULL, 4, tools);
  check_fallback (watch, PT_ERROR_GPU, "given up its work");
}

/* The GPU is lost in the model's process, which ends. */
static void
test_host (Watch *watch, gconstpointer unused)
{
  Watch here = { 0 };
  g_autofree char *words = NULL;

  set_up (&here, GINT_TO_POINTER (PT_ISOLATION_NONE));
  fail ("vkQueueSubmit", G_MAXUINT, VK_SUCCESS);
  load (&here, folder);
  ask (&here, NULL, N_TOKENS, NULL);
  words = g_strdup_printf ("lost=%u", count_calls () - 4);
  tear_down (&here, NULL);
  g_setenv ("FAKE_VULKAN", words, TRUE);
  load (watch, folder);
  g_assert_cmpstr (watch->device, ==, "Fake GPU");
  ask (watch, NULL, N_TOKENS, NULL);
  g_unsetenv ("FAKE_VULKAN");
  g_assert_cmpuint (watch->before->len, >, 0);
  check_fallback (watch, PT_ERROR_HOST, "given up its work");
  g_assert_true (watch->has_exit);
  check_answer (watch);
}

/* ---- a recording ---- */

static void
transcribe (Watch *watch, double start)
{
  g_autofree char *audio =
      g_test_build_filename (G_TEST_DIST, "data", "whisper-mini", "audio.wav", NULL);
  PtJob job = PT_JOB_INIT (PT_JOB_TRANSCRIBE);

  job.speech.audio = audio;
  job.speech.start = start;
  job.speech.language = start > 0 ? "en" : NULL;
  run (watch, &job);
}

static void
test_transcript (Watch *watch, gconstpointer unused)
{
  g_autofree char *path = make_speech_model (), *rest = NULL;

  g_setenv ("PTERIS_TEST_HOST", "segment", TRUE);
  load (watch, path);
  g_assert_cmpstr (watch->device, ==, "Fake GPU");
  transcribe (watch, 0);
  check_fallback (watch, PT_ERROR_HOST, "status 5");
  g_assert_cmpstr (watch->before->str, ==, "0.00-0.50 first\n");
  g_assert_cmpint (watch->reason, ==, PT_REASON_STOP);
  g_assert_cmpfloat (watch->stats.elapsed_s, >, 1000);
  rest = g_strdup (watch->after->str);
  transcribe (watch, SEGMENT_END);
  g_assert_cmpuint (watch->n_fallbacks, ==, 0);
  g_assert_cmpstr (watch->before->str, ==, rest);

  /* A segment that was begun cannot go on. */
  g_setenv ("PTERIS_TEST_HOST", "text", TRUE);
  load (watch, path);
  transcribe (watch, 0);
  g_assert_cmpuint (watch->n_fallbacks, ==, 1);
  check_failed (watch, PT_ERROR_GPU, "status 5");
  g_assert_cmpstr (watch->before->str, ==, "0.00-0.50 first\nsec");
  transcribe (watch, SEGMENT_END);
  g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
  g_assert_cmpstr (watch->before->str, ==, rest);
  g_unsetenv ("PTERIS_TEST_HOST");
  remove_folder (path);
}

/* ---- the command line ---- */

static void
pteris (const char *const *options, const char *lies, int status, const char *out, const char *err)
{
  g_autofree char *program = g_test_build_filename (G_TEST_BUILT, "..", "app", "pteris", NULL);
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE |
                                 G_SUBPROCESS_FLAGS_STDIN_PIPE);
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  g_autoptr (GSubprocess) process = NULL;
  g_autofree char *said = NULL, *complained = NULL;

  g_ptr_array_add (words, program);
  g_ptr_array_add (words, (gpointer) "chat");
  g_ptr_array_add (words, folder);
  for (guint i = 0; options[i] != NULL; i++)
    g_ptr_array_add (words, (gpointer) options[i]);
  g_ptr_array_add (words, NULL);
  g_subprocess_launcher_setenv (launcher, "FAKE_VULKAN", lies, TRUE);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) words->pdata, NULL);
  g_assert_nonnull (process);
  g_assert_true (g_subprocess_communicate_utf8 (process, "", NULL, &said, &complained, NULL));
  g_test_message ("%s%s", said, complained);
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, status);
  g_assert_nonnull (strstr (said, out));
  g_assert_nonnull (strstr (complained, err));
}

#define WORDS                                                                                      \
  "--prompt", QUESTION, "--temperature", "0", "--repetition-penalty", "1", "-n", "12", "--family", \
      "text-llm"

static void
test_command (void)
{
  g_autofree char *cpu = continue_on_cpu (NULL, N_TOKENS);
  static const char *const AUTO[] = { WORDS, NULL };
  static const char *const VULKAN[] = { WORDS, "--backend", "vulkan", NULL };
  static const char *const FIRST[] = { WORDS, "--device", "0", NULL };

  pteris (AUTO, "", 0, "!!!!!!!!!!!!", "");
  pteris (AUTO, "lost=0", 0, cpu, "The model continues on the CPU, with “");
  pteris (AUTO, "lost=0", 0, cpu, "given up its work");
  pteris (VULKAN, "lost=0", 1, "", "Use it, or --backend cpu.");
  pteris (FIRST, "lost=0", 1, "", "Use it, or --backend cpu.");
}

int
main (int argc, char **argv)
{
  GModule *module;
  int status;

  g_setenv ("PTERIS_VULKAN", FAKE_VULKAN_PATH, TRUE);
  g_unsetenv ("PTERIS_VULKAN_SOFTWARE");
  if (g_getenv ("PTERIS_TEST_HOST") != NULL && argc > 1 && g_str_equal (argv[1], PT_LINK_ARGUMENT))
    return host_main (argc, argv);
  status = pt_engine_host_main (argc, argv);
  if (status >= 0)
    return status;
  g_test_init (&argc, &argv, NULL);
  module = g_module_open (FAKE_VULKAN_PATH, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  g_assert_nonnull (module);
  g_assert_true (g_module_symbol (module, "fake_vulkan_fail", (gpointer *) &fail));
  g_assert_true (g_module_symbol (module, "fake_vulkan_calls", (gpointer *) &count_calls));
  make_chat_model ();
#define TEST(name, isolation, func) \
  g_test_add ("/vulkan/fallback/" name, Watch, GINT_TO_POINTER (isolation), set_up, func, tear_down)
  TEST ("load", PT_ISOLATION_NONE, test_load);
  TEST ("asked", PT_ISOLATION_NONE, test_asked);
  TEST ("alone", PT_ISOLATION_NONE, test_alone);
  TEST ("folders", PT_ISOLATION_NONE, test_folders);
  TEST ("damaged", PT_ISOLATION_NONE, test_damaged);
  TEST ("answer", PT_ISOLATION_NONE, test_answer);
  TEST ("timeout", PT_ISOLATION_NONE, test_timeout);
  TEST ("tools", PT_ISOLATION_NONE, test_tools);
  TEST ("host", PT_ISOLATION_NATIVE, test_host);
  TEST ("transcript", PT_ISOLATION_NATIVE, test_transcript);
  g_test_add_func ("/vulkan/fallback/none", test_none);
  g_test_add_func ("/vulkan/fallback/command", test_command);
  status = g_test_run ();
  remove_folder (folder);
  g_free (folder);
  return status;
}
