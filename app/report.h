/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "app/cli.h"

G_BEGIN_DECLS

/**
 * Do @job, whose result is a REPORT, and show it: as JSON when asked for, else by @show, which gets
 * it without control characters.
 * Returns the exit status; @show's when it was called.
 */
int pteris_report_run (const PterisOptions *options, const PtJob *job,
                       int (*show) (const json_t *report));

/**
 * Do @job, whose result is a REPORT, and give it to @show, which writes it, and knows whether as
 * JSON. Returns the exit status; @show's when it was called.
 */
int pteris_report_show (const PterisOptions *options, const PtJob *job,
                        int (*show) (const PtEvent *event, gboolean json));

/* Reading reports: "", 0 and FALSE for what is not there. */
const char *pteris_report_text (const json_t *object, const char *key);
double pteris_report_number (const json_t *object, const char *key);
gboolean pteris_report_flag (const json_t *object, const char *key);

/** "float32 [1, 7, 64] at most" for a described tensor, or its value. Free with g_free(). */
char *pteris_report_value (const json_t *described);

G_END_DECLS
