/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/models.h>

#include "engine/tasks/models/model-set.h"

G_BEGIN_DECLS

/** The information that pt_library_probe() returns, made from @set. */
PtModelInfo *pt_model_info_new (const PtModelSet *set);

G_END_DECLS
