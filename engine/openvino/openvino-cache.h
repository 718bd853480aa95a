/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/program-file.h"

G_BEGIN_DECLS

/**
 * The folder where OpenVINO keeps what it compiles for @program, which need not exist: one for each
 * program, so that none can change what another one uses. NULL: nothing of the program is for
 * OpenVINO on a GPU or an NPU. Free with g_free(). Any thread.
 */
char *pt_openvino_cache_folder (const PtProgram *program);

G_END_DECLS
