/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/engine/engine-client.h"

G_BEGIN_DECLS

/**
 * PterisClassifyView: what a classifier sees in a picture, which is chosen, or dropped on the
 * window: the picture, and its likeliest classes with bars.
 */
#define PTERIS_TYPE_CLASSIFY_VIEW (pteris_classify_view_get_type ())
G_DECLARE_FINAL_TYPE (PterisClassifyView, pteris_classify_view, PTERIS, CLASSIFY_VIEW, GtkWidget)

void pteris_classify_view_bind (PterisClassifyView *self, PterisEngineClient *client);

/** @data: NULL: beside it. What is shown of another one goes. */
void pteris_classify_view_set_program (PterisClassifyView *self, const char *path,
                                       const char *const *data);

/** Look at the picture at @path. */
void pteris_classify_view_open (PterisClassifyView *self, const char *path);

G_END_DECLS
