/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/host/frame.h"
#include "engine/host/messages.h"

/* What is done with a frame of the kind that is fuzzed. */
typedef void (*FuzzFrameFunc) (const PtFrame *frame);

/** Reads @data as frames of a pipe, and calls @use for those of @kind. */
void fuzz_use_frames (const guint8 *data, gsize size, PtFrameKind kind, FuzzFrameFunc use);

/** Reads every member of @frame into @received, then writes a copy of it, which goes to @copy; both
 * are structs of @fields. FALSE: it is refused, with an error that is checked. */
gboolean fuzz_use_fields (const PtFrame *frame, const PtStructInfo *fields, gpointer received,
                          gpointer copy, PtHeap *heap);
