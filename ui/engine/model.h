/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/models.h>

G_BEGIN_DECLS

/**
 * PterisModel: one model of the library, for list models. The result of pteris_model_get_info()
 * never changes; details are added later. UI thread, once it is in a list.
 *
 * Signals:
 *   changed (): the details, or whether it is held back
 */
#define PTERIS_TYPE_MODEL (pteris_model_get_type ())
G_DECLARE_FINAL_TYPE (PterisModel, pteris_model, PTERIS, MODEL, GObject)

typedef enum {
  PTERIS_TASK_CHAT,
  PTERIS_TASK_TRANSCRIBE,
  PTERIS_TASK_LOOK,  /* it finds something in pictures */
  PTERIS_TASK_OTHER, /* a program: the Inspect page and `pteris run` can use it */
} PterisTask;

/** Files of a model that the user has chosen; NULL: those beside the program. */
typedef struct {
  char **data;
  char *tokenizer;
  char *preprocessor;
  char *family; /* the chosen family; PtJob.family */
} PterisCompanions;

PterisCompanions *pteris_companions_copy (const PterisCompanions *companions);
void pteris_companions_free (PterisCompanions *companions);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisCompanions, pteris_companions_free)

/** Takes @info. */
PterisModel *pteris_model_new (PtModelInfo *info);

/**
 * Set the origin; call it before the model is shared. @away: the model is known, but its drive or
 * folder is not mounted. @stamp: modification time of its program. @companions: taken; NULL: none.
 */
void pteris_model_set_origin (PterisModel *self, gboolean away, gint64 stamp,
                              PterisCompanions *companions);

const PtModelInfo *pteris_model_get_info (PterisModel *self);
PterisTask pteris_model_get_task (PterisModel *self);
/** Whether models of @task stay in memory after pteris_engine_client_load(). */
gboolean pteris_task_loads (PterisTask task);
gboolean pteris_model_is_away (PterisModel *self);
/** NULL if nothing was chosen. */
const PterisCompanions *pteris_model_get_companions (PterisModel *self);

/** The variant that the user has chosen; NULL: the best one is used, or there are no others. Owned
 * by the model. */
const PtModelVariant *pteris_model_get_variant (PterisModel *self);
void pteris_model_set_variant_chosen (PterisModel *self, gboolean chosen);

/** Whether @path is that of the model's program, or of one of its variants. */
gboolean pteris_model_is_at (PterisModel *self, const char *path);

/** NULL while unknown, or if they cannot be read. */
const PtModelDetails *pteris_model_get_details (PterisModel *self);
/** Takes @details. */
void pteris_model_set_details (PterisModel *self, PtModelDetails *details);

/** Whether Pteris ended while the model was in use, so that it is not loaded automatically. */
gboolean pteris_model_is_held (PterisModel *self);
void pteris_model_set_held (PterisModel *self, gboolean held);

/** "Chat", "Speech", "Pictures", "Other model". */
const char *pteris_task_name (PterisTask task);
const char *pteris_task_icon (PterisTask task);

/** "Chat · 138.2 MB" and, on a line of its own, "License: Apache-2.0". Free with g_free(). */
char *pteris_model_describe (PterisModel *self);

gboolean pteris_model_equal (PterisModel *a, PterisModel *b);

/** Whether two scans found the same, unchanged files. */
gboolean pteris_model_is_unchanged (PterisModel *before, PterisModel *now);

G_END_DECLS
