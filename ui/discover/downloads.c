/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/discover/downloads.h"

struct _PterisDownloads {
  PterisListObject parent_instance;

  GListStore *list;
  GListModel *catalogue;
  GHashTable *installed; /* set of repositories: "owner/name" in lower case */
};

G_DEFINE_FINAL_TYPE (PterisDownloads, pteris_downloads, PTERIS_TYPE_LIST_OBJECT)

enum { SIGNAL_CHANGED, SIGNAL_REFRESHED, SIGNAL_INSTALLED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
changed (PterisDownloads *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static PterisDownload *
find (PterisDownloads *self, const char *id, const char *variant)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self)); i++) {
    g_autoptr (PterisDownload) download = g_list_model_get_item (G_LIST_MODEL (self), i);

    if (g_ascii_strcasecmp (pteris_download_get_id (download), id) == 0 &&
        g_strcmp0 (pteris_download_get_variant (download), variant) == 0)
      return download;
  }
  return NULL;
}

PterisOffer *
pteris_downloads_find_offer (PterisDownloads *self, const char *id, const char *revision)
{
  PterisOffer *found = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (self->catalogue); i++) {
    g_autoptr (PterisOffer) offer = g_list_model_get_item (self->catalogue, i);

    if (g_ascii_strcasecmp (pteris_offer_get_repository (offer), id) != 0)
      continue;
    if (g_strcmp0 (pteris_offer_get_revision (offer), revision) == 0)
      return offer;
    if (found == NULL)
      found = offer;
  }
  return found;
}

static void
on_download_changed (PterisDownload *download, PterisDownloads *self)
{
  if (pteris_download_get_state (download) == PTERIS_DOWNLOAD_DONE) {
    g_hash_table_add (self->installed, g_ascii_strdown (pteris_download_get_id (download), -1));
    g_signal_emit (self, signals[SIGNAL_INSTALLED], 0, download);
    g_signal_emit (self, signals[SIGNAL_REFRESHED], 0);
  }
  changed (self);
}

static PterisDownload *
add (PterisDownloads *self, const PterisDownloadSpec *spec)
{
  g_autoptr (PterisDownload) download = pteris_download_new (spec);

  g_signal_connect_object (download, "changed", G_CALLBACK (on_download_changed), self, 0);
  g_list_store_append (self->list, download);
  return download;
}

PterisDownload *
pteris_downloads_start (PterisDownloads *self, const PterisDownloadSpec *spec)
{
  PterisDownload *download = find (self, spec->id, spec->variant);

  if (download != NULL && pteris_download_get_state (download) == PTERIS_DOWNLOAD_DONE) {
    pteris_downloads_remove (self, download);
    download = NULL;
  }
  if (download == NULL)
    download = add (self, spec);
  pteris_download_start (download);
  return download;
}

void
pteris_downloads_remove (PterisDownloads *self, PterisDownload *download)
{
  guint position;

  pteris_download_pause (download);
  if (pteris_download_get_state (download) != PTERIS_DOWNLOAD_DONE)
    pteris_download_discard (download);
  g_signal_handlers_disconnect_by_func (download, on_download_changed, self);
  if (g_list_store_find (self->list, download, &position))
    g_list_store_remove (self->list, position);
  changed (self);
}

gboolean
pteris_downloads_has (PterisDownloads *self, const char *id)
{
  g_autofree char *key = g_ascii_strdown (id, -1);

  return g_hash_table_contains (self->installed, key);
}

gboolean
pteris_downloads_is_busy (PterisDownloads *self)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self)); i++) {
    g_autoptr (PterisDownload) download = g_list_model_get_item (G_LIST_MODEL (self), i);

    if (pteris_download_get_state (download) == PTERIS_DOWNLOAD_RUNNING)
      return TRUE;
  }
  return FALSE;
}

/* ---- what is on the disk ---- */

static void
read_installed (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  g_task_return_pointer (task, pt_hub_installed (), (GDestroyNotify) g_ptr_array_unref);
}

static void
take_part (PterisDownloads *self, const PtHubModel *model)
{
  PterisOffer *offer = pteris_downloads_find_offer (self, model->id, model->revision);
  const char *variant = model->variants != NULL ? model->variants[0] : NULL;
  PterisDownloadSpec spec = {
    .title = offer != NULL ? pteris_offer_get_title (offer) : model->id,
    .id = model->id,
    .revision = model->revision,
    .variant = variant,
    .also = offer != NULL ? pteris_offer_get_also (offer) : NULL,
    .bytes_there = model->bytes_there,
    .bytes = model->bytes,
  };

  if (variant != NULL && find (self, model->id, variant) == NULL)
    add (self, &spec);
}

static void
on_installed_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisDownloads *self = PTERIS_DOWNLOADS (source);
  g_autoptr (GPtrArray) models = g_task_propagate_pointer (G_TASK (result), NULL);

  g_hash_table_remove_all (self->installed);
  for (guint i = 0; models != NULL && i < models->len; i++) {
    const PtHubModel *model = models->pdata[i];

    if (model->is_part)
      take_part (self, model);
    else
      g_hash_table_add (self->installed, g_ascii_strdown (model->id, -1));
  }
  g_signal_emit (self, signals[SIGNAL_REFRESHED], 0);
}

void
pteris_downloads_refresh (PterisDownloads *self)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, on_installed_read, NULL);

  g_task_run_in_thread (task, read_installed);
}

/* ---- life ---- */

PterisDownloads *
pteris_downloads_new (GListModel *catalogue)
{
  PterisDownloads *self = g_object_new (PTERIS_TYPE_DOWNLOADS, NULL);

  self->catalogue = g_object_ref (catalogue);
  pteris_downloads_refresh (self);
  return self;
}

static void
pteris_downloads_dispose (GObject *object)
{
  PterisDownloads *self = PTERIS_DOWNLOADS (object);

  /* The threads end by themselves; what has arrived is kept for the next start. */
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->list)); i++) {
    g_autoptr (PterisDownload) download = g_list_model_get_item (G_LIST_MODEL (self->list), i);

    g_signal_handlers_disconnect_by_func (download, on_download_changed, self);
    pteris_download_pause (download);
  }
  g_clear_object (&self->catalogue);
  G_OBJECT_CLASS (pteris_downloads_parent_class)->dispose (object);
}

static void
pteris_downloads_finalize (GObject *object)
{
  g_hash_table_unref (PTERIS_DOWNLOADS (object)->installed);
  G_OBJECT_CLASS (pteris_downloads_parent_class)->finalize (object);
}

static void
pteris_downloads_class_init (PterisDownloadsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = pteris_downloads_dispose;
  object_class->finalize = pteris_downloads_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_DOWNLOADS, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_REFRESHED] = g_signal_new ("refreshed", PTERIS_TYPE_DOWNLOADS, G_SIGNAL_RUN_LAST,
                                            0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_INSTALLED] =
      g_signal_new ("installed", PTERIS_TYPE_DOWNLOADS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 1, PTERIS_TYPE_DOWNLOAD);
}

static void
pteris_downloads_init (PterisDownloads *self)
{
  self->list = pteris_list_object_begin (PTERIS_LIST_OBJECT (self), PTERIS_TYPE_DOWNLOAD);
  self->installed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}
