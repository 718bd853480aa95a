/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Labels of tokens by the grammar BIOES: "O" is outside of any entity; an entity of one token is
 * "S-", of several "B-", "I-" and "E-" and its name; labels without any "E-" are read as BIO
 * (docs/formats/protocols.md, section 16.2).
 */

/** The meaning of a label for its token. */
typedef struct {
  char part;    /* 'O', 'B', 'I', 'E' or 'S' */
  guint entity; /* equal for equal names; 0 for O */
} PtLabelRole;

/** The role of each of @n labels by its name. A name without a known part is outside. */
PtLabelRole *pt_label_roles (const char *const *labels, guint n);

/**
 * The most probable labels of @n tokens that the grammar allows, by the sum of their @scores
 * [n * n_labels]; of equals the first. @path: [n]. Memory: n * n_labels * 4 bytes.
 */
void pt_viterbi (const float *scores, guint n, const PtLabelRole *roles, guint n_labels,
                 guint *path);

G_END_DECLS
