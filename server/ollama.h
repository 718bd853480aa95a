/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "server/serving.h"

G_BEGIN_DECLS

/* What the files of Ollama's interface share. */

/** The time as Ollama writes it, "2026-11-27T10:00:00.000000Z". Free with g_free(). */
char *pteris_ollama_now (void);

/** The same for seconds since 1970. */
char *pteris_ollama_time (gint64 seconds);

G_END_DECLS
