/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/embed/viterbi.h"

#include <math.h>
#include <string.h>

static gboolean
begins (char part)
{
  return part == 'O' || part == 'B' || part == 'S';
}

/* @ends: entities have a part E; without it, any token may be the last one. */
static gboolean
may_follow (PtLabelRole role, PtLabelRole next, gboolean ends)
{
  gboolean inside = role.part == 'B' || role.part == 'I';

  if (inside && (next.part == 'I' || next.part == 'E') && next.entity == role.entity)
    return TRUE;
  return begins (next.part) && !(inside && ends);
}

static gboolean
has_ends (const PtLabelRole *roles, guint n_labels)
{
  for (guint i = 0; i < n_labels; i++)
    if (roles[i].part == 'E')
      return TRUE;
  return FALSE;
}

PtLabelRole *
pt_label_roles (const char *const *labels, guint n)
{
  g_autoptr (GHashTable) entities = g_hash_table_new (g_str_hash, g_str_equal);
  PtLabelRole *roles = g_new (PtLabelRole, n);

  for (guint i = 0; i < n; i++) {
    const char *label = labels[i];
    guint entity;

    roles[i] = (PtLabelRole){ 'O', 0 };
    if (label[0] == '\0' || label[1] != '-' || strchr ("BIES", label[0]) == NULL)
      continue;
    entity = GPOINTER_TO_UINT (g_hash_table_lookup (entities, label + 2));
    if (entity == 0) {
      entity = g_hash_table_size (entities) + 1;
      g_hash_table_insert (entities, (char *) label + 2, GUINT_TO_POINTER (entity));
    }
    roles[i] = (PtLabelRole){ label[0], entity };
  }
  return roles;
}

/* The best predecessor of label @to by the sums @before; @n_labels: none is possible. */
static guint
best_before (const double *before, const PtLabelRole *roles, guint n_labels, guint to,
             gboolean ends)
{
  guint best = n_labels;

  for (guint from = 0; from < n_labels; from++)
    if (before[from] > -INFINITY && may_follow (roles[from], roles[to], ends) &&
        (best == n_labels || before[from] > before[best]))
      best = from;
  return best;
}

static void
trace_back (const guint32 *from, const double *sums, guint n, guint n_labels, guint *path)
{
  guint best = 0;

  for (guint i = 1; i < n_labels; i++)
    if (sums[i] > sums[best])
      best = i;
  for (guint t = n; t-- > 0;) {
    path[t] = best;
    best = from[(gsize) t * n_labels + best];
  }
}

void
pt_viterbi (const float *scores, guint n, const PtLabelRole *roles, guint n_labels, guint *path)
{
  g_autofree guint32 *from = g_new0 (guint32, (gsize) n * n_labels);
  g_autofree double *sums = g_new (double, n_labels);
  g_autofree double *next = g_new (double, n_labels);
  gboolean ends = has_ends (roles, n_labels);

  if (n == 0)
    return;
  for (guint i = 0; i < n_labels; i++)
    sums[i] = begins (roles[i].part) ? scores[i] : -INFINITY;
  for (guint t = 1; t < n; t++) {
    for (guint to = 0; to < n_labels; to++) {
      guint best = best_before (sums, roles, n_labels, to, ends);

      next[to] = best < n_labels ? sums[best] + scores[(gsize) t * n_labels + to] : -INFINITY;
      from[(gsize) t * n_labels + to] = best < n_labels ? best : 0;
    }
    memcpy (sums, next, n_labels * sizeof *sums);
  }
  trace_back (from, sums, n, n_labels, path);
}
