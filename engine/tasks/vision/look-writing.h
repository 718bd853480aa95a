/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/vision.h>

#include "engine/base/heap.h"
#include "engine/tasks/models/model-set.h"

G_BEGIN_DECLS

/**
 * PtWritingReader: finds writing in pictures and reads it, with a detector, a recogniser or both
 * (docs/formats/protocols.md, section 16.8). Engine thread.
 */
typedef struct _PtWritingReader PtWritingReader;

/**
 * @set: of the detector or of the recogniser. @detector, @recognizer: modules that outlive the
 * reader; one may be NULL. @alphabet: a file with the characters, or NULL: known by the name or the
 * number of classes. @size: of the detector's input; 0: the usual one.
 */
PtWritingReader *pt_writing_reader_new (const PtModelSet *set, PtModule *detector,
                                        PtModule *recognizer, const char *alphabet, guint size,
                                        GError **error);
void pt_writing_reader_free (PtWritingReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtWritingReader, pt_writing_reader_free)

/** Set the lines of @out, and the size of the input. Lines below @threshold are left out. */
gboolean pt_writing_reader_run (PtWritingReader *reader, const PtImage *image, double threshold,
                                PtHeap *heap, PtLookPicture *out, GCancellable *cancellable,
                                GError **error);

G_END_DECLS
