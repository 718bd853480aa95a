/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/gst.h"

#include <string.h>

/* What decodebin's autoplug-select returns. */
#define SELECT_TRY 0
#define SELECT_SKIP 2

static void
init_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  GError *error = NULL;

  if (gst_is_initialized () || gst_init_check (NULL, NULL, &error))
    g_task_return_boolean (task, TRUE);
  else if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_FAILED, "GStreamer cannot be started");
}

void
pteris_gst_init_async (GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);

  g_task_set_source_tag (task, pteris_gst_init_async);
  g_task_run_in_thread (task, init_in_thread);
}

gboolean
pteris_gst_init_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

GstElement *
pteris_gst_make (const char *name, const char *fallback, GError **error)
{
  const char *description = g_getenv (name);

  return gst_parse_bin_from_description_full (
      description != NULL ? description : fallback, TRUE, NULL,
      GST_PARSE_FLAG_NO_SINGLE_ELEMENT_BINS | GST_PARSE_FLAG_FATAL_ERRORS, error);
}

static int
on_autoplug_select (GstElement *bin, GstPad *pad, GstCaps *caps, GstElementFactory *factory,
                    gpointer user_data)
{
  const char *class = gst_element_factory_get_metadata (factory, GST_ELEMENT_METADATA_KLASS);
  gboolean sound = class != NULL && strstr (class, "Video") == NULL &&
                   strstr (class, "Image") == NULL && strstr (class, "Subtitle") == NULL;

  if (class == NULL || strstr (class, "Adaptive") != NULL || strstr (class, "Network") != NULL)
    return SELECT_SKIP;
  if (strstr (class, "Demuxer") != NULL ||
      (sound && (strstr (class, "Parser") != NULL || strstr (class, "Decoder") != NULL)))
    return SELECT_TRY;
  return SELECT_SKIP;
}

GstElement *
pteris_gst_make_decoder (void)
{
  GstElement *bin = gst_element_factory_make ("decodebin", NULL);
  g_autoptr (GstCaps) raw = gst_caps_new_empty_simple ("audio/x-raw");

  if (bin == NULL)
    return NULL;
  g_object_set (bin, "caps", raw, "expose-all-streams", FALSE, NULL);
  g_signal_connect (bin, "autoplug-select", G_CALLBACK (on_autoplug_select), NULL);
  return bin;
}
