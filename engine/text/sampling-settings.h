/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/sampling.h>

#include "engine/base/set-error.h"

G_BEGIN_DECLS

/**
 * What the generation_config.json in @folder says, by the same names; also "max_new_tokens" (0: it
 * says nothing), and "do_sample": false is a temperature of 0. What it does not name is unset:
 * transformers' own defaults for it are not taken. There need not be such a file; FALSE when there
 * is one that cannot be read.
 */
gboolean pt_sampling_load (const char *folder, PtSampling *sampling, int *max_new_tokens,
                           GError **error);

G_END_DECLS
