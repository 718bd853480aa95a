/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/** A language that Kokoro was published for. */
typedef struct {
  const char *id;     /* "en-us", as in the folder of its phonemizer */
  const char *espeak; /* the voice of espeak-ng */
  const char *voice;  /* the voice that is used when none is named */
  char letter;        /* the first one of the names of its voices */
} PtLanguage;

/** The language called @name: "en-us", "en_US", "en", "pt-br". NULL with PT_ERROR_ARGUMENT and a
 * list of all. */
const PtLanguage *pt_language_find (const char *name, GError **error);

/** The language that the program @name ("synthesizer_de") is made for, or NULL: it has several. */
const PtLanguage *pt_language_of_program (const char *name);

/** The language of the voice @name ("bf_emma"); American English if it does not say. */
const PtLanguage *pt_language_of_voice (const char *name);

G_END_DECLS
