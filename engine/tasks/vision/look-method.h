/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"
#include "engine/vision/resize-opencv.h"

G_BEGIN_DECLS

/** PtLookOutput: an output of a method as floats, without the dimensions of 1 in front. */
typedef struct {
  guint rank;
  gint64 sizes[PT_MAX_RANK];
  gsize n;
  float *values; /* not checked for NaN */
} PtLookOutput;

void pt_look_output_clear (PtLookOutput *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PtLookOutput, pt_look_output_clear)

/** FALSE with an error when a number is NaN. */
gboolean pt_look_output_check (const PtLookOutput *self, GError **error);

/** FALSE with an error, for numbers that are no result of an intact model. */
gboolean pt_look_fail_damaged (GError **error);

/**
 * PtLookMethod: a method that takes a picture (docs/formats/protocols.md, section 16.1). Engine
 * thread. It belongs to its module.
 */
typedef struct {
  PtMethod *method;
  PtDType dtype;
  guint rank;                    /* 4, or 3 without the batch */
  guint channels, width, height; /* of the input */
  guint8 *bytes;                 /* for who prepares a picture: the input's size */
  float *pixels;                 /* the input, plane by plane */
  guint16 *half;                 /* the same as F16 or BF16, if the method takes it */
} PtLookMethod;

/**
 * The name of the method to call: @chosen if it is not NULL, else the one called forward or
 * forward_SIZE; of several sizes @size, 0: @usual if there is, else the smallest. Free with
 * g_free(); NULL with an error that lists the sizes.
 */
char *pt_look_method_find (const PtProgram *program, const char *chosen, guint size, guint usual,
                           GError **error);

/** The sizes of the methods forward_SIZE of @program, ascending. A GArray of guint. */
GArray *pt_look_method_sizes (const PtProgram *program);

/** Load method @name, which must take a picture of @channels. Clear it also after an error. */
gboolean pt_look_method_open (PtLookMethod *self, PtModule *module, const char *name,
                              guint channels, GError **error);
void pt_look_method_clear (PtLookMethod *self);

/** The pixels that the next functions use: @bytes, as a picture of the input's size. */
PtPixels pt_look_method_pixels (const PtLookMethod *self);

/** Make the input of @bytes: (v / 255 - mean) / deviation. @reversed: blue comes first. */
void pt_look_method_normalize (PtLookMethod *self, const float *mean, const float *deviation,
                               gboolean reversed);

/** Call the method with @pixels. */
gboolean pt_look_method_call (PtLookMethod *self, GCancellable *cancellable, GError **error);

/** Output @i of the last call; real or whole numbers. */
gboolean pt_look_method_output (PtLookMethod *self, guint i, PtLookOutput *out, GError **error);

G_END_DECLS
