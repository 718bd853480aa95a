/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/hub-download.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include <glib/gstdio.h>

#ifdef G_OS_WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#include "engine/base/set-error.h"
#include "engine/hub/rate-meter.h"
#include "engine/hub/checksum.h"

#ifndef O_BINARY
#define O_BINARY 0
#endif
#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif
#ifndef O_NOFOLLOW
#define O_NOFOLLOW 0
#endif

#define MAX_CONNECTIONS 3
/* In a row that brought nothing. */
#define MAX_ATTEMPTS 6
/* From the first byte on. */
#define MAX_RESTARTS 2
#define LOOK_MS 50
#define REPORT_US (G_USEC_PER_SEC / 10)
/* Written to the disk now and then, so that the end does not take long. */
#define SYNC_BYTES (32u << 20)

typedef struct _Download Download;

typedef struct {
  Download *download;
  const PtHubFile *file;
  char *path; /* where it grows */
  int fd;
  PtHubSum *sum;
  guint64 have, synced;
  guint64 asked; /* from where on, and what there was then */
  gint64 not_before;
  guint attempts, restarts;
  gboolean is_running, is_done, has_begun, from_start;
} Item;

struct _Download {
  const PtHubTask *task;
  Item *items;
  guint n, n_done, n_running;
  guint64 arrived; /* this time */
  PtHubMeter meter;
  gint64 reported;
  GError *error; /* that ends all */
};

/* The repository that has it. */
static const char *
id_of (const Item *self)
{
  return self->file->id != NULL ? self->file->id : self->download->task->repo->id;
}

static const char *
commit_of (const Item *self)
{
  return self->file->commit != NULL ? self->file->commit : self->download->task->repo->commit;
}

/* ---- progress ---- */

static const Item *
shown_item (const Download *self)
{
  const Item *found = NULL;

  for (guint i = 0; i < self->n; i++)
    if (self->items[i].is_running &&
        (found == NULL || self->items[i].file->bytes > found->file->bytes))
      found = &self->items[i];
  return found;
}

static void
report (Download *self, PtHubPhase phase, const char *file, gboolean now)
{
  const PtHubTask *task = self->task;
  gint64 time = g_get_monotonic_time ();
  PtHubProgress progress = { .phase = phase,
                             .file = file,
                             .total = task->variant->bytes,
                             .seconds_left = -1,
                             .n_done = self->n_done,
                             .n_files = self->n };

  pt_hub_meter_add (&self->meter, time, self->arrived);
  if (task->func == NULL || (!now && time - self->reported < REPORT_US))
    return;
  self->reported = time;
  for (guint i = 0; i < self->n; i++)
    progress.bytes += self->items[i].is_done ? self->items[i].file->bytes : self->items[i].have;
  if (phase == PT_HUB_DOWNLOADING)
    progress.rate = pt_hub_meter_rate (&self->meter);
  if (progress.rate > 0)
    progress.seconds_left =
        (double) (progress.total - MIN (progress.bytes, progress.total)) / progress.rate;
  task->func (&progress, task->user_data);
}

/* ---- the file on the disk ---- */

static void
close_file (Item *self)
{
  if (self->fd >= 0)
    g_close (self->fd, NULL);
  self->fd = -1;
}

static gboolean
open_file (Item *self, gboolean anew, GError **error)
{
  int flags = O_WRONLY | O_CREAT | O_APPEND | O_BINARY | O_CLOEXEC | O_NOFOLLOW;

  close_file (self);
  self->fd = g_open (self->path, flags | (anew ? O_TRUNC : 0), 0644);
  return self->fd >= 0 || pt_hub_fail_write (self->path, errno, error);
}

/* Truncates the file and starts its checksum again. */
static gboolean
empty_file (Item *self, GError **error)
{
  pt_hub_sum_free (self->sum);
  self->sum = pt_hub_sum_new (self->file);
  self->have = self->synced = 0;
  return open_file (self, TRUE, error);
}

static gboolean
write_bytes (Item *self, const char *data, gsize size, GError **error)
{
  while (size > 0) {
    gssize n = write (self->fd, data, (guint) MIN (size, 1u << 20));

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return pt_hub_fail_write (self->path, n < 0 ? errno : ENOSPC, error);
    /* The checksum covers the written bytes only. */
    pt_hub_sum_add (self->sum, data, (gsize) n);
    self->have += (guint64) n;
    self->download->arrived += (guint64) n;
    data += n;
    size -= (gsize) n;
  }
  if (self->have - self->synced < SYNC_BYTES)
    return TRUE;
  self->synced = self->have;
  return g_fsync (self->fd) == 0 || pt_hub_fail_write (self->path, errno, error);
}

/* ---- how a file ends ---- */

static void
end_all (Download *self, const GError *error)
{
  if (self->error == NULL)
    self->error = g_error_copy (error);
}

static void
begin_anew (Item *self)
{
  GError *error = NULL;

  if (++self->restarts > MAX_RESTARTS)
    pt_fail (
        &error, PT_ERROR_DATA,
        "“%s” does not arrive as it was published: its checksum differs. Try again later or in "
        "another network; nothing of it was installed.",
        self->file->path);
  else if (empty_file (self, &error))
    return;
  end_all (self->download, error);
  g_error_free (error);
}

/* Once more after a while, if that is of use. */
static void
try_again (Item *self, const PtHttpAnswer *answer, const GError *error)
{
  const PtHttpTimes *times = pt_http_times (self->download->task->hub->http);
  guint64 pause_ms;

  if (self->have > self->asked)
    self->attempts = 0;
  pause_ms = (guint64) times->pause_ms << self->attempts;
  if (answer->wait_s != G_MAXUINT64)
    pause_ms = MAX (pause_ms, answer->wait_s * 1000);
  if (++self->attempts >= MAX_ATTEMPTS || pause_ms > (guint64) times->patience_s * 1000) {
    end_all (self->download, error);
    return;
  }
  self->not_before = g_get_monotonic_time () + (gint64) pause_ms * 1000;
}

static void
complete (Item *self)
{
  g_autoptr (GError) error = NULL;

  if (!pt_hub_sum_fits (self->sum, self->file)) {
    begin_anew (self);
    return;
  }
  if ((self->fd < 0 && !open_file (self, FALSE, &error)) ||
      (g_fsync (self->fd) != 0 && !pt_hub_fail_write (self->path, errno, &error))) {
    end_all (self->download, error);
    return;
  }
  close_file (self);
  self->is_done = TRUE;
  self->download->n_done++;
}

/* ---- what arrives ---- */

/* The hub's answer must be about the file that its list named. */
static gboolean
check_same (const Item *self, const PtHttpAnswer *answer, GError **error)
{
  const PtHubFile *file = self->file;
  gboolean other = answer->commit != NULL && strcmp (answer->commit, commit_of (self)) != 0;

  if (answer->etag != NULL && file->sha256 != NULL)
    other |= strcmp (answer->etag, file->sha256) != 0;
  if (answer->linked_size != G_MAXUINT64)
    other |= answer->linked_size != file->bytes;
  return !other || pt_fail (error, PT_ERROR_DATA,
                            "“%s” of “%s” has been changed meanwhile. Try again: what has not "
                            "changed is kept.",
                            file->path, id_of (self));
}

/* Before the first byte. */
static gboolean
begin (Item *self, const PtHttpAnswer *answer, GError **error)
{
  self->has_begun = TRUE;
  if (!check_same (self, answer, error))
    return FALSE;
  if (answer->status == 200 && self->have > 0)
    return empty_file (self, error); /* it knows no ranges */
  if (answer->status != 206)
    return TRUE;
  self->from_start = answer->start != self->asked || answer->is_encoded ||
                     (answer->whole != G_MAXUINT64 && answer->whole != self->file->bytes);
  return !self->from_start || pt_fail (error, PT_ERROR_NETWORK, "Another range has arrived.");
}

static gboolean
on_bytes (const PtHttpAnswer *answer, gconstpointer data, gsize size, gpointer user_data,
          GError **error)
{
  Item *self = user_data;

  if (!self->has_begun && !begin (self, answer, error))
    return FALSE;
  self->from_start = size > self->file->bytes - self->have;
  if (self->from_start)
    return pt_fail (error, PT_ERROR_NETWORK, "More has arrived than there should be.");
  return write_bytes (self, data, size, error);
}

static void
on_answer (Item *self, const PtHttpAnswer *answer)
{
  PtHubTopic topic = { self->download->task->hub, id_of (self), commit_of (self),
                       self->file->path };
  g_autoptr (GError) error = NULL;
  guint status = answer->status;

  if (!check_same (self, answer, &error)) {
    end_all (self->download, error);
  } else if (status == 416) {
    begin_anew (self);
  } else if (status != 200 && status != 206) {
    pt_hub_refuse (answer, &topic, &error);
    /* An address elsewhere is valid for a short time only. */
    if (answer->is_passing || !answer->is_own)
      try_again (self, answer, error);
    else
      end_all (self->download, error);
  } else if (!self->has_begun && !begin (self, answer, &error)) {
    if (self->from_start)
      begin_anew (self);
    else
      end_all (self->download, error);
  } else if (self->have == self->file->bytes) {
    complete (self);
  } else {
    pt_fail (&error, PT_ERROR_NETWORK, "“%s” ends too early. Try again; what has arrived is kept.",
             self->file->path);
    try_again (self, answer, error);
  }
}

static void
on_done (const PtHttpAnswer *answer, const GError *error, gpointer user_data)
{
  Item *self = user_data;

  self->is_running = FALSE;
  self->download->n_running--;
  if (error == NULL)
    on_answer (self, answer);
  else if (self->from_start)
    begin_anew (self);
  else if (answer->is_passing)
    try_again (self, answer, error);
  else
    end_all (self->download, error);
}

static gboolean
start (Item *self, GError **error)
{
  const PtHubTask *task = self->download->task;
  g_autofree char *address =
      pt_hub_file_address (task->hub, id_of (self), commit_of (self), self->file->path);

  if (self->fd < 0 && !open_file (self, FALSE, error))
    return FALSE;
  self->has_begun = self->from_start = FALSE;
  self->asked = self->have;
  self->is_running = TRUE;
  self->download->n_running++;
  return pt_http_start (task->hub->http, address, self->have, on_bytes, on_done, self, error) !=
         NULL;
}

/* ---- what is there ---- */

typedef struct {
  Item *item;
  guint64 bytes;
} Reading;

static void
on_read (guint64 bytes, gpointer user_data)
{
  Reading *self = user_data;

  self->item->have = self->bytes += bytes;
  report (self->item->download, PT_HUB_CHECKING, self->item->file->path, FALSE);
}

/* Adds the first @bytes at @path to the sum of @self. FALSE only when it is stopped. */
static gboolean
read_there (Item *self, const char *path, guint64 bytes, gboolean *whole, GError **error)
{
  g_autoptr (GError) problem = NULL;
  Reading reading = { self, 0 };

  *whole = pt_hub_sum_add_file (self->sum, path, bytes, on_read, &reading,
                                self->download->task->cancellable, &problem);
  if (*whole || !g_error_matches (problem, PT_ERROR, PT_ERROR_CANCELLED))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}

/* Whether the library has the very file. */
static gboolean
look_in_library (Item *self, GError **error)
{
  g_autofree char *path = pt_hub_join (self->download->task->places->folder, self->file->path);
  guint64 bytes;
  gboolean whole = FALSE;

  if (!pt_hub_size_of (path, &bytes) || bytes != self->file->bytes)
    return TRUE;
  if (!read_there (self, path, bytes, &whole, error))
    return FALSE;
  if (whole && pt_hub_sum_fits (self->sum, self->file)) {
    self->is_done = TRUE;
    self->download->n_done++;
  }
  pt_hub_sum_free (self->sum);
  self->sum = pt_hub_sum_new (self->file);
  self->have = 0;
  return TRUE;
}

/* Looks for bytes of the file that an earlier download left. */
static gboolean
look_in_staging (Item *self, GError **error)
{
  gboolean whole = FALSE;

  if (self->is_done || !pt_hub_size_of (self->path, &self->have) || self->have == 0)
    return TRUE;
  if (self->have <= self->file->bytes && !read_there (self, self->path, self->have, &whole, error))
    return FALSE;
  if (!whole)
    return empty_file (self, error);
  if (self->have == self->file->bytes)
    complete (self);
  return TRUE;
}

static gboolean
prepare (Item *self, GError **error)
{
  self->sum = pt_hub_sum_new (self->file);
  if (!look_in_library (self, error))
    return FALSE;
  if (self->is_done)
    return TRUE;
  self->path = pt_hub_join (self->download->task->places->files, self->file->path);
  return pt_hub_make_parent (self->path, error) && look_in_staging (self, error);
}

static gboolean
prepare_all (Download *self, GError **error)
{
  guint64 missing = 0;

  for (guint i = 0; i < self->n; i++) {
    Item *item = &self->items[i];

    if (pt_hub_is_stopped (self->task->cancellable, error) || !prepare (item, error))
      return FALSE;
    if (!item->is_done)
      missing += item->file->bytes - item->have;
    report (self, PT_HUB_CHECKING, item->file->path, FALSE);
  }
  return pt_hub_check_space (self->task->places->staging, missing, error);
}

/* ---- the loop ---- */

static gboolean
start_some (Download *self, GError **error)
{
  gint64 now = g_get_monotonic_time ();

  for (guint i = 0; i < self->n && self->n_running < MAX_CONNECTIONS; i++) {
    Item *item = &self->items[i];

    if (!item->is_done && !item->is_running && now >= item->not_before && !start (item, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
take_turn (Download *self, GError **error)
{
  const Item *shown;

  if (pt_hub_is_stopped (self->task->cancellable, error) || !start_some (self, error))
    return FALSE;
  if (self->n_running == 0)
    g_usleep (LOOK_MS * 1000);
  else if (!pt_http_step (self->task->hub->http, LOOK_MS, error))
    return FALSE;
  if (self->error != NULL) {
    g_propagate_error (error, g_steal_pointer (&self->error));
    return FALSE;
  }
  if (self->n_done == self->n)
    return TRUE;
  shown = shown_item (self);
  report (self, shown != NULL ? PT_HUB_DOWNLOADING : PT_HUB_WAITING,
          shown != NULL ? shown->file->path : NULL, FALSE);
  return TRUE;
}

gboolean
pt_hub_download (const PtHubTask *task, GError **error)
{
  Download self = { .task = task, .n = task->variant->n_files };
  gboolean going;

  self.items = g_new0 (Item, self.n);
  for (guint i = 0; i < self.n; i++) {
    self.items[i].download = &self;
    self.items[i].file = &task->variant->files[i];
    self.items[i].fd = -1;
  }
  going = prepare_all (&self, error);
  while (going && self.n_done < self.n)
    going = take_turn (&self, error);
  if (going)
    report (&self, PT_HUB_INSTALLING, NULL, TRUE);
  for (guint i = 0; i < self.n; i++) {
    close_file (&self.items[i]);
    g_clear_pointer (&self.items[i].sum, pt_hub_sum_free);
    g_free (self.items[i].path);
  }
  g_free (self.items);
  g_clear_error (&self.error);
  return going;
}
