/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The title of a chat that begins with the question @text: its first line that is not empty, at
 * most 60 characters. Free with g_free(). Any thread. */
char *pteris_chat_title (const char *text);

G_END_DECLS
