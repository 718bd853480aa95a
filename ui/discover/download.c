/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/discover/download.h"

#include "ui/discover/access-token.h"
#include "ui/i18n.h"
#include "ui/parts/format.h"

struct _PterisDownload {
  GObject parent_instance;

  char *title, *id, *revision, *variant;
  char **also;
  PterisDownloadState state;
  GCancellable *cancellable; /* of the thread; NULL: none runs */
  gboolean again;            /* start when the thread that was told to stop has ended */
  gboolean discards;         /* delete the files then; the thread has the lock of their folder */
  PtHubPhase phase;
  guint64 bytes, total;
  double rate, seconds_left;
  char *error;
  char *folder;
};

G_DEFINE_FINAL_TYPE (PterisDownload, pteris_download, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
set_state (PterisDownload *self, PterisDownloadState state)
{
  self->state = state;
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* ---- in the thread ---- */

/* The arguments of the thread; strings are copies. */
typedef struct {
  char *id, *revision, *variant;
  char **also;
  GTask *task; /* not a reference */
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;

  g_free (work->id);
  g_free (work->revision);
  g_free (work->variant);
  g_strfreev (work->also);
  g_free (work);
}

typedef struct {
  PterisDownload *self;
  GCancellable *cancellable; /* tells one run from the next */
  PtHubProgress progress;
} Report;

static void
report_free (gpointer data)
{
  Report *report = data;

  g_object_unref (report->self);
  g_object_unref (report->cancellable);
  g_free (report);
}

static gboolean
take_report (gpointer data)
{
  const Report *report = data;
  PterisDownload *self = report->self;

  if (self->cancellable != report->cancellable || self->state != PTERIS_DOWNLOAD_RUNNING)
    return G_SOURCE_REMOVE;
  self->phase = report->progress.phase;
  self->bytes = report->progress.bytes;
  self->total = report->progress.total;
  self->rate = report->progress.rate;
  self->seconds_left = report->progress.seconds_left;
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
  return G_SOURCE_REMOVE;
}

static void
on_progress (const PtHubProgress *progress, gpointer user_data)
{
  const Work *work = user_data;
  Report *report = g_new0 (Report, 1);

  report->self = g_object_ref (g_task_get_source_object (work->task));
  report->cancellable = g_object_ref (g_task_get_cancellable (work->task));
  report->progress = *progress;
  report->progress.file = NULL; /* valid during this call only */
  g_idle_add_full (G_PRIORITY_DEFAULT, take_report, report, report_free);
}

/* Some programs are published without their tokenizer. */
static gboolean
borrow (const Work *work, PtHubRepo *repo, guint number, const PtHubAccess *access,
        GCancellable *cancellable, GError **error)
{
  for (char **at = work->also; at != NULL && at[0] != NULL; at += 3) {
    const char *paths[] = { at[2], NULL };
    g_autoptr (PtHubRepo) other = pt_hub_look_files (at[0], at[1], access, cancellable, error);

    if (other == NULL || !pt_hub_borrow (repo, number, other, paths, error))
      return FALSE;
  }
  return TRUE;
}

static void
download (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Work *work = task_data;
  g_autofree char *token = NULL;
  PtHubAccess access = { 0 };
  GError *error = NULL;
  g_autoptr (PtHubRepo) repo = NULL;
  const PtHubVariant *variant;
  char *folder = NULL;

  work->task = task;
  repo = pteris_hub_token_look (work->id, work->revision, &token, NULL, cancellable, &error);
  access.token = token;
  variant = repo != NULL ? pt_hub_choose (repo, work->variant, &error) : NULL;
  if (variant != NULL &&
      borrow (work, repo, (guint) (variant - repo->variants), &access, cancellable, &error))
    folder = pt_hub_get (repo, variant, &access, on_progress, work, cancellable, &error);
  if (folder != NULL)
    g_task_return_pointer (task, folder, g_free);
  else
    g_task_return_error (task, error);
}

/* ---- in the UI thread ---- */

static void
discard (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  const Work *work = task_data;
  g_autoptr (GPtrArray) models = pt_hub_installed ();

  for (guint i = 0; i < models->len; i++) {
    const PtHubModel *part = models->pdata[i];

    if (part->is_part && g_ascii_strcasecmp (part->id, work->id) == 0 &&
        g_strcmp0 (part->variants[0], work->variant) == 0)
      pt_hub_discard (part, NULL);
  }
  g_task_return_boolean (task, TRUE);
}

void
pteris_download_discard (PterisDownload *self)
{
  g_autoptr (GTask) task = NULL;
  Work *work;

  self->discards = self->cancellable != NULL;
  if (self->discards)
    return;
  task = g_task_new (self, NULL, NULL, NULL);
  work = g_new0 (Work, 1);
  work->id = g_strdup (self->id);
  work->variant = g_strdup (self->variant);
  g_task_set_task_data (task, work, work_free);
  g_task_run_in_thread (task, discard);
}

static void
on_downloaded (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisDownload *self = PTERIS_DOWNLOAD (source);
  g_autoptr (GError) error = NULL;

  g_clear_object (&self->cancellable);
  self->folder = g_task_propagate_pointer (G_TASK (result), &error);
  if (self->folder != NULL) {
    self->bytes = self->total;
    set_state (self, PTERIS_DOWNLOAD_DONE);
  } else if (self->discards) {
    pteris_download_discard (self);
  } else if (self->again) {
    self->again = FALSE;
    pteris_download_start (self);
  } else if (self->state == PTERIS_DOWNLOAD_PAUSED) {
    set_state (self, PTERIS_DOWNLOAD_PAUSED);
  } else {
    self->error = g_strdup (error->message);
    set_state (self, PTERIS_DOWNLOAD_FAILED);
  }
}

void
pteris_download_start (PterisDownload *self)
{
  g_autoptr (GTask) task = NULL;
  Work *work;

  if (self->state == PTERIS_DOWNLOAD_DONE)
    return;
  g_clear_pointer (&self->error, g_free);
  self->phase = PT_HUB_CHECKING;
  self->rate = 0;
  self->seconds_left = -1;
  if (self->cancellable != NULL) {
    self->again = g_cancellable_is_cancelled (self->cancellable);
    set_state (self, PTERIS_DOWNLOAD_RUNNING);
    return;
  }
  work = g_new0 (Work, 1);
  work->id = g_strdup (self->id);
  work->revision = g_strdup (self->revision);
  work->variant = g_strdup (self->variant);
  work->also = g_strdupv (self->also);
  self->cancellable = g_cancellable_new ();
  task = g_task_new (self, self->cancellable, on_downloaded, NULL);
  g_task_set_task_data (task, work, work_free);
  g_task_set_check_cancellable (task, FALSE);
  g_task_run_in_thread (task, download);
  set_state (self, PTERIS_DOWNLOAD_RUNNING);
}

void
pteris_download_pause (PterisDownload *self)
{
  if (self->state != PTERIS_DOWNLOAD_RUNNING)
    return;
  self->again = FALSE;
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  set_state (self, PTERIS_DOWNLOAD_PAUSED);
}

/* ---- what is known of it ---- */

PterisDownloadState
pteris_download_get_state (PterisDownload *self)
{
  return self->state;
}

const char *
pteris_download_get_title (PterisDownload *self)
{
  return self->title;
}

const char *
pteris_download_get_id (PterisDownload *self)
{
  return self->id;
}

const char *
pteris_download_get_variant (PterisDownload *self)
{
  return self->variant;
}

const char *
pteris_download_get_error (PterisDownload *self)
{
  return self->error;
}

const char *
pteris_download_get_folder (PterisDownload *self)
{
  return self->folder;
}

double
pteris_download_get_fraction (PterisDownload *self)
{
  return self->total > 0 ? MIN (1, (double) self->bytes / (double) self->total) : -1;
}

static char *
describe_running (PterisDownload *self)
{
  g_autofree char *done = g_format_size (self->bytes);
  g_autofree char *total = g_format_size (self->total);
  g_autofree char *rate = g_format_size ((guint64) MAX (self->rate, 0));
  g_autofree char *left = NULL;

  if (self->phase == PT_HUB_WAITING)
    return g_strdup_printf (_ ("%s of %s · waiting for the network"), done, total);
  if (self->phase == PT_HUB_INSTALLING)
    return g_strdup (_ ("Verifying…"));
  if (self->phase == PT_HUB_CHECKING || self->total == 0)
    return g_strdup (_ ("Starting…"));
  if (self->rate <= 0 || self->seconds_left < 0)
    return g_strdup_printf (_ ("%s of %s"), done, total);
  left = pteris_format_duration (MAX (1, self->seconds_left));
  return g_strdup_printf (_ ("%s of %s · %s/s · %s left"), done, total, rate, left);
}

char *
pteris_download_describe (PterisDownload *self)
{
  g_autofree char *done = g_format_size (self->bytes);
  g_autofree char *total = g_format_size (self->total);

  switch (self->state) {
  case PTERIS_DOWNLOAD_RUNNING: return describe_running (self);
  case PTERIS_DOWNLOAD_DONE: return g_strdup_printf (_ ("%s · downloaded and verified"), total);
  case PTERIS_DOWNLOAD_FAILED: return g_strdup (self->error);
  case PTERIS_DOWNLOAD_PAUSED: break;
  }
  if (self->total == 0)
    return g_strdup (_ ("Paused"));
  return g_strdup_printf (_ ("Paused · %s of %s"), done, total);
}

/* ---- life ---- */

PterisDownload *
pteris_download_new (const PterisDownloadSpec *spec)
{
  PterisDownload *self = g_object_new (PTERIS_TYPE_DOWNLOAD, NULL);

  self->title = g_strdup (spec->title);
  self->id = g_strdup (spec->id);
  self->revision = g_strdup (spec->revision);
  self->variant = g_strdup (spec->variant);
  self->also = g_strdupv ((char **) spec->also);
  self->bytes = spec->bytes_there;
  self->total = spec->bytes;
  return self;
}

static void
pteris_download_finalize (GObject *object)
{
  PterisDownload *self = PTERIS_DOWNLOAD (object);

  g_free (self->title);
  g_free (self->id);
  g_free (self->revision);
  g_free (self->variant);
  g_strfreev (self->also);
  g_free (self->error);
  g_free (self->folder);
  G_OBJECT_CLASS (pteris_download_parent_class)->finalize (object);
}

static void
pteris_download_class_init (PterisDownloadClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_download_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_DOWNLOAD, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_download_init (PterisDownload *self)
{
  self->seconds_left = -1;
}
