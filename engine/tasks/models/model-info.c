/* SPDX-License-Identifier: BSD-3-Clause */
#include <pteris/models.h>

/* Frees information about models, which is plain memory. */

static void
clear_variant (PtModelVariant *variant)
{
  g_free (variant->name);
  g_free (variant->path);
  g_free (variant->precision);
  g_free (variant->backend);
  g_free (variant->obstacle);
}

void
pt_model_info_free (PtModelInfo *info)
{
  if (info == NULL)
    return;
  g_free (info->name);
  g_free (info->title);
  g_free (info->path);
  g_free (info->task);
  g_free (info->family);
  g_free (info->kind);
  g_free (info->why);
  g_free (info->license);
  g_free (info->missing);
  g_strfreev (info->data);
  g_free (info->tokenizer);
  g_free (info->preprocessor);
  g_free (info->license_file);
  g_free (info->languages);
  for (guint i = 0; i < info->n_variants; i++)
    clear_variant (&info->variants[i]);
  g_free (info->variants);
  for (guint i = 0; i < info->n_files; i++) {
    g_free (info->files[i].path);
    g_free (info->files[i].role);
    g_free (info->files[i].reason);
  }
  g_free (info->files);
  g_free (info);
}

void
pt_model_details_free (PtModelDetails *details)
{
  if (details == NULL)
    return;
  g_free (details->family);
  g_free (details->backends);
  g_free (details->target);
  g_strfreev (details->obstacles);
  g_free (details);
}
