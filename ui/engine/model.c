/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/engine/model.h"

#include "ui/i18n.h"

struct _PterisModel {
  GObject parent_instance;

  PtModelInfo *info;
  PtModelDetails *details;
  PterisCompanions *companions;
  gint64 stamp;
  gboolean away;
  gboolean held;
  gboolean variant_chosen;
};

G_DEFINE_FINAL_TYPE (PterisModel, pteris_model, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- chosen files ---- */

PterisCompanions *
pteris_companions_copy (const PterisCompanions *companions)
{
  PterisCompanions *copy;

  if (companions == NULL)
    return NULL;
  copy = g_new0 (PterisCompanions, 1);
  copy->data = g_strdupv (companions->data);
  copy->tokenizer = g_strdup (companions->tokenizer);
  copy->preprocessor = g_strdup (companions->preprocessor);
  copy->family = g_strdup (companions->family);
  return copy;
}

void
pteris_companions_free (PterisCompanions *companions)
{
  if (companions == NULL)
    return;
  g_strfreev (companions->data);
  g_free (companions->tokenizer);
  g_free (companions->preprocessor);
  g_free (companions->family);
  g_free (companions);
}

static gboolean
same_lists (char **a, char **b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return g_strv_equal ((const char *const *) a, (const char *const *) b);
}

static gboolean
same_companions (const PterisCompanions *a, const PterisCompanions *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return same_lists (a->data, b->data) && g_strcmp0 (a->tokenizer, b->tokenizer) == 0 &&
         g_strcmp0 (a->preprocessor, b->preprocessor) == 0 && g_strcmp0 (a->family, b->family) == 0;
}

static gboolean
same_variants (const PtModelInfo *a, const PtModelInfo *b)
{
  if (a->n_variants != b->n_variants)
    return FALSE;
  for (guint i = 0; i < a->n_variants; i++) {
    const PtModelVariant *x = &a->variants[i], *y = &b->variants[i];

    if (g_strcmp0 (x->path, y->path) != 0 || g_strcmp0 (x->name, y->name) != 0 ||
        g_strcmp0 (x->obstacle, y->obstacle) != 0 || x->bytes != y->bytes || x->chosen != y->chosen)
      return FALSE;
  }
  return TRUE;
}

/* ---- the model ---- */

static void
pteris_model_finalize (GObject *object)
{
  PterisModel *self = PTERIS_MODEL (object);

  g_clear_pointer (&self->info, pt_model_info_free);
  g_clear_pointer (&self->details, pt_model_details_free);
  g_clear_pointer (&self->companions, pteris_companions_free);
  G_OBJECT_CLASS (pteris_model_parent_class)->finalize (object);
}

static void
pteris_model_class_init (PterisModelClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_model_finalize;

  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_MODEL, G_SIGNAL_RUN_LAST, 0, NULL,
                                          NULL, NULL, G_TYPE_NONE, 0);
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

void
pteris_model_set_origin (PterisModel *self, gboolean away, gint64 stamp,
                         PterisCompanions *companions)
{
  self->away = away;
  self->stamp = stamp;
  pteris_companions_free (self->companions);
  self->companions = companions;
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
  if (self->info->why == NULL &&
      (g_strcmp0 (self->info->task, "look") == 0 || g_strcmp0 (self->info->task, "classify") == 0 ||
       g_strcmp0 (self->info->family, "image-embedding") == 0))
    return PTERIS_TASK_LOOK;
  return PTERIS_TASK_OTHER;
}

gboolean
pteris_task_loads (PterisTask task)
{
  return task != PTERIS_TASK_OTHER;
}

gboolean
pteris_model_is_away (PterisModel *self)
{
  return self->away;
}

const PterisCompanions *
pteris_model_get_companions (PterisModel *self)
{
  return self->companions;
}

const PtModelVariant *
pteris_model_get_variant (PterisModel *self)
{
  const PtModelInfo *info = self->info;

  for (guint i = 0; self->variant_chosen && i < info->n_variants; i++)
    if (info->variants[i].chosen)
      return &info->variants[i];
  return NULL;
}

void
pteris_model_set_variant_chosen (PterisModel *self, gboolean chosen)
{
  self->variant_chosen = chosen;
}

gboolean
pteris_model_is_at (PterisModel *self, const char *path)
{
  const PtModelInfo *info = self->info;

  if (g_strcmp0 (info->path, path) == 0)
    return TRUE;
  for (guint i = 0; i < info->n_variants; i++)
    if (g_strcmp0 (info->variants[i].path, path) == 0)
      return TRUE;
  return FALSE;
}

const PtModelDetails *
pteris_model_get_details (PterisModel *self)
{
  return self->details;
}

void
pteris_model_set_details (PterisModel *self, PtModelDetails *details)
{
  pt_model_details_free (self->details);
  self->details = details;
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

gboolean
pteris_model_is_held (PterisModel *self)
{
  return self->held;
}

void
pteris_model_set_held (PterisModel *self, gboolean held)
{
  if (self->held == held)
    return;
  self->held = held;
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

const char *
pteris_task_name (PterisTask task)
{
  switch (task) {
  case PTERIS_TASK_CHAT: return _ ("Chat");
  case PTERIS_TASK_TRANSCRIBE: return _ ("Speech");
  case PTERIS_TASK_LOOK: return _ ("Pictures");
  case PTERIS_TASK_OTHER: break;
  }
  return _ ("Other model");
}

const char *
pteris_task_icon (PterisTask task)
{
  switch (task) {
  case PTERIS_TASK_CHAT: return "pteris-chat-symbolic";
  case PTERIS_TASK_TRANSCRIBE: return "pteris-microphone-symbolic";
  case PTERIS_TASK_LOOK: return "pteris-pictures-symbolic";
  case PTERIS_TASK_OTHER: break;
  }
  return "application-x-executable-symbolic";
}

char *
pteris_model_describe (PterisModel *self)
{
  const char *task = pteris_task_name (pteris_model_get_task (self));
  g_autofree char *size = g_format_size (self->info->bytes);
  g_autofree char *license = NULL;

  if (self->info->license == NULL)
    return g_strdup_printf ("%s · %s", task, size);
  license = g_strdup_printf (_ ("License: %s"), self->info->license);
  return g_strdup_printf ("%s · %s\n%s", task, size, license);
}

gboolean
pteris_model_equal (PterisModel *a, PterisModel *b)
{
  if (a == b)
    return TRUE;
  return a != NULL && b != NULL && g_strcmp0 (a->info->path, b->info->path) == 0;
}

gboolean
pteris_model_is_unchanged (PterisModel *before, PterisModel *now)
{
  const PtModelInfo *a = before->info, *b = now->info;

  return pteris_model_equal (before, now) && before->away == now->away &&
         before->stamp == now->stamp && a->bytes == b->bytes && a->lacks == b->lacks &&
         a->damaged == b->damaged && g_strcmp0 (a->missing, b->missing) == 0 &&
         g_strcmp0 (a->title, b->title) == 0 && g_strcmp0 (a->tokenizer, b->tokenizer) == 0 &&
         g_strcmp0 (a->license_file, b->license_file) == 0 && same_lists (a->data, b->data) &&
         before->variant_chosen == now->variant_chosen && same_variants (a, b) &&
         same_companions (before->companions, now->companions);
}
