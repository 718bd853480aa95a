/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/engine.h"

G_BEGIN_DECLS

/** PterisModel: one model of the library, as an object that lists can hold. Immutable. */
#define PTERIS_TYPE_MODEL (pteris_model_get_type ())
G_DECLARE_FINAL_TYPE (PterisModel, pteris_model, PTERIS, MODEL, GObject)

typedef enum {
  PTERIS_TASK_CHAT,
  PTERIS_TASK_TRANSCRIBE,
  PTERIS_TASK_OTHER, /* a program that only `pteris run` can use */
} PterisTask;

/** Takes @info. */
PterisModel *pteris_model_new (PtModelInfo *info);

const PtModelInfo *pteris_model_get_info (PterisModel *self);
PterisTask pteris_model_get_task (PterisModel *self);

/** "Chat", "Speech", "Program". */
const char *pteris_task_name (PterisTask task);

/** "Chat · 138.2 MB" and, on a line of its own, "License: Apache-2.0". Free with g_free(). */
char *pteris_model_describe (PterisModel *self);

gboolean pteris_model_equal (PterisModel *a, PterisModel *b);

G_END_DECLS
