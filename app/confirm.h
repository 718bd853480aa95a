/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "app/cli.h"

G_BEGIN_DECLS

/** Whether standard input is a terminal, so that the user can be asked. */
gboolean pteris_can_ask (void);

/**
 * Ask on stderr, and read the answer from stdin. @by_default: what an empty line means. Returns 0
 * for yes, else the exit status: 1 for no, 130 after Ctrl-C.
 */
int pteris_confirm (const char *question, gboolean by_default);

G_END_DECLS
