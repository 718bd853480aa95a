/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "ui/parts/overwrite.h"
#include "ui/speech/transcript.h"

/* Formats a transcript as text, for files and other programs. */

/* Seconds of silence that begin a new paragraph. */
#define PARAGRAPH_S 2

char *
pteris_transcript_format_texts (PterisTranscript *self, const char *const *texts,
                                PtSubtitleFormat format)
{
  GListModel *segments = pteris_transcript_get_segments (self);
  guint n = g_list_model_get_n_items (segments);
  g_autofree PtSegment *plain = g_new0 (PtSegment, MAX (n, 1));

  if (texts != NULL)
    n = MIN (n, g_strv_length ((char **) texts));
  for (guint i = 0; i < n; i++) {
    /* The list keeps a reference to the segment and its text. */
    g_autoptr (PterisSegment) segment = g_list_model_get_item (segments, i);

    plain[i].start = pteris_segment_get_start (segment);
    plain[i].end = pteris_segment_get_end (segment);
    plain[i].text = texts != NULL ? texts[i] : pteris_segment_get_text (segment);
    plain[i].speaker = pteris_segment_get_speaker (segment);
  }
  return pt_format_segments (plain, n, format);
}

char *
pteris_transcript_format (PterisTranscript *self, PtSubtitleFormat format)
{
  return pteris_transcript_format_texts (self, NULL, format);
}

char *
pteris_transcript_format_plain (PterisTranscript *self)
{
  GListModel *segments = pteris_transcript_get_segments (self);
  guint n = g_list_model_get_n_items (segments);
  GString *out = g_string_new (NULL);
  double end = 0;

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisSegment) segment = g_list_model_get_item (segments, i);

    if (i > 0)
      g_string_append (out, pteris_segment_get_start (segment) - end >= PARAGRAPH_S ? "\n\n" : " ");
    g_string_append (out, pteris_segment_get_text (segment));
    end = pteris_segment_get_end (segment);
  }
  return g_string_free (out, FALSE);
}

typedef struct {
  GFile *file;
  char *text;
  char *recording;
} Export;

static void
export_free (gpointer data)
{
  Export *export = data;

  g_object_unref (export->file);
  g_free (export->text);
  g_free (export->recording);
  g_free (export);
}

static void
export_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Export *export = data;
  GError *error = NULL;

  if (pteris_write_text (export->file, export->text, export->recording, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
pteris_transcript_export_async (PterisTranscript *self, GFile *file, PtSubtitleFormat format,
                                GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, callback, user_data);
  Export *export = g_new (Export, 1);

  export->file = g_object_ref (file);
  export->text = pteris_transcript_format (self, format);
  export->recording = g_strdup (pteris_transcript_get_path (self));
  g_task_set_source_tag (task, pteris_transcript_export_async);
  g_task_set_task_data (task, export, export_free);
  g_task_run_in_thread (task, export_in_thread);
}

gboolean
pteris_transcript_export_finish (PterisTranscript *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
