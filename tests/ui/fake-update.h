/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/update.h>

/*
 * A scripted list of versions under the window. Set the members before the window asks; functions
 * run in threads of the window. Without a host nobody looks for versions, as in the packages of
 * distributions.
 */
typedef struct {
  const char *host;   /* NULL: it is not possible */
  const char *newest; /* of the list; NULL: the next request fails */
  const char *known;  /* of the list that was seen last; NULL: there was none */
  gboolean due;       /* the last request is a day ago */
  gint held;          /* atomic: a request waits until this is 0 */
  gint requests;      /* atomic: how many there were */
} FakeUpdate;

extern FakeUpdate fake_update;
