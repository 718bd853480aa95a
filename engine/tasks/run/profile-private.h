/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/run/profile.h"

G_BEGIN_DECLS

/* The inside of a profile, shared by the files that measure, report and write it. */

/** A tensor as an instruction left it. */
typedef struct {
  gboolean is_tensor; /* FALSE: no tensor was in the slot */
  PtDType dtype;
  guint rank;
  gint64 sizes[PT_MAX_RANK];
} PtProfileTensor;

/** One instruction. */
typedef struct {
  guint chain, index;
  const PtInstruction *instruction;
  gint32 *slots;            /* [n_slots], of arguments that may be tensors */
  PtProfileTensor *tensors; /* [n_slots] */
  guint n_slots;
  gboolean varies;
  guint64 calls;
  gint64 total, least, most; /* ns */
} PtProfileEntry;

typedef struct {
  guint entry;
  gint64 begin, end; /* ns */
} PtProfileEvent;

/** One call of the method. */
typedef struct {
  gint64 duration;             /* ns */
  guint first_event, n_events; /* that were kept */
} PtProfileCall;

struct _PtProfile {
  PtMethod *method;
  const PtPlan *plan;
  PtProfileEntry *entries;
  guint n_entries;
  guint *first;   /* [plan->n_chains]: entry of a chain's first instruction */
  GArray *events; /* PtProfileEvent */
  guint64 lost;
  GArray *calls;  /* PtProfileCall */
  guint n_shared; /* events of @calls; the rest is of the call that runs */
};

/** "aten::add.out", "XnnpackBackend", "jump". Belongs to the program or is static. */
const char *pt_profile_name (const PtProfile *profile, const PtProfileEntry *entry);
PtRunInstructionKind pt_profile_kind (const PtProfileEntry *entry);
/** "operator", "delegate", "control" */
const char *pt_profile_kind_name (PtRunInstructionKind kind);

G_END_DECLS
