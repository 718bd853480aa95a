/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The supervisor of a host. pt_host_run() sends a job and waits; a reader thread receives the
 * frames of the host, and passes events to the running job. The mutex guards the state that both
 * threads use.
 */

#include "engine/host/host-process.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/host/host-confine.h"
#include "engine/host/host-exit.h"
#include "engine/host/link.h"

/* From cancelling to the end of the process; the job must end within 300 ms. */
#define CANCEL_MS 250
/* For the process to say hello. */
#define START_MS 20000
/* For the process to end when its pipe is closed. */
#define END_MS 1500
/* How often a busy host that says nothing is asked whether it is there, and how long it may be
 * silent then. A process that is stopped, or whose machine swaps, is silent for some seconds. */
#define PATIENCE_MS 30000

struct _PtHost {
  const char *program;
  guint patience_ms, threads;
  PtLink *link; /* NULL: there is no process */
  GThread *reader;
  gboolean has_loaded;  /* the process had a PT_JOB_LOAD */
  PtHostRights *rights; /* as its first job says; NULL: it had no job */
  char *title;          /* of the model for messages; or NULL */
  char *loss;           /* how the process with the loaded model ended; NULL: it did not */

  GMutex mutex;
  GCond changed;
  gboolean hello;          /* the process is ready */
  gboolean closed;         /* nothing more comes */
  char *fault;             /* why the reader closed it, or NULL */
  gboolean has_end;        /* @end was sent */
  PtHostExit end;          /* ... */
  PtHeap *end_heap;        /* owns its text */
  const PtHostJob *job;    /* runs; NULL: none */
  gboolean done;           /* @last has come */
  PtEvent *last;           /* to be filled */
  PtHeap *last_heap;       /* ... */
  gint64 last_received;    /* time of the last bytes from the process */
  guint64 asked, answered; /* numbers of the last PING and PONG */
};

/* ---- the reader ---- */

static gboolean
is_last (PtEventKind kind)
{
  return kind == PT_EVENT_DONE || kind == PT_EVENT_FAILED || kind == PT_EVENT_STOPPED;
}

static gboolean
take_hello (PtHost *self, const PtFrame *frame, GError **error)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();
  g_autofree char *detail = NULL;
  PtHello hello;

  if (self->hello || !pt_frame_read (frame, NULL, &pt_hello_fields, &hello, heap, error))
    return *error != NULL ? FALSE : pt_fail (error, PT_ERROR_HOST, "It says hello twice.");
  if (!pt_hello_check (&hello, &detail))
    return pt_fail (error, PT_ERROR_HOST, "The program has been replaced: %s.", detail);
  g_mutex_lock (&self->mutex);
  self->hello = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->mutex);
  return TRUE;
}

static gboolean
take_event (PtHost *self, const PtFrame *frame, GError **error)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();
  const PtHostJob *job;
  const char *misfit;
  PtEvent event;

  if (!pt_frame_read (frame, NULL, &pt_event_fields, &event, heap, error))
    return FALSE;
  g_mutex_lock (&self->mutex);
  job = self->job != NULL && !self->done && self->job->number == event.job ? self->job : NULL;
  misfit = job != NULL ? pt_event_misfit (&event, job->job->kind)
                       : "it reports about a job that it does not do";
  if (misfit == NULL && is_last (event.kind)) {
    *self->last = event;
    pt_heap_hold (self->last_heap, g_steal_pointer (&heap), (GDestroyNotify) pt_heap_unref);
    self->done = TRUE;
    g_cond_signal (&self->changed);
  } else if (misfit == NULL) {
    /* With the lock, so that the job cannot end meanwhile. */
    job->func (&event, heap, job->user_data);
  }
  g_mutex_unlock (&self->mutex);
  return misfit == NULL || pt_fail (error, PT_ERROR_HOST, "%s", misfit);
}

static gboolean
take_pong (PtHost *self, const PtFrame *frame, GError **error)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();
  guint64 number;
  gboolean fits;

  if (!pt_frame_read (frame, &number, NULL, NULL, heap, error))
    return FALSE;
  g_mutex_lock (&self->mutex);
  fits = number == self->answered + 1 && number <= self->asked;
  if (fits)
    self->answered = number;
  g_mutex_unlock (&self->mutex);
  return fits || pt_fail (error, PT_ERROR_HOST, "it answers what nobody asked");
}

static gboolean
take_end (PtHost *self, const PtFrame *frame, GError **error)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();
  PtHostExit end;

  if (!pt_frame_read (frame, NULL, &pt_host_exit_fields, &end, heap, error))
    return FALSE;
  g_mutex_lock (&self->mutex);
  if (!self->has_end) {
    self->has_end = TRUE;
    self->end = end;
    self->end_heap = g_steal_pointer (&heap);
  }
  self->closed = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->mutex);
  return TRUE;
}

static gboolean
take_frame (PtHost *self, const PtFrame *frame, GError **error)
{
  if (!self->hello && frame->kind != PT_FRAME_HELLO && frame->kind != PT_FRAME_END)
    return pt_fail (error, PT_ERROR_HOST, "it does not say hello first");
  switch (frame->kind) {
  case PT_FRAME_HELLO: return take_hello (self, frame, error);
  case PT_FRAME_EVENT: return take_event (self, frame, error);
  case PT_FRAME_PONG: return take_pong (self, frame, error);
  case PT_FRAME_END: return take_end (self, frame, error);
  default: return pt_fail (error, PT_ERROR_HOST, "it sends what only we send");
  }
}

static gboolean
take_frames (PtHost *self, PtFrames *frames, GError **error)
{
  PtFrame frame;

  while (pt_frames_next (frames, &frame, error)) {
    gboolean good = take_frame (self, &frame, error);

    pt_frame_clear (&frame);
    if (!good)
      return FALSE;
  }
  return *error == NULL;
}

static gpointer
reader_main (gpointer data)
{
  PtHost *self = data;
  g_autoptr (PtFrames) frames = pt_frames_new (pt_link_take_shared, self->link);
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *bytes = g_malloc (PT_FRAME_MAX_INLINE);
  gssize n;

  while ((n = pt_link_read (self->link, bytes, PT_FRAME_MAX_INLINE, &error)) > 0) {
    g_mutex_lock (&self->mutex);
    self->last_received = g_get_monotonic_time ();
    g_mutex_unlock (&self->mutex);
    pt_frames_put (frames, bytes, (gsize) n);
    if (!take_frames (self, frames, &error))
      break;
  }
  g_mutex_lock (&self->mutex);
  self->closed = TRUE;
  if (error != NULL)
    self->fault = g_strdup (error->message);
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->mutex);
  return NULL;
}

/* ---- the process ---- */

PtHost *
pt_host_new (const PtHostOptions *options)
{
  PtHost *self = g_new0 (PtHost, 1);

  self->program = options->program;
  self->threads = options->threads;
  self->patience_ms = options->patience_ms > 0 ? options->patience_ms : PATIENCE_MS;
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  return self;
}

/* Ends the process, if there is one, and forgets what it said. */
static void
close_link (PtHost *self, gboolean at_once)
{
  PtLinkEnd ignored;

  if (self->link == NULL)
    return;
  if (at_once)
    pt_link_kill (self->link);
  pt_link_shut (self->link);
  g_thread_join (self->reader);
  if (!at_once && !pt_link_wait (self->link, END_MS, &ignored))
    pt_link_kill (self->link);
  g_clear_pointer (&self->link, pt_link_free);
  g_clear_pointer (&self->fault, g_free);
  g_clear_pointer (&self->end_heap, pt_heap_unref);
  g_clear_pointer (&self->rights, pt_host_rights_free);
  self->has_end = self->hello = self->closed = self->has_loaded = FALSE;
  self->asked = self->answered = 0;
}

void
pt_host_free (PtHost *self)
{
  if (self == NULL)
    return;
  close_link (self, FALSE);
  pt_host_rights_free (self->rights);
  g_free (self->loss);
  g_free (self->title);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_free (self);
}

guint64
pt_host_pid (PtHost *self)
{
  return self->link != NULL ? pt_link_pid (self->link) : 0;
}

/* ---- the end of the process ---- */

static void
fail (PtEvent *last, PtHeap *heap, PtError code, const char *text)
{
  *last = (PtEvent){ .kind = PT_EVENT_FAILED, .code = code };
  last->text = pt_heap_text (heap, text);
}

/* Fills @last with the reason for which the process has ended, or is ended now. */
static void
fail_exit (PtHost *self, const PtHostJob *job, const PtHostExit *exit, PtEvent *last, PtHeap *heap)
{
  PtHostExit *copy = pt_heap_new0 (heap, PtHostExit, 1);
  g_autofree char *text = pt_host_exit_to_text (exit, job->job, self->title), *trace = NULL;

  *copy = *exit;
  copy->job = job->number;
  copy->detail = pt_heap_text (heap, exit->detail);
  trace = self->link != NULL ? pt_link_trace (self->link) : NULL;
  copy->trace = pt_heap_text (heap, trace);
  copy->report = NULL; /* whatever the process said */
  fail (last, heap, PT_ERROR_HOST, text);
  last->host = copy;
  if (self->has_loaded) {
    g_free (self->loss);
    self->loss = g_steal_pointer (&text);
  }
}

/* How the process ended whose pipe is closed. */
static void
judge (PtHost *self, PtHostExit *exit, char **detail)
{
  g_autofree char *words = NULL;
  PtLinkEnd end = { 0 };
  gboolean ended;

  if (self->fault != NULL) {
    *exit = (PtHostExit){ .kind = self->hello ? PT_HOST_EXIT_PROTOCOL : PT_HOST_EXIT_START };
    exit->detail = *detail = g_strdup (self->fault);
    return;
  }
  if (self->has_end) {
    *exit = self->end;
    exit->detail = *detail = g_strdup (self->end.detail);
    return;
  }
  ended = pt_link_wait (self->link, END_MS, &end);
  words = pt_link_last_words (self->link);
  if (!ended) {
    *exit = (PtHostExit){ .kind = PT_HOST_EXIT_PROTOCOL };
    exit->detail = *detail = g_strdup ("it has closed the pipe");
    return;
  }
  pt_host_exit_judge (exit, &end, words);
  *detail = (char *) exit->detail;
  if (!self->hello && exit->kind == PT_HOST_EXIT_STATUS)
    exit->kind = PT_HOST_EXIT_START;
}

static void
fail_closed (PtHost *self, const PtHostJob *job, PtEvent *last, PtHeap *heap)
{
  g_autofree char *detail = NULL;
  PtHostExit exit = { 0 };

  judge (self, &exit, &detail);
  fail_exit (self, job, &exit, last, heap);
  close_link (self, TRUE);
}

static void
fail_silent (PtHost *self, const PtHostJob *job, PtEvent *last, PtHeap *heap)
{
  const PtHostExit exit = { .kind = PT_HOST_EXIT_SILENT };

  fail_exit (self, job, &exit, last, heap);
  close_link (self, TRUE);
}

/* The host did not obey: the model goes with it. */
static void
stop_hard (PtHost *self, PtEvent *last)
{
  static const PtHostExit SILENT = { .kind = PT_HOST_EXIT_SILENT };

  *last = (PtEvent){ .kind = PT_EVENT_STOPPED, .reason = PT_REASON_STOPPED };
  if (self->has_loaded)
    last->host = &SILENT;
  if (self->has_loaded) {
    g_free (self->loss);
    self->loss = g_strdup ("The model's process did not stop in time and was ended. Load the model "
                           "again to go on.");
  }
  close_link (self, TRUE);
}

/* ---- starting ---- */

static gboolean
start_process (PtHost *self, GError **error)
{
  PtHello hello = pt_hello_init ();

  if (g_getenv ("PTERIS_HOST") != NULL)
    return pt_fail (error, PT_ERROR_HOST, "A model's process cannot start another one.");
  self->link = pt_link_start (self->program, error);
  if (self->link == NULL)
    return FALSE;
  self->reader = g_thread_new ("pteris-host", reader_main, self);
  hello.threads = self->threads;
  /* If nobody reads it, the process has ended, which the wait for its hello finds out. */
  pt_link_send (self->link, PT_FRAME_HELLO, 0, &pt_hello_fields, &hello, START_MS, NULL, NULL);
  return TRUE;
}

static void
wake (GCancellable *cancellable, gpointer data)
{
  PtHost *self = data;

  g_mutex_lock (&self->mutex);
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->mutex);
}

/* Starts the process unless it is there. FALSE: @last says why not. */
static gboolean
ensure_process (PtHost *self, const PtHostJob *job, PtEvent *last, PtHeap *heap)
{
  g_autoptr (GError) error = NULL;
  gint64 deadline = g_get_monotonic_time () + START_MS * G_TIME_SPAN_MILLISECOND;
  gboolean in_time = TRUE, ready;

  if (self->link == NULL && !start_process (self, &error)) {
    const PtHostExit exit = { .kind = PT_HOST_EXIT_START, .detail = error->message };

    fail_exit (self, job, &exit, last, heap);
    return FALSE;
  }
  g_mutex_lock (&self->mutex);
  while (!self->hello && !self->closed && in_time && !g_cancellable_is_cancelled (job->cancellable))
    in_time = g_cond_wait_until (&self->changed, &self->mutex, deadline);
  ready = self->hello && !self->closed;
  g_mutex_unlock (&self->mutex);
  if (ready)
    return TRUE;
  if (g_cancellable_is_cancelled (job->cancellable))
    stop_hard (self, last);
  else if (self->closed)
    fail_closed (self, job, last, heap);
  else
    fail_silent (self, job, last, heap);
  return FALSE;
}

/* ---- a job ---- */

/* The result of waiting for the process. */
typedef enum { WAIT_DONE, WAIT_CLOSED, WAIT_SILENT, WAIT_DISOBEYED } WaitEnd;

typedef struct {
  gboolean cancel_sent, finish_sent;
  gint64 cancel_by; /* when the process is ended; 0: not cancelled */
  gint64 asked_at;  /* when it was asked; if this program was stopped since, the end of that */
} WaitState;

/* Without the lock. A pipe that takes nothing is found out by the next deadline. */
static void
tell (PtHost *self, PtFrameKind kind, guint64 number)
{
  pt_link_send (self->link, kind, number, NULL, NULL, CANCEL_MS / 2, NULL, NULL);
}

/* Sends what is due; with the lock, which it gives back meanwhile. */
static void
send_due (PtHost *self, const PtHostJob *job, WaitState *state)
{
  gint64 now = g_get_monotonic_time ();
  gboolean cancel = !state->cancel_sent && g_cancellable_is_cancelled (job->cancellable);
  gboolean finish = !state->finish_sent && g_cancellable_is_cancelled (job->finish);
  gboolean ask = self->asked == self->answered &&
                 now - self->last_received >= self->patience_ms * (gint64) 1000 / 2;
  guint64 number = 0;

  if (!cancel && !finish && !ask)
    return;
  if (ask) {
    number = ++self->asked;
    state->asked_at = now;
  }
  if (cancel)
    state->cancel_by = now + CANCEL_MS * G_TIME_SPAN_MILLISECOND;
  state->cancel_sent |= cancel;
  state->finish_sent |= finish;
  g_mutex_unlock (&self->mutex);
  if (cancel)
    tell (self, PT_FRAME_CANCEL, job->number);
  if (finish)
    tell (self, PT_FRAME_FINISH, job->number);
  if (ask)
    tell (self, PT_FRAME_PING, number);
  g_mutex_lock (&self->mutex);
}

/* Whether the process is to be asked at that time, or ended. */
static gint64
next_look (const PtHost *self, const WaitState *state)
{
  gint64 half = self->patience_ms * (gint64) 1000 / 2;

  return self->asked != self->answered ? state->asked_at + half : self->last_received + half;
}

static WaitEnd
wait_for_end (PtHost *self, const PtHostJob *job)
{
  gint64 half = self->patience_ms * (gint64) 1000 / 2;
  WaitState state = { .asked_at = g_get_monotonic_time () };

  while (!self->done) {
    gint64 now, until;

    if (self->closed)
      return state.cancel_sent ? WAIT_DISOBEYED : WAIT_CLOSED;
    send_due (self, job, &state);
    if (self->done || self->closed)
      continue;
    now = g_get_monotonic_time ();
    if (state.cancel_by != 0 && now >= state.cancel_by)
      return WAIT_DISOBEYED;
    until = next_look (self, &state);
    if (self->asked != self->answered && now >= until)
      return WAIT_SILENT;
    if (state.cancel_by != 0)
      until = MIN (until, state.cancel_by);
    until = MAX (until, now + 1000);
    g_cond_wait_until (&self->changed, &self->mutex, until);
    /* This program was stopped, and perhaps the process with it: it has all its time again. */
    now = g_get_monotonic_time ();
    if (now > until + half / 2)
      state.asked_at = now;
  }
  return WAIT_DONE;
}

static void
give_job (PtHost *self, const PtHostJob *job, PtEvent *last, PtHeap *heap)
{
  g_mutex_lock (&self->mutex);
  self->job = job;
  self->done = FALSE;
  self->last = last;
  self->last_heap = heap;
  self->last_received = g_get_monotonic_time ();
  g_mutex_unlock (&self->mutex);
}

static void
take_job (PtHost *self)
{
  g_mutex_lock (&self->mutex);
  self->job = NULL;
  g_mutex_unlock (&self->mutex);
}

/* After a write has failed: whether that is because the process has ended. */
static gboolean
wait_for_close (PtHost *self)
{
  gint64 deadline = g_get_monotonic_time () + CANCEL_MS * G_TIME_SPAN_MILLISECOND;
  gboolean in_time = TRUE, closed;

  g_mutex_lock (&self->mutex);
  while (!self->closed && in_time)
    in_time = g_cond_wait_until (&self->changed, &self->mutex, deadline);
  closed = self->closed;
  g_mutex_unlock (&self->mutex);
  return closed;
}

/* With the files that the process may not open itself. */
static gboolean
send_job (PtHost *self, const PtHostJob *job, GError **error)
{
  g_autofree const char **given = pt_host_given (job->job);

  for (guint i = 0; self->rights->readable != NULL && given[i] != NULL; i++)
    if (!pt_link_give_file (self->link, given[i], self->patience_ms, job->cancellable, error))
      return FALSE;
  return pt_link_send (self->link, PT_FRAME_JOB, job->number, &pt_job_fields, job->job,
                       self->patience_ms, job->cancellable, error);
}

static void
do_job (PtHost *self, const PtHostJob *job, PtEvent *last, PtHeap *heap)
{
  g_autoptr (GError) error = NULL;
  WaitEnd end;

  give_job (self, job, last, heap);
  if (!send_job (self, job, &error)) {
    take_job (self);
    if (g_error_matches (error, PT_ERROR, PT_ERROR_MEMORY))
      fail (last, heap, PT_ERROR_MEMORY, error->message);
    else if (g_error_matches (error, PT_ERROR, PT_ERROR_CANCELLED))
      stop_hard (self, last);
    else if (wait_for_close (self))
      fail_closed (self, job, last, heap);
    else
      fail_silent (self, job, last, heap);
    return;
  }
  g_mutex_lock (&self->mutex);
  end = wait_for_end (self, job);
  self->job = NULL;
  g_mutex_unlock (&self->mutex);
  if (end == WAIT_DISOBEYED)
    stop_hard (self, last);
  else if (end == WAIT_CLOSED)
    fail_closed (self, job, last, heap);
  else if (end == WAIT_SILENT)
    fail_silent (self, job, last, heap);
}

/* Whether @job can only be done by a process that has a model. TRUE: @last is its answer. */
static gboolean
answer_without (PtHost *self, const PtHostJob *job, PtEvent *last, PtHeap *heap)
{
  gboolean needs_model = job->job->kind == PT_JOB_CHAT || job->job->kind == PT_JOB_TRANSCRIBE;

  if (job->job->kind == PT_JOB_UNLOAD) {
    close_link (self, FALSE);
    g_clear_pointer (&self->loss, g_free);
    *last = (PtEvent){ .kind = PT_EVENT_DONE, .reason = PT_REASON_STOP };
    return TRUE;
  }
  if (!needs_model || self->loss == NULL)
    return FALSE;
  fail (last, heap, PT_ERROR_STATE, self->loss);
  return TRUE;
}

/* A process that is confined to less than @job needs is replaced, unless it has a model: such jobs
 * are not for it. */
static void
make_fit (PtHost *self, const PtJob *job)
{
  const gboolean agreed = pt_host_remember_consent (job);

  if (self->rights != NULL && !self->has_loaded && (agreed || !pt_host_fits (self->rights, job))) {
    close_link (self, FALSE);
    g_clear_pointer (&self->rights, pt_host_rights_free); /* if there was no process */
  }
  if (self->rights == NULL && job->kind != PT_JOB_UNLOAD)
    self->rights = pt_host_rights_new (job);
}

/* The name of the program's file, or of its folder if every such file has that name. */
static void
note_title (PtHost *self, const char *path)
{
  g_autofree char *name = path != NULL ? g_path_get_basename (path) : NULL, *folder = NULL;

  if (name == NULL)
    return;
  if (g_str_has_suffix (name, ".pte"))
    name[strlen (name) - strlen (".pte")] = '\0';
  if (g_str_equal (name, "model")) {
    folder = g_path_get_dirname (path);
    g_free (name);
    name = g_path_get_basename (folder);
  }
  g_free (self->title);
  self->title = g_filename_display_name (name);
}

void
pt_host_run (PtHost *self, const PtHostJob *job, PtEvent *last, PtHeap *heap)
{
  gboolean loads = job->job->kind == PT_JOB_LOAD;
  gulong on_cancel, on_finish;

  if (loads) {
    g_clear_pointer (&self->loss, g_free);
    if (self->has_loaded)
      close_link (self, FALSE);
  }
  note_title (self, job->job->model.path);
  make_fit (self, job->job);
  if (!answer_without (self, job, last, heap)) {
    on_cancel = g_cancellable_connect (job->cancellable, G_CALLBACK (wake), self, NULL);
    on_finish = g_cancellable_connect (job->finish, G_CALLBACK (wake), self, NULL);
    if (ensure_process (self, job, last, heap)) {
      self->has_loaded |= loads;
      do_job (self, job, last, heap);
    }
    g_cancellable_disconnect (job->cancellable, on_cancel);
    g_cancellable_disconnect (job->finish, on_finish);
  }
  last->job = job->number;
}
