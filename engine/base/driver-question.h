/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Questions to drivers, which may crash or never answer: they are asked in a process of their own,
 * this program with PT_DRIVER_QUESTION and the name of the question. Programs that do not begin
 * with pt_engine_host_main() ask in their own process, and so do processes of models.
 */

#define PT_DRIVER_QUESTION "--ask-driver"

/** Asks. Returns the answer, a UTF-8 text without zero bytes; free with g_free(). */
typedef char *(*PtDriverQuestion) (void);

/** Add the question @name, a static string. At initialisation. */
void pt_driver_question_register (const char *name, PtDriverQuestion ask);

/**
 * At the beginning of main(): answer the question in @argv and return the exit status; -1: there is
 * none.
 */
int pt_driver_question_main (int argc, char **argv);

/**
 * The answer to the question @name. NULL with PT_ERROR_HOST when there is none, with the reason.
 * Blocking, 10 seconds at most; any thread. Free with g_free().
 */
char *pt_driver_ask (const char *name, GError **error);

G_END_DECLS
