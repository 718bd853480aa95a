/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/sampling.h>

#include "engine/base/set-error.h"

G_BEGIN_DECLS

/**
 * Read generation_config.json in @folder, whose members have the same names, and its
 * "max_new_tokens" (0: not set). "do_sample": false is a temperature of 0. Members that it lacks
 * stay unset; the defaults of transformers are not used. TRUE without such a file; FALSE if it
 * cannot be read.
 */
gboolean pt_sampling_load (const char *folder, PtSampling *sampling, int *max_new_tokens,
                           GError **error);

G_END_DECLS
