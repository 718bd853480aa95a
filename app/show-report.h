/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "app/cli.h"

G_BEGIN_DECLS

/**
 * Do @job, whose result is a REPORT, and give it to @show, which writes it, and knows whether as
 * JSON. Returns the exit status; @show's when it was called.
 */
int pteris_report_show (const PterisOptions *options, const PtJob *job,
                        int (*show) (const PtEvent *event, gboolean json));

G_END_DECLS
