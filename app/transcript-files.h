/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "app/cli.h"

G_BEGIN_DECLS

/**
 * Where the transcript of each recording goes, in their order: to @output, or into it when it is a
 * folder. Recordings of one name get numbers: a/x.wav and b/x.wav become x.txt and x-2.txt. Free
 * with g_strfreev().
 */
char **pteris_transcript_files (const char *output, const char *const *recordings,
                                PtSubtitleFormat format);

/** The files that transcribing reads: the recordings of @options and the members of its model. Free
 * with g_strfreev(). */
char **pteris_transcript_inputs (const PterisOptions *options);

G_END_DECLS
