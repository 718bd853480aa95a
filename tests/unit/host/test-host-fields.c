/* SPDX-License-Identifier: BSD-3-Clause */

/* The tables of structs: they leave out no member, and what was written is read again. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/host/frame.h"
#include "engine/job-copy.h"

/* ---- completeness ---- */

typedef struct {
  gsize from, to;
} Range;

static int
compare_ranges (gconstpointer a, gconstpointer b)
{
  const Range *x = a, *y = b;

  return x->from < y->from ? -1 : x->from > y->from;
}

static gsize
alignment_of (gsize offset, gsize size)
{
  return size >= 8 && offset % 8 == 0 ? 8 : offset % 4 == 0 ? 4 : 1;
}

static void check_struct (const PtStructInfo *info);

/* Between members there is only what aligns the next one. */
static void
check_struct (const PtStructInfo *info)
{
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (Range));
  gsize at = 0;

  for (guint i = 0; i < info->n_fields; i++) {
    const PtField *field = &info->fields[i];
    Range range = { field->offset, field->offset + field->size };

    g_array_append_val (ranges, range);
    if (field->count_size > 0) {
      range = (Range){ field->count, field->count + field->count_size };
      g_array_append_val (ranges, range);
    }
    if (field->of != NULL)
      check_struct (field->of);
  }
  g_array_sort (ranges, compare_ranges);
  for (guint i = 0; i < ranges->len; i++) {
    const Range *range = &g_array_index (ranges, Range, i);

    if (range->from < at || range->from - at >= alignment_of (range->from, range->to - range->from))
      g_error ("%s: a member at byte %" G_GSIZE_FORMAT " is missing or there twice", info->name,
               at);
    at = range->to;
  }
  if (info->size < at || info->size - at >= 8)
    g_error ("%s: the last members are missing", info->name);
}

static void
test_complete (void)
{
  check_struct (&pt_job_fields);
  check_struct (&pt_event_fields);
  check_struct (&pt_hello_fields);
}

/* ---- round trips ---- */

static GBytes *
write_struct (const PtStructInfo *info, gconstpointer self)
{
  PtWriter writer = { 0 };

  pt_fields_write (&writer, info, self);
  writer = (PtWriter){ .data = g_malloc (writer.used), .room = writer.used };
  pt_fields_write (&writer, info, self);
  g_assert_true (pt_writer_fits (&writer));
  return g_bytes_new_take (writer.data, writer.used);
}

static gboolean
read_struct (GBytes *bytes, const PtStructInfo *info, gpointer self, PtHeap *heap,
             const char **fault)
{
  PtReader reader = { .heap = heap, .repair = TRUE };

  reader.data = g_bytes_get_data (bytes, &reader.size);
  pt_fields_read (&reader, info, self);
  *fault = reader.fault;
  return reader.fault == NULL;
}

static const char *const DATA[] = { "a.ptd", "b.ptd", NULL };
static const char *const INPUTS[] = { "x.npy", "ones:2", "zeros:", NULL };
static const char *const SHAPES[] = { NULL, "1,2", NULL };
static const PtLogitBias BIAS[] = { { 3, -100 }, { 4, 0.5 } };
static const PtMessage MESSAGES[] = { { "user", "Wie groß?", DATA }, { "assistant", NULL, NULL } };

static PtJob
make_job (void)
{
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  job.model.path = "/m\xff.pte";
  job.model.data = DATA;
  job.model.backend = PT_BACKEND_CUDA;
  job.chat.messages = MESSAGES;
  job.chat.n_messages = G_N_ELEMENTS (MESSAGES);
  job.chat.seed = 0x123456789abcdef;
  job.chat.logit_bias = BIAS;
  job.chat.n_logit_bias = G_N_ELEMENTS (BIAS);
  job.chat.json_schema = "{}";
  job.chat.must_call = TRUE;
  job.chat.called = "look";
  job.run.inputs = INPUTS;
  job.run.shapes = SHAPES;
  job.run.bundled = 4; /* some bit of the caller's */
  job.speak.speed = 1.5;
  return job;
}

static void
check_job (const PtJob *job)
{
  g_assert_cmpint (job->kind, ==, PT_JOB_RUN);
  g_assert_cmpstr (job->model.path, ==, "/m\xff.pte");
  g_assert_cmpstr (job->model.data[1], ==, "b.ptd");
  g_assert_null (job->model.data[2]);
  g_assert_null (job->model.tokenizer);
  g_assert_cmpuint (job->chat.n_messages, ==, 2);
  g_assert_cmpstr (job->chat.messages[0].text, ==, "Wie groß?");
  g_assert_cmpstr (job->chat.messages[0].files[0], ==, "a.ptd");
  g_assert_null (job->chat.messages[1].text);
  g_assert_cmpuint (job->chat.seed, ==, 0x123456789abcdef);
  g_assert_cmpint (job->chat.max_new_tokens, ==, -1);
  g_assert_cmpuint (job->chat.n_logit_bias, ==, 2);
  g_assert_cmpint (job->chat.logit_bias[1].id, ==, 4);
  g_assert_cmpfloat (job->chat.logit_bias[1].bias, ==, 0.5);
  g_assert_cmpstr (job->chat.json_schema, ==, "{}");
  g_assert_true (job->chat.must_call);
  g_assert_cmpstr (job->chat.called, ==, "look");
  g_assert_cmpstr (job->run.inputs[2], ==, "zeros:");
  g_assert_null (job->run.shapes[0]);
  g_assert_cmpstr (job->run.shapes[1], ==, "1,2");
  g_assert_null (job->run.shapes[2]);
  g_assert_true (job->run.bundled);
  g_assert_cmpuint (job->run.repeat, ==, 1);
  g_assert_cmpfloat (job->speak.speed, ==, 1.5);
}

static void
test_job (void)
{
  const PtJob job = make_job ();
  g_autoptr (PtJob) copy = pt_job_copy (&job, NULL);
  g_autoptr (GBytes) bytes = write_struct (&pt_job_fields, copy);
  g_autoptr (PtHeap) heap = pt_heap_new ();
  const char *fault;
  PtJob read;

  check_job (copy);
  if (!read_struct (bytes, &pt_job_fields, &read, heap, &fault))
    g_error ("%s", fault);
  /* Texts that are not UTF-8 stay as they are in paths only. */
  check_job (&read);
}

static const PtWord WORDS[] = { { 0, 5, 0.5F, 1, 2 }, { 6, 5, 1, 0, 0 } };
static const guint32 RUNS[] = { 1, 2, 1 };
static const PtObject OBJECTS[] = { { .label = "fern", .mask = { 1, 0, 2, 2, 2, RUNS, 3 } } };
static const guint8 SEGMENTS[] = { 0, 1, 1, 0, 1, 1 };

static PtLookResult
make_look (PtLookPicture *picture)
{
  *picture = (PtLookPicture){ .path = "p.png",
                              .width = 3,
                              .height = 2,
                              .objects = OBJECTS,
                              .n_objects = 1,
                              .segments = SEGMENTS };
  return (PtLookResult){
    .model = "look", .kind = PT_LOOK_SEGMENTS, .pictures = picture, .n_pictures = 1
  };
}

static void
test_event (void)
{
  PtLookPicture picture;
  const PtLookResult look = make_look (&picture);
  const PtEvent event = { .kind = PT_EVENT_REPORT,
                          .job = 7,
                          .text = "hello\xff fern",
                          .words = WORDS,
                          .n_words = 2,
                          .look = &look };
  g_autoptr (GBytes) bytes = write_struct (&pt_event_fields, &event);
  PtHeap *heap = pt_heap_new ();
  PtLookResult *kept;
  const char *fault;
  PtEvent read;

  if (!read_struct (bytes, &pt_event_fields, &read, heap, &fault))
    g_error ("%s", fault);
  g_assert_true (g_utf8_validate (read.text, -1, NULL));
  g_assert_cmpuint (read.job, ==, 7);
  g_assert_cmpmem (read.words, 2 * sizeof (PtWord), WORDS, sizeof WORDS);
  /* A reference keeps the report when the event is gone. */
  kept = pt_look_result_ref (read.look);
  pt_heap_unref (heap);
  g_assert_cmpmem (kept->pictures[0].segments, 6, SEGMENTS, 6);
  g_assert_cmpuint (kept->pictures[0].objects[0].mask.runs[1], ==, 2);
  g_assert_cmpstr (kept->pictures[0].objects[0].label, ==, "fern");
  pt_look_result_unref (kept);
}

static const guint8 BYTES[] = { 0xe2, 0x82 };
static const PtTokenLogprob TOP[] = { { 7, -0.5, BYTES, 2 }, { 9, -INFINITY, NULL, 0 } };
static const PtChosenToken CHOSEN[] = { { { 7, -0.5, BYTES, 2 }, TOP, 2 },
                                        { { 8, -3, BYTES, 1 } } };

/* Bytes of tokens need not be text, and a probability may be 0. */
static void
test_tokens (void)
{
  const PtEvent event = { .kind = PT_EVENT_TOKENS, .chosen = CHOSEN, .n_chosen = 2 };
  g_autoptr (GBytes) bytes = write_struct (&pt_event_fields, &event);
  g_autoptr (PtHeap) heap = pt_heap_new ();
  const char *fault;
  PtEvent read;

  if (!read_struct (bytes, &pt_event_fields, &read, heap, &fault))
    g_error ("%s", fault);
  g_assert_cmpuint (read.n_chosen, ==, 2);
  g_assert_cmpint (read.chosen[0].token.id, ==, 7);
  g_assert_cmpmem (read.chosen[0].token.bytes, read.chosen[0].token.n_bytes, BYTES, 2);
  g_assert_cmpuint (read.chosen[0].n_top, ==, 2);
  g_assert_true (isinf (read.chosen[0].top[1].logprob));
  g_assert_cmpuint (read.chosen[0].top[1].n_bytes, ==, 0);
  g_assert_cmpuint (read.chosen[1].n_top, ==, 0);
}

/* ---- what must not pass ---- */

static void
expect_fault (const PtEvent *event, const char *says)
{
  g_autoptr (GBytes) bytes = write_struct (&pt_event_fields, event);
  g_autoptr (PtHeap) heap = pt_heap_new ();
  const char *fault;
  PtEvent read;

  g_assert_false (read_struct (bytes, &pt_event_fields, &read, heap, &fault));
  g_assert_nonnull (strstr (fault, says));
}

static void
test_refused (void)
{
  const PtWord beyond = { 3, 4, 1, 0, 0 };
  PtEvent event = { .kind = PT_EVENT_TEXT, .text = "fern", .words = &beyond, .n_words = 1 };
  PtLookPicture picture;
  PtLookResult look = make_look (&picture);

  expect_fault (&event, "outside of its text");
  event = (PtEvent){ .kind = PT_EVENT_TEXT };
  expect_fault (&event, "no text");
  event = (PtEvent){ .kind = PT_N_EVENTS, .text = "fern" };
  expect_fault (&event, "enumeration");
  event = (PtEvent){ .kind = PT_EVENT_LOADED };
  expect_fault (&event, "no model");
  event = (PtEvent){ .kind = PT_EVENT_STATS };
  memset (event.stats.language, 'e', sizeof event.stats.language);
  expect_fault (&event, "language");
  event = (PtEvent){ .kind = PT_EVENT_REPORT, .look = &look };
  picture.width = 2;
  expect_fault (&event, "a mask lies outside");
  picture.width = 3;
  picture.segments = NULL;
  expect_fault (&event, "no segments");
}

static void
test_misfits (void)
{
  const PtRunReport run = { .model = "x" };
  const PtHostExit end = { .kind = PT_HOST_EXIT_SIGNAL };
  PtEvent event = { .kind = PT_EVENT_REPORT, .run = &run };

  g_assert_null (pt_event_misfit (&event, PT_JOB_RUN));
  g_assert_nonnull (pt_event_misfit (&event, PT_JOB_LOOK));
  event.kind = PT_EVENT_DONE;
  g_assert_nonnull (pt_event_misfit (&event, PT_JOB_RUN));
  event = (PtEvent){ .kind = PT_EVENT_SAMPLES };
  g_assert_nonnull (pt_event_misfit (&event, PT_JOB_CHAT));
  event = (PtEvent){ .kind = PT_EVENT_TOKENS };
  g_assert_nonnull (pt_event_misfit (&event, PT_JOB_TRANSCRIBE));
  event = (PtEvent){ .kind = PT_EVENT_FAILED, .text = "fern", .host = &end };
  g_assert_nonnull (pt_event_misfit (&event, PT_JOB_CHAT));
}

/* Every single changed byte, and every shorter message. */
static void
test_damaged (void)
{
  const PtJob job = make_job ();
  PtLookPicture picture;
  const PtLookResult look = make_look (&picture);
  const PtEvent event = {
    .kind = PT_EVENT_REPORT, .text = "hello fern", .words = WORDS, .n_words = 2, .look = &look
  };
  const PtStructInfo *const infos[] = { &pt_job_fields, &pt_event_fields };
  gconstpointer const structs[] = { &job, &event };

  for (guint k = 0; k < G_N_ELEMENTS (infos); k++) {
    g_autoptr (GBytes) bytes = write_struct (infos[k], structs[k]);
    gsize size = g_bytes_get_size (bytes);
    g_autofree guint8 *changed = g_memdup2 (g_bytes_get_data (bytes, NULL), size);
    g_autofree gpointer out = g_malloc (infos[k]->size);

    for (gsize i = 0; i < 2 * size; i++) {
      g_autoptr (PtHeap) heap = pt_heap_new ();
      g_autoptr (GBytes) damaged = NULL;
      guint8 before = changed[i / 2];
      const char *fault;

      changed[i / 2] ^= i % 2 == 0 ? 0xff : 1;
      damaged = g_bytes_new (changed, i % 2 == 0 ? size : i / 2);
      read_struct (damaged, infos[k], out, heap, &fault);
      changed[i / 2] = before;
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/host/fields/complete", test_complete);
  g_test_add_func ("/host/fields/job", test_job);
  g_test_add_func ("/host/fields/event", test_event);
  g_test_add_func ("/host/fields/tokens", test_tokens);
  g_test_add_func ("/host/fields/refused", test_refused);
  g_test_add_func ("/host/fields/misfits", test_misfits);
  g_test_add_func ("/host/fields/damaged", test_damaged);
  return g_test_run ();
}
