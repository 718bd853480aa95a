/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/hub/http-client.h"

G_BEGIN_DECLS

/* Reads the header lines of an HTTP response. */

void pt_http_answer_init (PtHttpAnswer *answer);
void pt_http_answer_clear (PtHttpAnswer *answer);

/** A new head begins: of the hub's own answer (@is_own), or of where it led. */
void pt_http_answer_begin (PtHttpAnswer *answer, gboolean is_own);

/** A line "Name: value"; @location gets the value of Location. */
void pt_http_answer_line (PtHttpAnswer *answer, const char *line, gsize length, char **location);

G_END_DECLS
