/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "engine/runtime/module.h"
#include "engine/tasks/speak/voice-languages.h"

G_BEGIN_DECLS

/**
 * PtPhonemizer: text to phonemes of one language, by the phonemizer in the model's folders or, for
 * what that cannot say, by espeak-ng, if it is installed. Engine thread.
 */
typedef struct _PtPhonemizer PtPhonemizer;

/** @folder: of the model's program. @options: for its phonemizer; copied. NULL with
 * PT_ERROR_MISSING_FILE when there is neither, which names what to install, or with what is wrong
 * in the folder's phonemizer. */
PtPhonemizer *pt_phonemizer_new (const char *folder, const PtLanguage *language,
                                 const PtMethodOptions *options, GError **error);
void pt_phonemizer_free (PtPhonemizer *phonemizer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtPhonemizer, pt_phonemizer_free)

/** The phonemes of @passage, with its marks. Free with g_free(). NULL with an error. Blocking. */
char *pt_phonemizer_run (PtPhonemizer *phonemizer, const char *passage, GCancellable *cancellable,
                         GError **error);

G_END_DECLS
