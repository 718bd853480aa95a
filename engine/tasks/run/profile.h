/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/report.h>

#include "engine/base/heap.h"
#include "engine/runtime/method.h"

G_BEGIN_DECLS

/**
 * PtProfile: how long every instruction of a method takes, call after call.
 *
 * The method is measured from pt_profile_new() to pt_profile_free(), which must come before
 * pt_method_free(). Same thread as the method.
 */
typedef struct _PtProfile PtProfile;

PtProfile *pt_profile_new (PtMethod *method);
void pt_profile_free (PtProfile *profile);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtProfile, pt_profile_free)

/** A call of the method is over; times of g_get_monotonic_time(). */
void pt_profile_add_call (PtProfile *profile, gint64 begin, gint64 end);

/** The measurements so far, in @heap. */
const PtRunProfile *pt_profile_report (const PtProfile *profile, PtHeap *heap);

/**
 * Write all events to @path as Chrome trace events, for chrome://tracing and Perfetto: a JSON
 * object with "traceEvents". @path keeps what it had when this fails. Blocking.
 */
gboolean pt_profile_write_trace (const PtProfile *profile, const char *path, GError **error);

G_END_DECLS
