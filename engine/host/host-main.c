/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The host: an engine whose jobs come from a pipe and whose events go there. This thread reads
 * jobs; another one runs the context of the engine's events.
 */

#include <pteris/engine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/given-files.h"
#include "engine/base/gpu-fault.h"
#include "engine/base/driver-question.h"
#include "engine/base/set-error.h"
#include "engine/host/host-confine.h"
#include "engine/host/link.h"

#ifdef G_OS_WIN32
#define _exit _Exit
#else
#include <unistd.h>
#endif

/* For the running job to end after the pipe was closed. */
#define END_US (1 * G_USEC_PER_SEC)

/* Of this process. */
#define STATUS_DONE 0
#define STATUS_FAILED 1

typedef struct {
  PtLink *link;
  gboolean greeted;
  PtEngine *engine; /* NULL: there was no job yet */
  GMainContext *context;
  GMutex mutex;
  GHashTable
      *jobs; /* number of the engine -> number of the other process, as pointers to guint64 */
} Host;

/* ---- events ---- */

static guint64 *
number_new (guint64 number)
{
  guint64 *copy = g_new (guint64, 1);

  *copy = number;
  return copy;
}

/* The other process's number of the engine's job @number; the last event forgets it. */
static guint64
translate (Host *self, guint64 number, gboolean last)
{
  const guint64 *found;
  guint64 result;

  g_mutex_lock (&self->mutex);
  found = g_hash_table_lookup (self->jobs, &number);
  result = found != NULL ? *found : 0;
  if (last)
    g_hash_table_remove (self->jobs, &number);
  g_mutex_unlock (&self->mutex);
  return result;
}

static gboolean
is_last (PtEventKind kind)
{
  return kind == PT_EVENT_DONE || kind == PT_EVENT_FAILED || kind == PT_EVENT_STOPPED;
}

/* The GPU does not work in this process any more; another one can use it. */
static void
end_for_gpu (Host *self, const PtEvent *event)
{
  gboolean timed_out;
  const int code = pt_gpu_fault_get (&timed_out);
  const PtHostExit end = { .kind = timed_out ? PT_HOST_EXIT_GPU_TIMEOUT : PT_HOST_EXIT_GPU,
                           .code = code,
                           .job = event->job,
                           .detail = event->text };

  if (code == 0)
    return;
  pt_link_send (self->link, PT_FRAME_END, 0, &pt_host_exit_fields, &end, 0, NULL, NULL);
  _exit (STATUS_FAILED);
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Host *self = user_data;
  PtEvent sent = *event;
  g_autoptr (GError) error = NULL;

  sent.job = translate (self, event->job, is_last (event->kind));
  if (is_last (event->kind))
    pt_given_clear ();
  if (event->kind == PT_EVENT_FAILED)
    end_for_gpu (self, &sent);
  if (pt_link_send (self->link, PT_FRAME_EVENT, 0, &pt_event_fields, &sent, 0, NULL, &error))
    return;
  /* Without room for a report the job fails, and goes on to its end unheard. */
  if (g_error_matches (error, PT_ERROR, PT_ERROR_MEMORY)) {
    const PtEvent failed = {
      .kind = PT_EVENT_FAILED, .job = sent.job, .code = PT_ERROR_MEMORY, .text = error->message
    };

    translate (self, event->job, TRUE);
    if (sent.job != 0)
      pt_link_send (self->link, PT_FRAME_EVENT, 0, &pt_event_fields, &failed, 0, NULL, NULL);
    return;
  }
  /* The other process is gone: pt_link_read() finds that, too. */
}

static gpointer
events_main (gpointer data)
{
  Host *self = data;

  for (;;)
    g_main_context_iteration (self->context, TRUE);
  return NULL;
}

/* ---- jobs ---- */

static void
refuse (Host *self, guint64 number, const GError *error)
{
  const PtEvent failed = {
    .kind = PT_EVENT_FAILED, .job = number, .code = (PtError) error->code, .text = error->message
  };

  pt_link_send (self->link, PT_FRAME_EVENT, 0, &pt_event_fields, &failed, 0, NULL, NULL);
}

static gboolean
start_engine (Host *self, const PtJob *job, GError **error)
{
  g_auto (GStrv) written = pt_host_written (job);

  if (!pt_host_confine ((const char *const *) written, job, error))
    return FALSE;
  self->context = g_main_context_new ();
  self->engine = pt_engine_new (self->context, on_event, self);
  g_thread_unref (g_thread_new ("pteris-events", events_main, self));
  return TRUE;
}

static void
take_job (Host *self, const PtFrame *frame)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();
  g_autoptr (GError) error = NULL;
  guint64 number = 0;
  PtJob job;

  if (!pt_frame_read (frame, &number, &pt_job_fields, &job, heap, &error)) {
    error->code = PT_ERROR_ARGUMENT;
    refuse (self, number, error);
    return;
  }
  job.size = sizeof job;
  if (self->engine == NULL && !start_engine (self, &job, &error)) {
    refuse (self, number, error);
    return;
  }
  /* The lock holds back the job's events until its number is known. */
  g_mutex_lock (&self->mutex);
  g_hash_table_insert (self->jobs, number_new (pt_engine_submit (self->engine, &job)),
                       number_new (number));
  g_mutex_unlock (&self->mutex);
}

/* The engine's number of the job that the other process calls @number; 0: it has ended. */
static guint64
find_job (Host *self, guint64 number)
{
  guint64 found = 0;
  GHashTableIter iter;
  gpointer key, value;

  g_mutex_lock (&self->mutex);
  g_hash_table_iter_init (&iter, self->jobs);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (*(guint64 *) value == number)
      found = *(guint64 *) key;
  g_mutex_unlock (&self->mutex);
  return found;
}

/* A frame with nothing but a number. Damaged ones are ignored: they ask for nothing. */
static void
take_number (Host *self, const PtFrame *frame)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();
  guint64 number;

  if (!pt_frame_read (frame, &number, NULL, NULL, heap, NULL))
    return;
  if (frame->kind == PT_FRAME_PING)
    pt_link_send (self->link, PT_FRAME_PONG, number, NULL, NULL, 0, NULL, NULL);
  else if (self->engine == NULL)
    return;
  else if (frame->kind == PT_FRAME_CANCEL)
    pt_engine_cancel (self->engine, find_job (self, number));
  else if (frame->kind == PT_FRAME_FINISH)
    pt_engine_finish (self->engine, find_job (self, number));
}

/* ---- the process ---- */

static gboolean
say_hello (Host *self, const PtFrame *frame, GError **error)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();
  const PtHello mine = pt_hello_init ();
  PtHello hello;

  if (self->greeted || frame->kind != PT_FRAME_HELLO)
    return pt_fail (error, PT_ERROR_HOST, "A hello was expected.");
  if (!pt_frame_read (frame, NULL, &pt_hello_fields, &hello, heap, error))
    return FALSE;
  if (hello.threads > 0 && hello.threads <= 1024)
    pt_engine_set_threads (hello.threads);
  self->greeted = TRUE;
  /* The other process compares the builds. */
  return pt_link_send (self->link, PT_FRAME_HELLO, 0, &pt_hello_fields, &mine, 0, NULL, error);
}

/* A file of the next job, which this process may not open itself. */
static gboolean
take_file (Host *self, const PtFrame *frame, GError **error)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();
  PtGivenFile given;
  int fd;

  if (!pt_frame_read (frame, NULL, &pt_given_file_fields, &given, heap, error))
    return FALSE;
  fd = pt_link_take_file (self->link, error);
  if (fd < 0)
    return FALSE;
  if (given.path != NULL)
    pt_given_add (given.path, fd);
  else
    g_close (fd, NULL);
  return TRUE;
}

static gboolean
take_frame (Host *self, const PtFrame *frame, GError **error)
{
  if (!self->greeted || frame->kind == PT_FRAME_HELLO)
    return say_hello (self, frame, error);
  if (frame->kind == PT_FRAME_FILE)
    return take_file (self, frame, error);
  if (frame->kind == PT_FRAME_JOB)
    take_job (self, frame);
  else
    take_number (self, frame);
  return TRUE;
}

static gboolean
take_frames (Host *self, PtFrames *frames, GError **error)
{
  g_autoptr (GError) reason = NULL;
  PtFrame frame;

  while (pt_frames_next (frames, &frame, &reason)) {
    gboolean good = take_frame (self, &frame, &reason);

    pt_frame_clear (&frame);
    if (!good)
      break;
  }
  if (reason == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

static gpointer
end_main (gpointer data)
{
  g_usleep (END_US);
  _exit (STATUS_DONE);
  return NULL;
}

/* Ends the process: the running job is cancelled; if it does not obey, it ends with us. */
static int
end (Host *self, const GError *error)
{
  if (error != NULL)
    fprintf (stderr, "%s\n", error->message);
  fflush (stderr);
  g_thread_unref (g_thread_new ("pteris-end", end_main, NULL));
  pt_engine_free (self->engine);
  _exit (error != NULL ? STATUS_FAILED : STATUS_DONE);
  return STATUS_DONE;
}

/* The questions are those of the backends, which an engine registers. */
static int
answer_question (int argc, char **argv)
{
  if (argc == 3 && strcmp (argv[1], PT_DRIVER_QUESTION) == 0)
    pt_engine_free (pt_engine_new (NULL, NULL, NULL));
  return pt_driver_question_main (argc, argv);
}

int
pt_engine_host_main (int argc, char **argv)
{
  Host self = { 0 };
  g_autoptr (PtFrames) frames = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *bytes = g_malloc (PT_FRAME_MAX_INLINE);
  int status = answer_question (argc, argv);
  gssize n;

  if (status >= 0)
    return status;
  if (argc < 2 || strcmp (argv[1], PT_LINK_ARGUMENT) != 0)
    return -1;
  self.link = pt_link_adopt (argc, argv, &error);
  if (self.link == NULL) {
    fprintf (stderr, "%s\n", error->message);
    return STATUS_FAILED;
  }
  g_mutex_init (&self.mutex);
  self.jobs = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  frames = pt_frames_new (pt_link_take_shared, self.link);
  while ((n = pt_link_read (self.link, bytes, PT_FRAME_MAX_INLINE, &error)) > 0) {
    pt_frames_put (frames, bytes, (gsize) n);
    if (!take_frames (&self, frames, &error))
      break;
  }
  return end (&self, error);
}
