/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * PterisStarter: gets the starter models by running the program `pteris-starter`, which prints
 * lines "progress FRACTION STEP DONE TOTAL TITLE".
 *
 * Signals:
 *   changed (): running or not, progress, error
 *   finished (): the models are there
 */
#define PTERIS_TYPE_STARTER (pteris_starter_get_type ())
G_DECLARE_FINAL_TYPE (PterisStarter, pteris_starter, PTERIS, STARTER, GObject)

typedef enum {
  PTERIS_STARTER_BEGINS,
  PTERIS_STARTER_WAITS, /* waiting for another process that gets the same model */
  PTERIS_STARTER_DOWNLOADS,
  PTERIS_STARTER_CHECKS,
  PTERIS_STARTER_WRITES,
} PterisStarterStep;

typedef struct {
  PterisStarterStep step;
  double fraction;     /* 0..1 of everything */
  guint64 done, total; /* bytes of downloads */
  const char *title;   /* title of the model; NULL at first */
  double rate;         /* recent bytes per second; -1 while unknown */
} PterisStarterProgress;

PterisStarter *pteris_starter_new (void);

/** FALSE when `pteris-starter` is not installed. */
gboolean pteris_starter_is_available (PterisStarter *self);
gboolean pteris_starter_is_running (PterisStarter *self);

/** Whether the user stopped it; complete files are kept for the next time. */
gboolean pteris_starter_is_stopped (PterisStarter *self);

/** While it runs. */
const PterisStarterProgress *pteris_starter_get_progress (PterisStarter *self);

/** The sentence of the error and the next step; or NULL. */
const char *pteris_starter_get_error (PterisStarter *self);
/** The output of the program, for a bug report; or NULL. */
const char *pteris_starter_get_details (PterisStarter *self);

void pteris_starter_start (PterisStarter *self);
void pteris_starter_stop (PterisStarter *self);

G_END_DECLS
