/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <pteris/hub.h>
#include <pteris/models.h>

#include "app/cli.h"
#include "app/confirm.h"

static gboolean
is_there (const char *name)
{
  g_autofree char *path = g_build_filename (pt_library_default_folder (), name, NULL);

  return strpbrk (name, "/\\") == NULL && *name != '.' && *name != '\0' &&
         (g_file_test (path, G_FILE_TEST_EXISTS) || g_file_test (path, G_FILE_TEST_IS_SYMLINK));
}

/* The first name of @path below the library's folder; NULL: it lies elsewhere. */
static char *
name_of_path (const char *path)
{
  const char *library = pt_library_default_folder ();
  gsize length = strlen (library);
  const char *rest = path + length;

  if (strncmp (path, library, length) != 0 || !G_IS_DIR_SEPARATOR (*rest))
    return NULL;
  while (G_IS_DIR_SEPARATOR (*rest))
    rest++;
  return g_strndup (rest, strcspn (rest, G_DIR_SEPARATOR_S));
}

/* "owner/name", also where only a part of it is there. */
static char *
name_of_download (const char *text)
{
  g_autoptr (GPtrArray) models = pt_hub_installed ();

  for (guint i = 0; i < models->len; i++) {
    const PtHubModel *model = models->pdata[i];

    if (strcmp (model->id, text) == 0 || strcmp (model->name, text) == 0)
      return g_strdup (model->name);
  }
  return NULL;
}

/* Of the model that is called @text, and not of one that is called like it. */
static char *
path_of_model (const char *text)
{
  g_autoptr (GPtrArray) infos = pt_library_scan (NULL);

  for (guint i = 0; i < infos->len; i++) {
    const PtModelInfo *info = infos->pdata[i];

    if (strcmp (info->name, text) == 0)
      return g_strdup (info->path);
  }
  return NULL;
}

/* The model in the library's folder that @text names; NULL with a message. */
static char *
find (const char *text)
{
  g_autofree char *name = is_there (text) ? g_strdup (text) : name_of_download (text);
  g_autofree char *path = NULL;

  if (name != NULL)
    return g_steal_pointer (&name);
  path = g_file_test (text, G_FILE_TEST_EXISTS) ? g_canonicalize_filename (text, NULL)
                                                : path_of_model (text);
  name = path != NULL ? name_of_path (path) : NULL;
  if (name != NULL)
    return g_steal_pointer (&name);
  if (path != NULL)
    pteris_complain ("“%s” is not in the library's folder “%s”. Delete it yourself.", path,
                     pt_library_default_folder ());
  else
    pteris_complain ("The library has no model “%s”. “pteris models” lists what there is.", text);
  return NULL;
}

/* Asks, unless @yes. Returns 0 to go on, else the exit status. */
static int
confirm (const char *question, const char *what, gboolean yes)
{
  if (yes)
    return PTERIS_EXIT_DONE;
  if (!pteris_can_ask ())
    return pteris_usage_error (
        "remove", "This is no terminal to ask whether to delete “%s”. Use --yes.", what);
  pteris_catch_interrupts ();
  return pteris_confirm (question, FALSE);
}

/* "owner/name:VARIANT" is what there is of a variant that is not there as a whole. */
static int
remove_part (const char *text, gboolean yes)
{
  g_autoptr (GPtrArray) models = pt_hub_installed ();
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < models->len; i++) {
    const PtHubModel *model = models->pdata[i];
    g_autofree char *name =
        g_strconcat (model->id, ":", model->variants[0] != NULL ? model->variants[0] : "", NULL);
    g_autofree char *question = g_strdup_printf ("Delete what there is of “%s”?", name);
    int status;

    if (!model->is_part || strcmp (name, text) != 0)
      continue;
    status = confirm (question, text, yes);
    if (status == PTERIS_EXIT_DONE && !pt_hub_discard (model, &error)) {
      pteris_complain ("%s", error->message);
      status = PTERIS_EXIT_FAILED;
    }
    return status;
  }
  pteris_complain ("There is no unfinished download “%s”. “pteris models” lists what there is; a "
                   "model is deleted as a whole, by its name.",
                   text);
  return PTERIS_EXIT_FAILED;
}

static int
remove_model (const char *text, gboolean yes)
{
  g_autofree char *name = find (text);
  g_autofree char *path = NULL, *question = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  if (name == NULL)
    return PTERIS_EXIT_FAILED;
  path = g_build_filename (pt_library_default_folder (), name, NULL);
  question = g_strdup_printf ("Delete “%s” with everything in it?", path);
  status = confirm (question, path, yes);
  if (status == PTERIS_EXIT_DONE && !pt_hub_remove (name, &error)) {
    pteris_complain ("%s", error->message);
    status = PTERIS_EXIT_FAILED;
  }
  return status;
}

int
pteris_remove_command (int argc, char **argv)
{
  gboolean yes = FALSE;
  const GOptionEntry entries[] = {
    { "yes", 'y', 0, G_OPTION_ARG_NONE, &yes, "Do not ask", NULL },
    { NULL },
  };
  g_auto (PterisOptions) common = { .no_model = TRUE };
  const char *text;
  int status = pteris_options_parse (&common, "remove NAME", "Delete a model of the library.",
                                     entries, 1, 1, argc, argv);

  if (status >= 0)
    return status;
  text = common.arguments[0];
  return strchr (text, '/') != NULL && strchr (text, ':') != NULL &&
                 !g_file_test (text, G_FILE_TEST_EXISTS)
             ? remove_part (text, yes)
             : remove_model (text, yes);
}
