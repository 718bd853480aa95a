/* SPDX-License-Identifier: BSD-3-Clause */
#include <jansson.h>
#include <pteris/update.h>

#include "app/cli.h"
#include "app/interruptible.h"
#include "engine/base/json.h"

typedef struct {
  GCancellable *cancellable;
  PtUpdate *update;
  GError *error;
} Look;

static gpointer
look (gpointer data)
{
  Look *self = data;

  self->update = pt_update_look (self->cancellable, &self->error);
  return NULL;
}

static void
show_json (const PtUpdate *update)
{
  json_t *json = json_object (), *files = json_array ();
  g_autofree char *text = NULL;

  for (guint i = 0; i < update->n_files; i++) {
    json_t *file = json_object ();

    json_object_set_new (file, "name", pt_json_text (update->files[i].name));
    json_object_set_new (file, "bytes", json_integer ((json_int_t) update->files[i].bytes));
    json_object_set_new (file, "sha256", pt_json_text (update->files[i].sha256));
    json_array_append_new (files, file);
  }
  json_object_set_new (json, "current", pt_json_text (update->current));
  json_object_set_new (json, "newest", pt_json_text (update->newest));
  json_object_set_new (json, "newer", json_boolean (update->is_newer));
  json_object_set_new (json, "date", pt_json_text (update->date));
  json_object_set_new (json, "page", pt_json_text (update->page));
  json_object_set_new (json, "files", files);
  text = pt_json_steal_text (json);
  pteris_put_json (text);
}

static void
show (const PtUpdate *update)
{
  if (!update->is_newer) {
    pteris_put_line ("Pteris %s is the newest version.", update->current);
    return;
  }
  pteris_put_line ("Pteris %s of %s is newer than this one (%s): %s", update->newest, update->date,
                   update->current, update->page);
  for (guint i = 0; i < update->n_files; i++) {
    char size[32];

    pteris_put_line ("%s  %s  %s", update->files[i].sha256, update->files[i].name,
                     pteris_format_bytes (update->files[i].bytes, size, sizeof size));
  }
}

static int
check (gboolean json)
{
  Look self = { .cancellable = g_cancellable_new () };
  int status;

  pteris_catch_interrupts ();
  pteris_run_interruptible (look, &self, self.cancellable);
  status = pteris_show_outcome (self.error);
  if (status == PTERIS_EXIT_DONE && json)
    show_json (self.update);
  else if (status == PTERIS_EXIT_DONE)
    show (self.update);
  g_object_unref (self.cancellable);
  g_clear_error (&self.error);
  pt_update_free (self.update);
  return status;
}

int
pteris_update_command (int argc, char **argv)
{
  gboolean only_check = FALSE;
  const GOptionEntry entries[] = {
    { "check", 'c', 0, G_OPTION_ARG_NONE, &only_check, "Ask for the list of versions now", NULL },
    { NULL },
  };
  g_auto (PterisOptions) common = { .no_model = TRUE };
  int status = pteris_options_parse (
      &common, "update --check",
      "Check whether there is a newer version of Pteris. Nothing is downloaded or installed.",
      entries, 0, 0, argc, argv);

  if (status >= 0)
    return status;
  if (!only_check)
    return pteris_usage_error (
        "update", "Pteris does not update itself. --check asks whether there is a newer version.");
  return check (common.json);
}
