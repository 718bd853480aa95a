/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/meaning/meaning.h"

#include <glib/gstdio.h>
#include <string.h>

#include "ui/engine/crash-guard.h"
#include "ui/engine/embed-engine.h"
#include "ui/history/meaning-store.h"
#include "ui/i18n.h"
#include "ui/settings.h"

/* How long nothing else must have run before work begins. */
#define QUIET_MS 1500
/* Messages and transcripts that are read at once, and passages of a job: some tenths of a second.
 */
#define MAX_UNITS 16
#define MAX_TEXTS 8

struct _PterisMeaning {
  GObject parent_instance;

  PterisEngines *engines;
  PterisLibrary *library;
  PterisEmbedEngine *engine;
  gboolean started;
  PterisModel *model;
  char *error;

  gint64 number; /* of the model in the database; 0: unknown yet */
  guint n_done, n_units;
  guint source; /* waits for quiet */
  gboolean reading;
  guint changes; /* pteris_meaning_get_changes() of the last reading, +1; 0: there was none */

  /* The batch: the first unit is in work. */
  GPtrArray *units;
  guint n_texts; /* of the first unit that have vectors */
  GByteArray *records;
  guint width;
  guint64 job; /* 0: none runs */

  char *guarded; /* what the crash guard knows */
  guint64 query_job;
  GTask *query; /* its task; the data is the text */
  GTask *next;  /* of the newest query that waits for it; or NULL */
};

static void query_source_init (PterisQuerySourceInterface *iface);
static void consider (PterisMeaning *self);
static void go_on (PterisMeaning *self);

G_DEFINE_FINAL_TYPE_WITH_CODE (PterisMeaning, pteris_meaning, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (PTERIS_TYPE_QUERY_SOURCE, query_source_init))

static gboolean
is_on (PterisMeaning *self)
{
  return self->started && self->model != NULL && self->error == NULL &&
         pteris_settings_get_boolean (PTERIS_SETTING_SEARCH_BY_MEANING);
}

/* No engine of the window has a job. */
static gboolean
is_idle (PterisMeaning *self)
{
  return pteris_engines_count_jobs (self->engines) == 0;
}

static void
announce (PterisMeaning *self)
{
  g_signal_emit_by_name (self, "changed");
}

/* Tells the crash guard which program is in use. */
static void
guard (PterisMeaning *self)
{
  gboolean works = self->job != 0 || self->query_job != 0;
  const char *path =
      works && self->model != NULL ? pteris_model_get_info (self->model)->path : NULL;

  if (g_strcmp0 (path, self->guarded) == 0)
    return;
  pteris_crash_guard_enter (path);
  pteris_crash_guard_leave (self->guarded);
  g_free (self->guarded);
  self->guarded = g_strdup (path);
}

static void
fail (PterisMeaning *self, const char *error)
{
  g_free (self->error);
  self->error = g_strdup (error);
  announce (self);
}

/* ---- the batch ---- */

static void
drop_batch (PterisMeaning *self)
{
  g_clear_pointer (&self->units, g_ptr_array_unref);
  g_byte_array_set_size (self->records, 0);
  self->n_texts = 0;
  self->width = 0;
}

static void
stop (PterisMeaning *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  if (self->job != 0)
    pteris_embed_engine_cancel (self->engine, self->job);
}

/* Writes the first unit, whose vectors are complete. */
static void
end_unit (PterisMeaning *self)
{
  g_autoptr (GBytes) records = g_bytes_new (self->records->data, self->records->len);

  pteris_meaning_write (self->units->pdata[0], self->number, self->width, records);
  g_ptr_array_remove_index (self->units, 0);
  g_byte_array_set_size (self->records, 0);
  self->n_texts = 0;
  self->width = 0;
  self->n_done++;
  if (self->units->len == 0)
    drop_batch (self);
}

/* FALSE with the error set when the model makes other vectors. */
static gboolean
take_vectors (PterisMeaning *self, const PtEmbedReport *report)
{
  const PterisUnit *unit = self->units->pdata[0];

  if (report->many || report->dimension > PTERIS_VECTOR_MAX_WIDTH ||
      (self->width != 0 && report->dimension != 0 && report->dimension != self->width)) {
    fail (self, _ ("The model does not make one vector of each text."));
    return FALSE;
  }
  for (guint i = 0; i < report->n_embeddings && self->n_texts < unit->texts->len; i++) {
    const PtEmbedding *embedding = &report->embeddings[i];
    guint k = self->n_texts++;
    const PterisPassage *passage = &g_array_index (unit->passages, PterisPassage, k);
    const PterisRecord record = { .place = g_array_index (unit->places, gint64, k),
                                  .start = passage->start,
                                  .length = passage->length };

    if (embedding->error != NULL || embedding->n_vectors != 1)
      continue;
    self->width = report->dimension;
    pteris_vectors_append (self->records, &record, embedding->values, report->dimension);
  }
  return TRUE;
}

static void
on_vectors (const PtEmbedReport *report, const char *error, gpointer user_data)
{
  PterisMeaning *self = user_data;

  self->job = 0;
  guard (self);
  if (error != NULL)
    fail (self, error);
  if (report == NULL || self->units == NULL || !take_vectors (self, report)) {
    consider (self); /* stopped, or failed */
    return;
  }
  go_on (self);
}

static void
submit (PterisMeaning *self)
{
  const PterisUnit *unit = self->units->pdata[0];
  const char *texts[MAX_TEXTS + 1] = { NULL };

  for (guint i = 0; i < MAX_TEXTS && self->n_texts + i < unit->texts->len; i++)
    texts[i] = unit->texts->pdata[self->n_texts + i];
  self->job =
      pteris_embed_engine_submit (self->engine, self->model, texts, FALSE, on_vectors, self);
  guard (self);
}

/* The next job of the batch, or the next batch. */
static void
go_on (PterisMeaning *self)
{
  if (self->units != NULL && pteris_meaning_get_changes () + 1 != self->changes)
    drop_batch (self);
  while (self->units != NULL && self->n_texts >= ((PterisUnit *) self->units->pdata[0])->texts->len)
    end_unit (self);
  announce (self);
  consider (self);
}

/* ---- reading ---- */

typedef struct {
  char *program, *tokenizer;
  char **data;
  gint64 number;
  guint n_done, n_units;
} Reading;

static void
reading_free (Reading *reading)
{
  g_free (reading->program);
  g_free (reading->tokenizer);
  g_strfreev (reading->data);
  g_free (reading);
}

/* Which file @path is, and that it has not changed. */
static void
describe_file (GString *identity, const char *path)
{
  GStatBuf info;

  if (path != NULL && g_stat (path, &info) == 0)
    g_string_append_printf (identity, "%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n", path,
                            (gint64) info.st_size, (gint64) info.st_mtime);
}

static void
read_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Reading *reading = data;
  g_autoptr (GString) identity = g_string_new (NULL);
  GPtrArray *units = NULL;
  GError *error = NULL;

  describe_file (identity, reading->program);
  describe_file (identity, reading->tokenizer);
  for (guint i = 0; reading->data != NULL && reading->data[i] != NULL; i++)
    describe_file (identity, reading->data[i]);
  reading->number = pteris_meaning_model (identity->str);
  if (pteris_meaning_count (reading->number, &reading->n_done, &reading->n_units, &error))
    units = pteris_meaning_read (reading->number, MAX_UNITS, &error);
  if (units != NULL)
    g_task_return_pointer (task, units, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

/* The history's own sentences tell about errors of reading. */
static void
on_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisMeaning *self = PTERIS_MEANING (source);
  const Reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr (GPtrArray) units = g_task_propagate_pointer (G_TASK (result), NULL);

  self->reading = FALSE;
  if (self->engines == NULL || units == NULL)
    return;
  if (self->model == NULL ||
      strcmp (reading->program, pteris_model_get_info (self->model)->path) != 0) {
    consider (self);
    return;
  }
  self->number = reading->number;
  self->n_done = reading->n_done;
  self->n_units = reading->n_units;
  if (units->len > 0)
    self->units = g_ptr_array_ref (units);
  else
    self->n_done = self->n_units;
  go_on (self);
}

static void
read_units (PterisMeaning *self)
{
  const PtModelInfo *info = pteris_model_get_info (self->model);
  Reading *reading = g_new0 (Reading, 1);
  g_autoptr (GTask) task = g_task_new (self, NULL, on_read, NULL);

  reading->program = g_strdup (info->path);
  reading->tokenizer = g_strdup (info->tokenizer);
  reading->data = g_strdupv (info->data);
  self->reading = TRUE;
  self->changes = pteris_meaning_get_changes () + 1;
  g_task_set_source_tag (task, read_units);
  g_task_set_task_data (task, reading, (GDestroyNotify) reading_free);
  g_task_run_in_thread (task, read_in_thread);
}

/* ---- when to work ---- */

static gboolean
has_work (PterisMeaning *self)
{
  return self->units != NULL || self->n_done < self->n_units ||
         pteris_meaning_get_changes () + 1 != self->changes;
}

static gboolean
on_quiet (gpointer user_data)
{
  PterisMeaning *self = user_data;

  self->source = 0;
  if (!is_on (self) || !is_idle (self) || self->reading || self->job != 0 || !has_work (self))
    return G_SOURCE_REMOVE;
  if (self->units != NULL)
    submit (self);
  else
    read_units (self);
  return G_SOURCE_REMOVE;
}

/* Begins, goes on or stops, by what has changed. */
static void
consider (PterisMeaning *self)
{
  gboolean works = self->units != NULL && self->n_texts > 0;

  if (self->engines == NULL)
    return;
  if (!is_on (self) || !is_idle (self)) {
    stop (self);
    return;
  }
  if (self->reading || self->job != 0 || self->source != 0 || !has_work (self))
    return;
  /* A batch in work goes on at once. */
  works |= self->n_done > 0 && self->n_done < self->n_units && self->changes != 0 &&
           pteris_meaning_get_changes () + 1 == self->changes;
  self->source = works ? g_idle_add_full (G_PRIORITY_LOW, on_quiet, self, NULL)
                       : g_timeout_add (QUIET_MS, on_quiet, self);
}

static void
forget_model (PterisMeaning *self)
{
  stop (self);
  drop_batch (self);
  g_clear_pointer (&self->error, g_free);
  self->number = 0;
  self->n_done = self->n_units = self->changes = 0;
}

static gboolean
is_usable (PterisModel *model)
{
  const PtModelInfo *info = pteris_model_get_info (model);

  return g_strcmp0 (info->family, "text-embedding") == 0 && info->missing == NULL &&
         !info->damaged && !pteris_model_is_away (model) && !pteris_model_is_held (model);
}

/* The first usable model; the one in use if that still is. */
static void
choose_model (PterisMeaning *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->library));
  PterisModel *best = NULL;

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisModel) model = g_list_model_get_item (G_LIST_MODEL (self->library), i);

    if (!is_usable (model))
      continue;
    if (self->model != NULL && pteris_model_equal (self->model, model)) {
      best = model;
      break;
    }
    if (best == NULL)
      best = model;
  }
  if (self->model == best || (self->model != NULL && best != NULL &&
                              pteris_model_equal (self->model, best) && self->error == NULL)) {
    g_set_object (&self->model, best);
  } else {
    forget_model (self);
    g_set_object (&self->model, best);
    announce (self);
  }
  consider (self);
}

static void
on_setting (PterisMeaning *self)
{
  gboolean on = pteris_settings_get_boolean (PTERIS_SETTING_SEARCH_BY_MEANING);

  forget_model (self);
  if (!on && self->started)
    pteris_meaning_forget_all ();
  announce (self);
  consider (self);
}

static void
on_history (gpointer user_data)
{
  consider (user_data);
}

/* ---- queries ---- */

static PterisQueryVector *
make_query_vector (PterisMeaning *self, const PtEmbedReport *report)
{
  PterisQueryVector *vector;

  if (report == NULL || report->many || report->dimension == 0 ||
      report->dimension > PTERIS_VECTOR_MAX_WIDTH || report->embeddings[0].error != NULL ||
      self->number == 0)
    return NULL;
  vector = g_new0 (PterisQueryVector, 1);
  pteris_query_init (&vector->query, report->embeddings[0].values, report->dimension);
  vector->model = self->number;
  return vector;
}

static void on_query_vector (const PtEmbedReport *report, const char *error, gpointer user_data);

/* Begins with the waiting query. */
static void
submit_query (PterisMeaning *self)
{
  const char *texts[2] = { NULL, NULL };

  self->query = g_steal_pointer (&self->next);
  texts[0] = g_task_get_task_data (self->query);
  self->query_job =
      pteris_embed_engine_submit (self->engine, self->model, texts, TRUE, on_query_vector, self);
  guard (self);
}

static void
end_query (GTask **query, PterisQueryVector *vector)
{
  g_autoptr (GTask) task = g_steal_pointer (query);

  if (task != NULL)
    g_task_return_pointer (task, vector, (GDestroyNotify) pteris_query_vector_free);
}

static void
on_query_vector (const PtEmbedReport *report, const char *error, gpointer user_data)
{
  PterisMeaning *self = user_data;

  self->query_job = 0;
  guard (self);
  if (error != NULL)
    fail (self, error);
  end_query (&self->query, make_query_vector (self, report));
  if (self->next != NULL && is_on (self))
    submit_query (self);
  else
    end_query (&self->next, NULL);
  consider (self);
}

/* A query goes before everything else. One that waits ends without a vector when a newer one
 * comes. */
static void
ask_async (PterisQuerySource *source, const char *query, GCancellable *cancellable,
           GAsyncReadyCallback callback, gpointer user_data)
{
  PterisMeaning *self = PTERIS_MEANING (source);
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, ask_async);
  g_task_set_task_data (task, g_strdup (query), g_free);
  if (!is_on (self) || self->number == 0) {
    g_task_return_pointer (task, NULL, NULL);
    return;
  }
  end_query (&self->next, NULL);
  self->next = g_steal_pointer (&task);
  stop (self);
  if (self->query == NULL)
    submit_query (self);
}

static char *
describe (PterisQuerySource *source)
{
  PterisMeaning *self = PTERIS_MEANING (source);
  double progress = pteris_meaning_get_progress (self);

  if (!is_on (self) || progress < 0 || progress >= 1)
    return NULL;
  /* Translators: below the search field, while the search by meaning is not complete. */
  return g_strdup_printf (
      _ ("%.0f %% of your chats and transcripts can be found by meaning so far."), progress * 100);
}

static void
query_source_init (PterisQuerySourceInterface *iface)
{
  iface->ask_async = ask_async;
  iface->describe = describe;
}

/* ---- public functions ---- */

PterisModel *
pteris_meaning_get_model (PterisMeaning *self)
{
  return self->model;
}

double
pteris_meaning_get_progress (PterisMeaning *self)
{
  if (!is_on (self) || self->number == 0)
    return -1;
  return self->n_units > 0 ? MIN ((double) self->n_done / self->n_units, 1) : 1;
}

const char *
pteris_meaning_get_error (PterisMeaning *self)
{
  return self->error;
}

void
pteris_meaning_start (PterisMeaning *self)
{
  self->started = TRUE;
  choose_model (self);
}

/* ---- life ---- */

static void
pteris_meaning_dispose (GObject *object)
{
  PterisMeaning *self = PTERIS_MEANING (object);

  if (self->engines != NULL) {
    pteris_meaning_set_listener (NULL, NULL);
    stop (self);
    self->job = self->query_job = 0;
    guard (self);
  }
  g_clear_object (&self->engine);
  end_query (&self->query, NULL);
  end_query (&self->next, NULL);
  g_clear_object (&self->engines);
  g_clear_object (&self->library);
  g_clear_object (&self->model);
  G_OBJECT_CLASS (pteris_meaning_parent_class)->dispose (object);
}

static void
pteris_meaning_finalize (GObject *object)
{
  PterisMeaning *self = PTERIS_MEANING (object);

  drop_batch (self);
  g_byte_array_unref (self->records);
  g_free (self->error);
  g_free (self->guarded);
  G_OBJECT_CLASS (pteris_meaning_parent_class)->finalize (object);
}

static void
pteris_meaning_class_init (PterisMeaningClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = pteris_meaning_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_meaning_finalize;
}

static void
pteris_meaning_init (PterisMeaning *self)
{
  self->records = g_byte_array_new ();
  self->engine = pteris_embed_engine_new ();
}

PterisMeaning *
pteris_meaning_new (PterisEngines *engines, PterisLibrary *library)
{
  PterisMeaning *self = g_object_new (PTERIS_TYPE_MEANING, NULL);

  self->engines = g_object_ref (engines);
  self->library = g_object_ref (library);
  for (guint i = 0; i < PTERIS_N_ENGINES; i++)
    g_signal_connect_object (pteris_engines_get (engines, i), "jobs", G_CALLBACK (consider), self,
                             G_CONNECT_SWAPPED);
  g_signal_connect_object (library, "items-changed", G_CALLBACK (choose_model), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (library, "scanned", G_CALLBACK (choose_model), self, G_CONNECT_SWAPPED);
  pteris_settings_watch (PTERIS_SETTING_SEARCH_BY_MEANING, (void (*) (gpointer)) on_setting, self);
  pteris_meaning_set_listener (on_history, self);
  return self;
}
