/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/hub-token.h>

/*
 * A scripted hub under the window: every repository has the variants "8da4w" and "bf16". Set the
 * members before the window asks; functions run in threads of the window.
 */
typedef struct {
  const char *token;  /* that it wants; NULL: none */
  gboolean gated;     /* the answer says so, and is given to everybody */
  gboolean has_store; /* a secret store; without a dialog */
  gboolean store_refuses;
  char *kept;            /* atomic: the token in the store */
  char *kept_key;        /* atomic: that of the server */
  gboolean offline;      /* pt_hub_look() fails */
  gboolean damaged;      /* pt_hub_get() fails at the end */
  gint held;             /* atomic: pt_hub_get() stays at half until this is 0 */
  guint n_parts;         /* downloads of an earlier run: of "owner/begun" */
  const char *discarded; /* set by pt_hub_discard(): the variant */
  char *wanted;          /* set by pt_hub_choose(): the variant */
  char *borrowed;        /* set by pt_hub_borrow(): the path */
  char *got;             /* set by pt_hub_get(): "owner/name variant" */
} FakeHub;

extern FakeHub fake_hub;
