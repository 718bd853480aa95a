/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/base/json.h"
#include "engine/runtime/module.h"
#include "engine/tasks/models/model-set.h"
#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/*
 * Cases of whole models (case.json with what they generate, stream or see), run by the code that
 * the application runs them with, each family in a file of its own.
 */

typedef struct {
  const char *folder;
  const json_t *root;     /* case.json */
  PtModelSet *set;        /* of the program in it */
  PtModule *module;       /* fresh */
  PtTokenizer *tokenizer; /* NULL: the family needs none */
  GString *why;           /* it failed; empty: it did not */
} TaskCase;

/** One more reason why the case fails; FALSE. */
gboolean task_fail (TaskCase *c, const char *format, ...) G_GNUC_PRINTF (2, 3);

/** The path of a file of the case, or NULL; free with g_free(). */
char *task_path (const TaskCase *c, const json_t *name);

/** The module anew, with nothing in its caches. FALSE after task_fail(). */
gboolean task_reopen (TaskCase *c);

/** Ids of a list: a GArray of gint32. */
GArray *task_ids (const json_t *list);

/** Compare ids with a list of the case, called @what in messages. */
gboolean task_same_ids (TaskCase *c, const char *what, const GArray *ids, const json_t *list);

/**
 * Compare @n numbers of @dtype with the file that @value names (its "file"), within the case's
 * tolerance.
 */
gboolean task_same_numbers (TaskCase *c, const char *what, gconstpointer numbers, PtDType dtype,
                            gsize n, const json_t *value);

/**
 * Whether two ids' logits are no further apart than the case's tolerance. Kernels of another
 * processor sum in another order, and may choose the other id then.
 */
gboolean task_as_likely (TaskCase *c, gconstpointer logits, PtDType dtype, gsize n, gint32 id,
                         gint32 other);

/* The families. Each returns FALSE after task_fail(). */
gboolean task_text_llm (TaskCase *c);
gboolean task_classifier (TaskCase *c);
gboolean task_look (TaskCase *c);
gboolean task_multimodal (TaskCase *c);
gboolean task_whisper (TaskCase *c);
gboolean task_realtime (TaskCase *c);
gboolean task_transducer (TaskCase *c);
gboolean task_vad (TaskCase *c);
gboolean task_embedding (TaskCase *c);
gboolean task_privacy (TaskCase *c);

G_END_DECLS
