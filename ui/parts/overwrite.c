/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/overwrite.h"

#include <errno.h>
#include <string.h>

#include "ui/i18n.h"

gboolean
pteris_check_overwrite (GFile *file, PtOutputKind kind, const char *input, GError **error)
{
  const char *const inputs[] = { input, NULL };
  const char *path = g_file_peek_path (file);
  g_autofree char *name = NULL;

  if (path == NULL || pt_output_check (path, kind, inputs, NULL))
    return TRUE;
  name = g_filename_display_basename (path);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS, _ ("“%s” exists and is another kind of file"),
               name);
  return FALSE;
}

static gboolean
fail_write (int problem, GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, (int) g_io_error_from_errno (problem),
                       g_strerror (problem));
  return FALSE;
}

gboolean
pteris_write_text (GFile *file, const char *text, const char *input, GError **error)
{
  const PtOutputPart part = { text, strlen (text) };
  const char *path = g_file_peek_path (file);
  int problem;

  if (!pteris_check_overwrite (file, PT_OUTPUT_TEXT, input, error))
    return FALSE;
  if (path == NULL)
    return g_file_replace_contents (file, part.data, part.size, NULL, FALSE, G_FILE_CREATE_NONE,
                                    NULL, NULL, error);
  problem = pt_output_replace (path, &part, 1);
  return problem == 0 || fail_write (problem, error);
}

/* FALSE: the file is half written, and was removed. */
static gboolean
create_remote (GFile *file, const PtOutputPart *part, GError **error)
{
  g_autoptr (GFileOutputStream) stream = g_file_create (file, G_FILE_CREATE_NONE, NULL, error);

  if (stream == NULL)
    return FALSE;
  if (g_output_stream_write_all (G_OUTPUT_STREAM (stream), part->data, part->size, NULL, NULL,
                                 error) &&
      g_output_stream_close (G_OUTPUT_STREAM (stream), NULL, error))
    return TRUE;
  g_file_delete (file, NULL, NULL);
  return FALSE;
}

gboolean
pteris_write_new_text (GFile *file, const char *text, GError **error)
{
  const PtOutputPart part = { text, strlen (text) };
  const char *path = g_file_peek_path (file);
  int problem;

  if (path == NULL)
    return create_remote (file, &part, error);
  problem = pt_output_create (path, &part, 1);
  return problem == 0 || fail_write (problem, error);
}
