/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

#include "engine/tasks/speak/voice-languages.h"

G_BEGIN_DECLS

/** The words for the number @text ("42", "1,000", "3.14", "007"), with spaces between them.
 * In English it is read as a number, in other languages digit by digit. NULL: it is no number, or
 * there are no words for this language. Free with g_free(). */
char *pt_number_words (const char *text, const PtLanguage *language);

G_END_DECLS
