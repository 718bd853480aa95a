/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"

G_BEGIN_DECLS

/**
 * PtTextMethod: a method that takes token ids [1, n] and a mask [1, n], and returns numbers [1, d],
 * [1, 1, d] or [1, n, d] (docs/formats/protocols.md, section 15.1). Engine thread.
 */
typedef struct {
  PtMethod *method;
  PtDType ids_type, mask_type; /* of the inputs */
  guint most;                  /* ids that a call takes at most, at least 1 */
  gboolean fixed;              /* a call takes just as many */
  gboolean per_token;          /* it returns a row for each id, else one row */
  gpointer ids, mask;          /* [most], in the types of the inputs */
  float *rows;                 /* [n_rows * width]: what the last call returned */
  gsize capacity;              /* numbers that @rows has room for */
  guint n_rows, width;         /* of the last call */
} PtTextMethod;

/** @module: must outlive @self. FALSE with an error when the method is another one. */
gboolean pt_text_method_init (PtTextMethod *self, PtModule *module, GError **error);
void pt_text_method_clear (PtTextMethod *self);

/**
 * Call the method with @n ids, 1 to @most, and a @mask of 0 and 1; a method of fixed length takes
 * no fewer. Then @rows has its output, which is finite. FALSE with an error.
 */
gboolean pt_text_method_call (PtTextMethod *self, const gint32 *ids, const guint8 *mask, guint n,
                              GCancellable *cancellable, GError **error);

G_END_DECLS
