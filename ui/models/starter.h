/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * PterisStarter: gets the starter models by running the program `pteris-starter`, which prints
 * lines "progress 0.42 what it is doing".
 *
 * Signals:
 *   changed (): running or not, progress, error
 *   finished (): the models are there
 */
#define PTERIS_TYPE_STARTER (pteris_starter_get_type ())
G_DECLARE_FINAL_TYPE (PterisStarter, pteris_starter, PTERIS, STARTER, GObject)

PterisStarter *pteris_starter_new (void);

/** FALSE when `pteris-starter` is not installed. */
gboolean pteris_starter_is_available (PterisStarter *self);
gboolean pteris_starter_is_running (PterisStarter *self);

/** 0..1, or -1 while unknown. */
double pteris_starter_get_fraction (PterisStarter *self);

/** What is being done, or NULL. */
const char *pteris_starter_get_text (PterisStarter *self);

/** Why it did not work, a sentence; or NULL. */
const char *pteris_starter_get_error (PterisStarter *self);

void pteris_starter_start (PterisStarter *self);
void pteris_starter_stop (PterisStarter *self);

G_END_DECLS
