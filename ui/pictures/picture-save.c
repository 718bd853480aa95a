/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/pictures/picture-save.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "ui/i18n.h"
#include "ui/parts/overwrite.h"

typedef struct {
  char *path;
  PterisSaveFormat format;
  PtLookResult *result;
  guint n;
  double least;
} Saving;

static void
saving_free (Saving *saving)
{
  g_free (saving->path);
  pt_look_result_unref (saving->result);
  g_free (saving);
}

/* The objects with the highest scores. */
static PtLookPicture
take_first (const PtLookPicture *picture, guint n)
{
  PtLookPicture part = *picture;

  part.n_objects = MIN (part.n_objects, n);
  return part;
}

char *
pteris_picture_to_json (const PtLookResult *result, guint n, double least)
{
  PtLookPicture part = take_first (&result->pictures[0], n);
  PtLookResult copy = *result;

  copy.pictures = &part;
  copy.n_pictures = 1;
  if (copy.threshold > 0)
    copy.threshold = least;
  return pt_look_result_to_json (&copy);
}

static GBytes *
make_png (const Saving *saving, GError **error)
{
  PtLookPicture part = take_first (&saving->result->pictures[0], saving->n);
  g_autoptr (PtImage) image = pt_image_read (part.path, NULL, NULL, error);

  if (image == NULL)
    return NULL;
  if (pt_look_picture_paint (&part, image))
    return pt_image_to_png (image, error);
  pt_fail (error, PT_ERROR_FILE, _ ("“%s” was changed meanwhile. Look at it again."), part.path);
  return NULL;
}

static GBytes *
make_bytes (const Saving *saving, GError **error)
{
  g_autofree char *json = NULL;
  char *text;

  if (saving->format == PTERIS_SAVE_PNG)
    return make_png (saving, error);
  json = pteris_picture_to_json (saving->result, saving->n, saving->least);
  text = g_strconcat (json, "\n", NULL);
  return g_bytes_new_take (text, strlen (text));
}

static void
save_in_thread (GTask *task, gpointer file, gpointer data, GCancellable *cancellable)
{
  const Saving *saving = data;
  PtOutputKind kind = saving->format == PTERIS_SAVE_PNG ? PT_OUTPUT_PNG : PT_OUTPUT_TEXT;
  const char *picture = saving->result->pictures[0].path;
  const char *const inputs[] = { picture, NULL };
  g_autoptr (GBytes) bytes = NULL;
  GError *error = NULL;
  PtOutputPart part;

  if (pteris_check_overwrite (file, kind, picture, &error))
    bytes = make_bytes (saving, &error);
  if (bytes != NULL)
    part.data = g_bytes_get_data (bytes, &part.size);
  if (bytes != NULL && pt_output_write (saving->path, kind, inputs, &part, 1, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
pteris_picture_save_async (GFile *file, PterisSaveFormat format, const PtLookResult *result,
                           guint n, double least, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (file, NULL, callback, user_data);
  Saving *saving = g_new0 (Saving, 1);

  saving->path = g_file_get_path (file);
  saving->format = format;
  saving->result = pt_look_result_ref (result);
  saving->n = n;
  saving->least = least;
  g_task_set_source_tag (task, pteris_picture_save_async);
  g_task_set_task_data (task, saving, (GDestroyNotify) saving_free);
  if (saving->path != NULL)
    g_task_run_in_thread (task, save_in_thread);
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "%s",
                             _ ("Choose a folder on this computer."));
}

gboolean
pteris_picture_save_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
