/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>
#include <pteris/inspect.h>

#include "ui/run/run-image.h"

G_BEGIN_DECLS

/** PterisRunInput: where one input of a method comes from. */
#define PTERIS_TYPE_RUN_INPUT (pteris_run_input_get_type ())
G_DECLARE_FINAL_TYPE (PterisRunInput, pteris_run_input, PTERIS, RUN_INPUT, GtkWidget)

typedef enum {
  PTERIS_INPUT_RANDOM,
  PTERIS_INPUT_ZEROS,
  PTERIS_INPUT_NUMBERS,
  PTERIS_INPUT_FILE,
  PTERIS_INPUT_IMAGE, /* offered where an image fits */
} PterisInputSource;

/** @spec: the input as pt_inspect_read() describes it, a tensor. @index: among all inputs. */
PterisRunInput *pteris_run_input_new (guint index, const PtInspectValue *spec);

void pteris_run_input_set_source (PterisRunInput *self, PterisInputSource source);
/** "1,2,3", for PTERIS_INPUT_NUMBERS. */
void pteris_run_input_set_numbers (PterisRunInput *self, const char *numbers);
/** For PTERIS_INPUT_FILE and PTERIS_INPUT_IMAGE. */
void pteris_run_input_set_file (PterisRunInput *self, const char *path);
/** "1,7", where the shape is dynamic. */
void pteris_run_input_set_shape (PterisRunInput *self, const char *shape);

/** Whether it can be used as it is; what is wrong is said in place. */
gboolean pteris_run_input_check (PterisRunInput *self);

/**
 * The texts for PtJob.inputs and PtJob.shapes, after a check. @folder: where an image is written,
 * for which @image is set to the conversion that must come first, else to NULL. Free all of them.
 */
char *pteris_run_input_make (PterisRunInput *self, const char *folder, char **shape,
                             PterisImageJob **image);

G_END_DECLS
