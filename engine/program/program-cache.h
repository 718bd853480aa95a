/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/program-file.h"

G_BEGIN_DECLS

/**
 * The folder @kind where what is compiled for @program is kept, which need not exist: one for each
 * program, so that none can change what another one uses. Free with g_free(). Any thread.
 */
char *pt_program_cache_folder (const PtProgram *program, const char *kind);

G_END_DECLS
