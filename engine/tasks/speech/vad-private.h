/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/speech/vad.h"

G_BEGIN_DECLS

/** Numbers of a detector. */
typedef struct {
  guint rate, window, step, delay;
  PtVadRules rules;
} PtVadInfo;

/** A kind of detectors. Functions are those of vad.h. */
typedef struct {
  gpointer (*open) (PtModule *module, PtVadInfo *info, GError **error);
  void (*reset) (gpointer self, gboolean live);
  gboolean (*hear) (gpointer self, const float *samples, guint n, GArray *probabilities,
                    GCancellable *cancellable, GError **error);
  gboolean (*finish) (gpointer self, GArray *probabilities, GCancellable *cancellable,
                      GError **error);
  void (*free) (gpointer self);
} PtVadKind;

extern const PtVadKind pt_vad_silero;
extern const PtVadKind pt_vad_fsmn;

/** FALSE with an error that names the program of @module. */
gboolean pt_vad_fail (PtModule *module, const char *what, GError **error);

G_END_DECLS
