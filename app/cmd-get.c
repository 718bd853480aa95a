/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include <jansson.h>
#include <pteris/hub-token.h>

#include "app/cli.h"
#include "app/confirm.h"
#include "app/interruptible.h"
#include "engine/base/clean.h"
#include "engine/base/json.h"

#define MAX_TOKEN_FILE 4096
/* Columns of a file's name in the line of progress. */
#define NAME_COLUMNS 22

typedef struct {
  const PterisOptions *options;
  char *id, *wanted, *revision; /* NULL: the usual ones */
  PtHubAccess access;
  char *kept_token; /* of the system's secret store; or NULL */
  char **also;      /* "owner/name:path"; or NULL */
  PtHubRepo *repo;
  const PtHubVariant *variant;
  char *folder;
  GCancellable *cancellable;
  GError *error;
  gboolean on_terminal, progress_shown;
  int tenth; /* last that a line was written for */
  PtHubPhase phase;
} Get;

/* ---- work that Ctrl-C stops ---- */

static int
run (Get *self, GThreadFunc func)
{
  pteris_run_interruptible (func, self, self->cancellable);
  if (self->progress_shown)
    fputs ("\r\033[K", stderr);
  fflush (stderr);
  return pteris_show_outcome (self->error);
}

static gpointer
look (gpointer data)
{
  Get *self = data;

  self->repo = pt_hub_look_with_kept_token (self->id, self->revision, &self->access,
                                            &self->kept_token, self->cancellable, &self->error);
  if (self->kept_token != NULL)
    self->access.token = self->kept_token;
  return NULL;
}

static gboolean
borrow (Get *self, const char *text)
{
  g_autofree char *id = NULL, *path = NULL, *revision = NULL;
  g_autoptr (PtHubRepo) other = NULL;
  const char *paths[2] = { NULL, NULL };
  guint number = (guint) (self->variant - self->repo->variants);

  if (!pt_hub_parse (text, &id, &path, &revision, &self->error))
    return FALSE;
  other = pt_hub_look_files (id, revision, &self->access, self->cancellable, &self->error);
  paths[0] = path != NULL ? path : "tokenizer.json";
  return other != NULL && pt_hub_borrow (self->repo, number, other, paths, &self->error);
}

static gpointer
borrow_all (gpointer data)
{
  Get *self = data;

  for (guint i = 0; self->also[i] != NULL && borrow (self, self->also[i]); i++)
    ;
  return NULL;
}

/* ---- progress ---- */

static char *
time_left (double seconds)
{
  guint64 whole = (guint64) MIN (seconds + 0.5, 359999);

  if (whole >= 3600)
    return g_strdup_printf ("%u:%02u:%02u left", (guint) (whole / 3600), (guint) (whole / 60 % 60),
                            (guint) (whole % 60));
  return g_strdup_printf ("%u:%02u left", (guint) (whole / 60), (guint) (whole % 60));
}

static char *
short_name (const char *path)
{
  g_autofree char *name = path != NULL ? g_path_get_basename (path) : g_strdup ("");
  g_autofree char *plain = pt_clean_text (name, NULL, ' ');

  if (g_utf8_strlen (plain, -1) > NAME_COLUMNS) {
    g_autofree char *head = g_utf8_substring (plain, 0, NAME_COLUMNS - 1);

    return g_strconcat (head, "…", NULL);
  }
  return g_steal_pointer (&plain);
}

static char *
describe (const PtHubProgress *progress)
{
  double total = (double) progress->total, done = (double) progress->bytes;
  int percent = total > 0 ? (int) (done * 100 / total) : 100;
  g_autofree char *name = short_name (progress->file);
  g_autofree char *left = NULL;

  switch (progress->phase) {
  case PT_HUB_CHECKING: return g_strdup_printf ("Checking what is there  %s", name);
  case PT_HUB_WAITING: return g_strdup_printf ("%3d %%  waiting to try again", percent);
  case PT_HUB_INSTALLING: return g_strdup_printf ("100 %%  %.1f MB", total / 1e6);
  default: break;
  }
  if (progress->rate <= 0)
    return g_strdup_printf ("%3d %%  %.1f of %.1f MB  %s", percent, done / 1e6, total / 1e6, name);
  left = time_left (progress->seconds_left);
  return g_strdup_printf ("%3d %%  %.1f of %.1f MB  %.1f MB/s  %s  %s", percent, done / 1e6,
                          total / 1e6, progress->rate / 1e6, left, name);
}

static void
on_progress (const PtHubProgress *progress, gpointer user_data)
{
  Get *self = user_data;
  g_autofree char *text = describe (progress);
  int tenth =
      progress->total > 0 ? (int) ((double) progress->bytes * 10 / (double) progress->total) : 10;

  if (self->options->json)
    return;
  if (self->on_terminal) {
    fprintf (stderr, "\r\033[K%s", text);
    self->progress_shown = TRUE;
  } else if (progress->phase != PT_HUB_CHECKING &&
             (tenth != self->tenth || progress->phase != self->phase)) {
    fprintf (stderr, "%s\n", text);
    self->tenth = tenth;
    self->phase = progress->phase;
  }
  fflush (stderr);
}

static gpointer
download (gpointer data)
{
  Get *self = data;

  self->folder = pt_hub_get (self->repo, self->variant, &self->access, on_progress, self,
                             self->cancellable, &self->error);
  return NULL;
}

/* ---- lists ---- */

static json_t *
variant_to_json (const PtHubVariant *variant)
{
  json_t *json = json_object (), *files = json_array ();

  for (guint i = 0; i < variant->n_files; i++) {
    json_t *file = json_object ();

    json_object_set_new (file, "path", pt_json_text (variant->files[i].path));
    json_object_set_new (file, "bytes", json_integer ((json_int_t) variant->files[i].bytes));
    json_array_append_new (files, file);
  }
  json_object_set_new (json, "name", pt_json_text (variant->name));
  json_object_set_new (json, "program", pt_json_text (variant->program));
  json_object_set_new (json, "backend", pt_json_text (variant->backend));
  json_object_set_new (json, "precision", pt_json_text (variant->precision));
  json_object_set_new (json, "bytes", json_integer ((json_int_t) variant->bytes));
  json_object_set_new (json, "best", json_boolean (variant->best));
  json_object_set_new (json, "files", files);
  return json;
}

static void
list_json (const PtHubRepo *repo)
{
  json_t *json = json_object (), *variants = json_array ();
  g_autofree char *text = NULL;

  for (guint i = 0; i < repo->n_variants; i++)
    json_array_append_new (variants, variant_to_json (&repo->variants[i]));
  json_object_set_new (json, "repo", pt_json_text (repo->id));
  json_object_set_new (json, "endpoint", pt_json_text (repo->endpoint));
  json_object_set_new (json, "revision", pt_json_text (repo->revision));
  json_object_set_new (json, "commit", pt_json_text (repo->commit));
  json_object_set_new (json, "license", pt_json_text (repo->license));
  json_object_set_new (json, "task", pt_json_text (repo->task));
  json_object_set_new (json, "gated", json_boolean (repo->gated));
  json_object_set_new (json, "variants", variants);
  text = pt_json_steal_text (json);
  pteris_put_json (text);
}

static void
list (const PtHubRepo *repo)
{
  gsize width = 0;

  for (guint i = 0; i < repo->n_variants; i++)
    width = MAX (width, (gsize) g_utf8_strlen (repo->variants[i].name, -1));
  for (guint i = 0; i < repo->n_variants; i++) {
    const PtHubVariant *variant = &repo->variants[i];
    char size[32];

    pteris_putf ("%s%*s  %9s  %s%s\n", variant->name,
                 (int) (width - (gsize) g_utf8_strlen (variant->name, -1)), "",
                 pteris_format_bytes (variant->bytes, size, sizeof size), variant->program,
                 variant->best && repo->n_variants > 1 ? "  (taken if none is named)" : "");
  }
  pteris_put ("");
  if (repo->left_out != NULL)
    pteris_note ("Programs for other computers are left out: %s.", repo->left_out);
}

static void
show_license (const PtHubRepo *repo)
{
  if (repo->license == NULL)
    pteris_note ("License: not stated. Read %s/%s before you use it.", repo->endpoint, repo->id);
  else if (repo->license_link != NULL)
    pteris_note ("License: %s (%s)", repo->license, repo->license_link);
  else
    pteris_note ("License: %s", repo->license);
}

/* ---- the command ---- */

static int
confirm (const Get *self, gboolean yes)
{
  const PtHubVariant *variant = self->variant;
  g_autofree char *question = NULL;
  char size[32];

  pteris_format_bytes (variant->bytes, size, sizeof size);
  if (!self->options->json) {
    pteris_note ("%s, variant %s: %s in %u files, from %s", self->repo->id, variant->name, size,
                 variant->n_files, self->repo->endpoint);
    show_license (self->repo);
  }
  if (yes || self->options->json || !pteris_can_ask ())
    return PTERIS_EXIT_DONE;
  return pteris_confirm ("Download it?", TRUE);
}

static void
show_result (const Get *self)
{
  g_autofree char *own = g_strdelimit (g_strdup (self->variant->program), "/", G_DIR_SEPARATOR);
  g_autofree char *program = g_build_filename (self->folder, own, NULL);

  if (self->options->json) {
    json_t *json = json_object ();
    g_autofree char *text = NULL;

    json_object_set_new (json, "folder", pt_json_text (self->folder));
    json_object_set_new (json, "program", pt_json_text (program));
    json_object_set_new (json, "variant", pt_json_text (self->variant->name));
    json_object_set_new (json, "commit", pt_json_text (self->repo->commit));
    text = pt_json_steal_text (json);
    pteris_put_json (text);
  } else {
    pteris_putf ("%s\n", program);
    pteris_put ("");
  }
}

static int
get (Get *self, gboolean only_list, gboolean yes)
{
  int status = run (self, look);

  if (status != PTERIS_EXIT_DONE)
    return status;
  if (only_list) {
    if (self->options->json)
      list_json (self->repo);
    else
      list (self->repo);
    if (!self->options->json)
      show_license (self->repo);
    return PTERIS_EXIT_DONE;
  }
  self->variant = pt_hub_choose (self->repo, self->wanted, &self->error);
  if (self->variant == NULL) {
    pteris_complain ("%s", self->error->message);
    return PTERIS_EXIT_FAILED;
  }
  if (self->also != NULL)
    status = run (self, borrow_all);
  if (status == PTERIS_EXIT_DONE)
    status = confirm (self, yes);
  if (status == PTERIS_EXIT_DONE)
    status = run (self, download);
  if (status == PTERIS_EXIT_DONE)
    show_result (self);
  return status;
}

/* The first line of @path; NULL with a message. */
static char *
read_token (const char *path)
{
  g_autoptr (GError) error = NULL;
  gsize length = 0;
  char *text = pt_text_load (path, MAX_TOKEN_FILE, &length, &error);

  if (text == NULL) {
    pteris_complain ("%s", error->message);
    return NULL;
  }
  text[strcspn (text, "\r\n")] = '\0';
  return g_strstrip (text);
}

int
pteris_get_command (int argc, char **argv)
{
  gboolean only_list = FALSE, yes = FALSE;
  g_autofree char *revision = NULL, *token_file = NULL, *token = NULL;
  g_auto (PterisOptions) common = { .no_model = TRUE };
  Get self = { &common, .on_terminal = pteris_is_terminal (2), .tenth = -1 };
  const GOptionEntry entries[] = {
    { "list", 'l', 0, G_OPTION_ARG_NONE, &only_list, "List the variants, download nothing", NULL },
    { "revision", 'r', 0, G_OPTION_ARG_FILENAME, &revision, "Branch, tag or commit; default: main",
      "REV" },
    { "also", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self.also,
      "A file of another repository that this one lacks", "REPO:PATH" },
    { "token-file", 0, 0, G_OPTION_ARG_FILENAME, &token_file,
      "File with a token of the hub; default: HF_TOKEN, or what the window keeps", "FILE" },
    { "yes", 'y', 0, G_OPTION_ARG_NONE, &yes, "Do not ask before the download", NULL },
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  int status = pteris_options_parse (&common, "get REPO[:VARIANT]",
                                     "Download a published model (“owner/name”, or its address).",
                                     entries, 1, 1, argc, argv);

  if (status >= 0)
    return status;
  if (!pt_hub_parse (common.arguments[0], &self.id, &self.wanted, &self.revision, &error))
    return pteris_usage_error ("get", "%s", error->message);
  if (token_file != NULL && (token = read_token (token_file)) == NULL)
    status = PTERIS_EXIT_FAILED;
  if (revision != NULL) {
    g_free (self.revision);
    self.revision = g_steal_pointer (&revision);
  }
  self.access.token = token;
  self.cancellable = g_cancellable_new ();
  pteris_catch_interrupts ();
  if (status < 0)
    status = get (&self, only_list, yes);
  g_object_unref (self.cancellable);
  g_clear_pointer (&self.repo, pt_hub_repo_free);
  g_clear_error (&self.error);
  g_free (self.folder);
  g_free (self.kept_token);
  g_free (self.id);
  g_free (self.wanted);
  g_free (self.revision);
  g_strfreev (self.also);
  return status;
}
