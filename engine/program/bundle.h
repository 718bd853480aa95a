/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

#include "engine/program/program-file.h"

G_BEGIN_DECLS

/*
 * Bundled programs (.bpte): a program with inputs and expected outputs for its methods
 * (docs/formats/program.md, section 7). The file is mapped and verified completely; pointers live
 * as long as the bundle.
 */

/** One input or expected output. */
typedef struct {
  PtValueKind kind; /* PT_VALUE_TENSOR, PT_VALUE_INT, PT_VALUE_BOOL or PT_VALUE_DOUBLE */
  union {
    gint64 as_int;
    gboolean as_bool;
    double as_double;
    struct {
      PtDType dtype;
      guint rank;
      const gint32 *sizes;     /* [rank] */
      const guint8 *dim_order; /* [rank] */
      const guint8 *data;      /* in memory order; may be misaligned for @dtype */
      gsize nbytes;            /* bytes at @data: the product of @sizes times the size of @dtype */
    } as_tensor;
  };
} PtBundleValue;

typedef struct {
  const PtBundleValue *inputs;
  guint n_inputs; /* number of inputs of the method */
  const PtBundleValue *outputs;
  guint n_outputs; /* number of outputs of the method, or 0: no expected outputs */
} PtBundleCase;

/** The test cases of one method. */
typedef struct {
  const PtPlan *plan;
  const PtBundleCase *cases;
  guint n_cases;
} PtBundleSuite;

typedef struct _PtBundle PtBundle;

/** Map and verify @path, the program in it included. Free with pt_bundle_free(). Any thread. */
PtBundle *pt_bundle_open (const char *path, GError **error);
/** Open a bundle in memory. @bytes: a reference is kept; aligned to 16. @name: for messages. */
PtBundle *pt_bundle_new (GBytes *bytes, const char *name, GError **error);
void pt_bundle_free (PtBundle *bundle);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtBundle, pt_bundle_free)

/** The program. The bundle owns it; take a reference with pt_program_ref() to keep it longer. */
PtProgram *pt_bundle_program (const PtBundle *bundle);

guint pt_bundle_n_suites (const PtBundle *bundle);
const PtBundleSuite *pt_bundle_suite (const PtBundle *bundle, guint i);

G_END_DECLS
