/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <pteris/export.h>

G_BEGIN_DECLS

/*
 * Vectors of texts (PT_JOB_EMBED), and names and secrets in texts (PT_JOB_PRIVACY).
 *
 *     const char *texts[] = { "a cat sits outside", "the new film is great", NULL };
 *     PtJob job = PT_JOB_INIT (PT_JOB_EMBED);
 *
 *     job.model.path = "all-MiniLM-L6-v2";
 *     job.embed.texts = texts;
 *     pt_engine_submit (engine, &job);
 *
 * The events are PROGRESS*, REPORT and DONE. A text that cannot be read has an error of its own and
 * does not stop the others. The model stays loaded for the next job of its kind; it is unloaded by
 * PT_JOB_UNLOAD, by PT_JOB_BENCH and by a job with another model.
 *
 * Reports are plain data that never changes. Everything in a report belongs to it, and a report
 * belongs to who has a reference: that of an event goes with the event. References may be taken and
 * given back on any thread. Texts are UTF-8.
 */

/** Texts of one job. */
#define PT_EMBED_MAX_TEXTS 65536

/** Options of PT_JOB_EMBED. */
typedef struct {
  const char *const *texts; /* NULL-terminated; invalid UTF-8 is repaired */
  guint n_queries;          /* how many of them, from the first on, are questions; the others are
                             * what is searched. Some models put other words before each. */
  gboolean normalize;       /* scale every vector to length 1 */
} PtEmbedOptions;

/** The vectors of one text. */
typedef struct {
  const char *error;    /* a sentence that says why there are none; else NULL */
  double elapsed_s;     /* seconds; 0 with @error, like all that follows */
  guint n_tokens;       /* that the model read, special tokens counted, padding not */
  gboolean truncated;   /* the text is longer than the model reads: its end was left out */
  guint n_vectors;      /* 1; a multi-vector model gives one for each token */
  const float *values;  /* [n_vectors * dimension], finite */
  const guint8 *counts; /* [n_vectors]: 1: the vector counts in similarities with queries, 0: it
                         * stands for a punctuation mark or for padding */
} PtEmbedding;

/** The result of PT_JOB_EMBED. */
typedef struct {
  const char *model;   /* its name */
  const char *device;  /* where it ran */
  double load_s;       /* seconds that loading took; 0: it was loaded before */
  guint dimension;     /* numbers of a vector; 0: no text could be read */
  gboolean many;       /* a multi-vector model */
  gboolean normalized; /* all vectors have length 1, within 0.001 */
  guint n_queries;     /* of the options, at most @n_embeddings */
  guint n_embeddings;
  const PtEmbedding *embeddings; /* one for each text of the job, in the same order */
  gpointer owner;                /* private; NULL in a report of your own */
} PtEmbedReport;

/** One more reference to @report, which is returned. */
PT_API PtEmbedReport *pt_embed_report_ref (const PtEmbedReport *report);
/** Give a reference back; NULL is allowed. */
PT_API void pt_embed_report_unref (PtEmbedReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtEmbedReport, pt_embed_report_unref)

/**
 * How alike texts @a and @b of @report are: the dot product of their vectors, which for vectors of
 * length 1 is the cosine of their angle; for a multi-vector model the sum, over the vectors of @a,
 * of the largest dot product with a vector of @b that counts. 0 when one of them has an error.
 */
PT_API double pt_embed_report_similarity (const PtEmbedReport *report, guint a, guint b);

/** The dot product of @n numbers, in double precision. */
PT_API double pt_embed_dot (const float *a, const float *b, guint n);

/**
 * One line of JSON, for scripts:
 *
 *     { "object": "list", "model", "device", "load_s", "dimension", "normalized",
 *       "data": [{ "object": "embedding", "index": from 0, "tokens", "truncated", "elapsed_s",
 *                  "embedding": [number, ...] }
 *                or, of a multi-vector model, "embedding": [[number, ...], ...] and
 *                                             "counts": [bool, ...]
 *                or { "object": "embedding", "index", "error": a sentence }],
 *       "ok": all could be read, "failed": how many could not }
 *
 * Numbers have the digits that are needed to read the same float back. Free with g_free().
 */
PT_API char *pt_embed_report_to_json (const PtEmbedReport *report);

/** The vector of text @i as JSON, as "embedding" above; NULL when it has an error. Free with
 * g_free(). */
PT_API char *pt_embed_report_vector_to_json (const PtEmbedReport *report, guint i);

/* ---- names and secrets ---- */

/** Options of PT_JOB_PRIVACY. */
typedef struct {
  const char *const *texts; /* NULL-terminated; invalid UTF-8 is repaired */
} PtPrivacyOptions;

/** A name or a secret in a text. */
typedef struct {
  gsize start, end;   /* bytes of the text, whole characters, without white space at both ends */
  const char *label;  /* what it is: "private_person"; "entity 3" where the model has no names */
  double probability; /* of its tokens, the mean of what the model gives the label */
} PtPrivacySpan;

/** The spans that were found in one text. */
typedef struct {
  const char *text;  /* as it was read: valid UTF-8 */
  const char *error; /* a sentence that says why it was not read; else NULL */
  double elapsed_s;  /* seconds; 0 with @error, like all that follows */
  guint n_tokens;
  guint n_spans;
  const PtPrivacySpan *spans; /* in the order of the text; they do not overlap */
} PtPrivacyText;

/** The result of PT_JOB_PRIVACY. */
typedef struct {
  const char *model;
  const char *device;
  double load_s; /* as in PtEmbedReport */
  guint n_texts;
  const PtPrivacyText *texts; /* one for each text of the job, in the same order */
  gpointer owner;             /* private; NULL in a report of your own */
} PtPrivacyReport;

/** One more reference to @report, which is returned. */
PT_API PtPrivacyReport *pt_privacy_report_ref (const PtPrivacyReport *report);
/** Give a reference back; NULL is allowed. */
PT_API void pt_privacy_report_unref (PtPrivacyReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtPrivacyReport, pt_privacy_report_unref)

/** The text with "[label]" in place of every span. Free with g_free(). */
PT_API char *pt_privacy_replace (const PtPrivacyText *text);

/**
 * One line of JSON, for scripts:
 *
 *     { "model", "device", "load_s",
 *       "texts": [{ "index": from 0, "tokens", "elapsed_s", "replaced": the text with labels,
 *                   "spans": [{ "start", "end": bytes, "label", "probability", "text" }] }
 *                 or { "index", "error": a sentence }],
 *       "ok": all could be read, "failed": how many could not }
 *
 * Free with g_free().
 */
PT_API char *pt_privacy_report_to_json (const PtPrivacyReport *report);

G_END_DECLS
