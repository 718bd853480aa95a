/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/flatbuffer.h"
#include "engine/program/keys.h"
#include "engine/program/program-file.h"
#include "engine/program/segments.h"
#include "engine/program/table-memory.h"

G_BEGIN_DECLS

/* The steps of opening a program (docs/formats/program.md, section 8). For the files of
 * engine/program only. */

struct _PtProgram {
  gatomicrefcount refs;
  GBytes *bytes;
  char *path;
  gsize tables_size; /* bytes of the FlatBuffers part */
  PtStore store;     /* memory of all tables below */
  PtPlan *plans;
  PtKey *plan_keys; /* [n_plans] */
  guint n_plans;
  PtNamedData *named;
  PtKey *named_keys; /* [n_named] */
  guint n_named;
  gboolean needs_data;
  char *digest; /* computed at the first request; NULL before */
};

/** The numbers of the extended header, checked (docs/formats/program.md, section 2.2). */
typedef struct {
  gsize tables_size;    /* bytes of the FlatBuffers part */
  guint64 segment_base; /* 0: no segments */
} PtProgramHeader;

gboolean pt_program_header_read (const guint8 *data, gsize size, const char *name,
                                 PtProgramHeader *header, GError **error);

/** State that the steps share while one program is opened. */
typedef struct {
  PtProgram *program;
  const char *name; /* of the file, for messages */
  PtFbRef root;
  const PtProgramSegment *segments;
  guint n_segments;
  PtFbVec inline_constants;   /* Buffer tables; used when the program has no constant offsets */
  PtFbVec constant_offsets;   /* u64; element 0 is reserved */
  PtProgramSegment constants; /* the segment of @constant_offsets */
  gboolean constants_inline;
  PtFbVec mutable_offsets; /* u64, into @mutables; initial state of planned tensors */
  PtProgramSegment mutables;
  PtFbVec delegate_data; /* BackendDelegateInlineData tables */
  const char *method;    /* name of the method that is being resolved, or NULL */
} PtResolver;

/** Set "FILE is damaged: method M: WHAT" and return FALSE. */
gboolean pt_resolver_fail (const PtResolver *r, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/** Set "FILE cannot be run: ..." for what is valid but not supported (0x10). Returns FALSE. */
gboolean pt_resolver_refuse (const PtResolver *r, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/** Memory of the program. NULL with an error when the file describes more than it can contain. */
gpointer pt_resolver_alloc (PtResolver *r, gsize count, gsize size, GError **error);
gboolean pt_resolver_charge (PtResolver *r, gsize count, gsize size, GError **error);

#define pt_resolver_new(r, type, count, error) \
  ((type *) pt_resolver_alloc (r, count, sizeof (type), error))

/**
 * Check a string for messages and reports: it must be present, not empty, and UTF-8 without zero
 * bytes. Returns @text, or NULL with an error.
 *
 * @what: names the string in the error, as in "the name of operator 3"
 */
const char *pt_resolver_text (PtResolver *r, const char *text, gsize length, const char *what,
                              GError **error);

/* program-segments.c */
gboolean pt_resolve_segments (PtResolver *r, const PtProgramHeader *header, GError **error);
gboolean pt_resolve_constants (PtResolver *r, GError **error);
gboolean pt_resolve_named_data (PtResolver *r, GError **error);

/* program-plan.c: r->method is set; @plan->name is set, the rest of it is zero */
gboolean pt_resolve_plan (PtResolver *r, PtFbRef table, PtPlan *plan, GError **error);

/* program-values.c; needs @plan->buffers */
gboolean pt_resolve_values (PtResolver *r, PtFbVec tables, PtPlan *plan, GError **error);

/* program-tensor.c */
gboolean pt_resolve_tensor (PtResolver *r, PtFbRef table, const PtPlan *plan, guint index,
                            PtTensorSpec *tensor, GError **error);

/* program-code.c; call it last, because it needs the other members of @plan */
gboolean pt_resolve_chains (PtResolver *r, PtFbVec tables, PtPlan *plan, GError **error);

G_END_DECLS
