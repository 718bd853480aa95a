/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

G_BEGIN_DECLS

/* Formats numbers for people. Every returned string is freed with g_free(). */

/** "0:03.2" or "1:02:03.4": a time of a recording. */
char *pteris_format_clock (double seconds);

/** Parse the format of pteris_format_clock() or a shorter one: "75", "1:15", "1:02:03.4". FALSE:
 * not a time. */
gboolean pteris_parse_clock (const char *text, double *seconds);

/** "41 ms", "3.2 s", "2 min 5 s": a duration. */
char *pteris_format_duration (double seconds);

/** "162" or "8.3": a rate, with one decimal where it is small. */
char *pteris_format_rate (double per_second);

/** Tokens per second of decoding; 0 while unknown. */
double pteris_stats_speed (const PtStats *stats);

/** "162 tokens/s · first token 41 ms · 38 of 2048 tokens", without unknown parts. */
char *pteris_format_chat_stats (const PtStats *stats);

/** "Reading the tokenizer", "Run 2 of 5": the step of a PT_EVENT_PROGRESS. */
char *pteris_format_step (const PtEvent *event);

G_END_DECLS
