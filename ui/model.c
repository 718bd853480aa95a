/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/model.h"

struct _PterisModel {
  GObject parent_instance;

  PtModelInfo *info;
};

G_DEFINE_FINAL_TYPE (PterisModel, pteris_model, G_TYPE_OBJECT)

static void
pteris_model_finalize (GObject *object)
{
  PterisModel *self = PTERIS_MODEL (object);

  g_clear_pointer (&self->info, pt_model_info_free);
  G_OBJECT_CLASS (pteris_model_parent_class)->finalize (object);
}

static void
pteris_model_class_init (PterisModelClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_model_finalize;
}

static void
pteris_model_init (PterisModel *self)
{
}

PterisModel *
pteris_model_new (PtModelInfo *info)
{
  PterisModel *self = g_object_new (PTERIS_TYPE_MODEL, NULL);

  self->info = info;
  return self;
}

const PtModelInfo *
pteris_model_get_info (PterisModel *self)
{
  return self->info;
}

PterisTask
pteris_model_get_task (PterisModel *self)
{
  if (g_strcmp0 (self->info->task, "chat") == 0)
    return PTERIS_TASK_CHAT;
  if (g_strcmp0 (self->info->task, "transcribe") == 0)
    return PTERIS_TASK_TRANSCRIBE;
  return PTERIS_TASK_OTHER;
}

const char *
pteris_task_name (PterisTask task)
{
  switch (task) {
  case PTERIS_TASK_CHAT: return "Chat";
  case PTERIS_TASK_TRANSCRIBE: return "Speech";
  case PTERIS_TASK_OTHER: break;
  }
  return "Program";
}

char *
pteris_model_describe (PterisModel *self)
{
  const char *task = pteris_task_name (pteris_model_get_task (self));
  g_autofree char *size = g_format_size (self->info->bytes);

  if (self->info->license == NULL)
    return g_strdup_printf ("%s · %s", task, size);
  return g_strdup_printf ("%s · %s\nLicense: %s", task, size, self->info->license);
}

gboolean
pteris_model_equal (PterisModel *a, PterisModel *b)
{
  if (a == b)
    return TRUE;
  return a != NULL && b != NULL && g_strcmp0 (a->info->path, b->info->path) == 0;
}
