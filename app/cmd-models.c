/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <jansson.h>
#include <pteris/hub.h>
#include <pteris/models.h>

#include "app/cli.h"
#include "engine/base/json.h"

/** A line of the list. */
typedef struct {
  char *name, *path, *task, *license, *from, *commit, *note;
  guint64 bytes;
} Row;

static void
row_free (gpointer data)
{
  Row *self = data;

  g_free (self->name);
  g_free (self->path);
  g_free (self->task);
  g_free (self->license);
  g_free (self->from);
  g_free (self->commit);
  g_free (self->note);
  g_free (self);
}

static gboolean
is_below (const char *path, const char *folder)
{
  gsize length = strlen (folder);

  return strncmp (path, folder, length) == 0 && G_IS_DIR_SEPARATOR (path[length]);
}

static const PtHubModel *
origin_of (const char *path, const GPtrArray *downloads)
{
  for (guint i = 0; i < downloads->len; i++) {
    const PtHubModel *model = downloads->pdata[i];

    if (!model->is_part && is_below (path, model->folder))
      return model;
  }
  return NULL;
}

static Row *
row_new (const PtModelInfo *info, const PtHubModel *origin)
{
  Row *self = g_new0 (Row, 1);

  self->name = g_strdup (info->name);
  self->path = g_strdup (info->path);
  self->task = g_strdup (info->task);
  self->license = g_strdup (info->license);
  self->note = g_strdup (info->missing);
  self->bytes = info->bytes;
  if (origin != NULL) {
    self->from = g_strdup_printf ("%s/%s", origin->endpoint, origin->id);
    self->commit = g_strdup (origin->commit);
    if (self->license == NULL)
      self->license = g_strdup (origin->license);
  }
  return self;
}

/* A model that is not completely downloaded. */
static Row *
part_row (const PtHubModel *model)
{
  Row *self = g_new0 (Row, 1);
  const char *variant = model->variants[0] != NULL ? model->variants[0] : "";
  int percent =
      model->bytes > 0 ? (int) ((double) model->bytes_there * 100 / (double) model->bytes) : 0;

  self->name = g_strdup (model->name);
  self->path = g_strdup (model->folder);
  self->task = g_strdup ("unfinished");
  self->license = g_strdup (model->license);
  self->from = g_strdup_printf ("%s/%s", model->endpoint, model->id);
  self->commit = g_strdup (model->commit);
  self->bytes = model->bytes;
  self->note = g_strdup_printf (
      "%d %% is there. “pteris get %s:%s” goes on, “pteris remove %s:%s” deletes it.", percent,
      model->id, variant, model->id, variant);
  return self;
}

static gboolean
has_rows_below (const GPtrArray *rows, const char *folder)
{
  for (guint i = 0; i < rows->len; i++)
    if (is_below (((Row *) rows->pdata[i])->path, folder))
      return TRUE;
  return FALSE;
}

/* Programs of a download lie deeper than those of other models may. */
static void
add_programs (GPtrArray *rows, const PtHubModel *model)
{
  for (guint i = 0; model->programs[i] != NULL; i++) {
    g_autofree char *own = g_strdelimit (g_strdup (model->programs[i]), "/", G_DIR_SEPARATOR);
    g_autofree char *path = g_build_filename (model->folder, own, NULL);
    g_autoptr (PtModelInfo) info = pt_library_probe (path, NULL);

    if (info != NULL)
      g_ptr_array_add (rows, row_new (info, model));
  }
}

static GPtrArray *
read_rows (void)
{
  g_autoptr (GPtrArray) infos = pt_library_scan (NULL);
  g_autoptr (GPtrArray) downloads = pt_hub_installed ();
  GPtrArray *rows = g_ptr_array_new_with_free_func (row_free);

  for (guint i = 0; i < infos->len; i++) {
    const PtModelInfo *info = infos->pdata[i];

    g_ptr_array_add (rows, row_new (info, origin_of (info->path, downloads)));
  }
  for (guint i = 0; i < downloads->len; i++) {
    const PtHubModel *model = downloads->pdata[i];

    if (model->is_part)
      g_ptr_array_add (rows, part_row (model));
    else if (!has_rows_below (rows, model->folder))
      add_programs (rows, model);
  }
  return rows;
}

/* ---- output ---- */

static void
show_json (const GPtrArray *rows)
{
  json_t *list = json_array ();
  g_autofree char *text = NULL;

  for (guint i = 0; i < rows->len; i++) {
    const Row *row = rows->pdata[i];
    json_t *json = json_object ();

    json_object_set_new (json, "name", pt_json_text (row->name));
    json_object_set_new (json, "path", pt_json_text (row->path));
    json_object_set_new (json, "task", pt_json_text (row->task));
    json_object_set_new (json, "bytes", json_integer ((json_int_t) row->bytes));
    json_object_set_new (json, "license", pt_json_text (row->license));
    json_object_set_new (json, "from", pt_json_text (row->from));
    json_object_set_new (json, "commit", pt_json_text (row->commit));
    json_object_set_new (json, "note", pt_json_text (row->note));
    json_array_append_new (list, json);
  }
  text = pt_json_steal_text (list);
  pteris_put_json (text);
}

static void
show (const GPtrArray *rows)
{
  int width = 0;

  for (guint i = 0; i < rows->len; i++)
    width = MAX (width, (int) g_utf8_strlen (((Row *) rows->pdata[i])->name, -1));
  for (guint i = 0; i < rows->len; i++) {
    const Row *row = rows->pdata[i];
    char size[32];

    pteris_putf ("%s%*s  %9s  %-10s  %s\n", row->name, width - (int) g_utf8_strlen (row->name, -1),
                 "", pteris_format_bytes (row->bytes, size, sizeof size), row->task,
                 row->from != NULL ? row->from : row->path);
  }
  pteris_put ("");
  for (guint i = 0; i < rows->len; i++) {
    const Row *row = rows->pdata[i];

    if (row->note != NULL)
      pteris_note ("%s: %s", row->name, row->note);
  }
  if (rows->len == 0)
    pteris_note ("The library “%s” is empty. “pteris get REPO” downloads a model.",
                 pt_library_default_folder ());
}

int
pteris_models_command (int argc, char **argv)
{
  g_auto (PterisOptions) common = { .no_model = TRUE };
  int status = pteris_options_parse (&common, "models", "List the models of the library.", NULL, 0,
                                     0, argc, argv);
  g_autoptr (GPtrArray) rows = NULL;

  if (status >= 0)
    return status;
  rows = read_rows ();
  if (common.json)
    show_json (rows);
  else
    show (rows);
  return PTERIS_EXIT_DONE;
}
