/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/overwrite.h"

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
