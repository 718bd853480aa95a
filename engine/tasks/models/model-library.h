/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/models.h>

#include "engine/tasks/models/model-set.h"

G_BEGIN_DECLS

/** The information that pt_library_probe() returns, made from @set. */
PtModelInfo *pt_model_info_new (const PtModelSet *set);

/**
 * The paths of a detector of voice and of a diarizer in the library for the model @set; its own
 * folder is left out. A detector with a state is preferred to FSMN's. Each program of the library
 * is opened at most once, and none when both are known; @set gets the opened programs of those that
 * are found. @vad, @diarizer: set where they are NULL and there is one; free with g_free().
 * Blocking; any thread.
 */
void pt_library_find_companions (PtModelSet *set, char **vad, char **diarizer);

G_END_DECLS
