/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "server/fault.h"

G_BEGIN_DECLS

/*
 * The parts of a body of multipart/form-data (RFC 7578). Our own code, because that of libsoup 3.2
 * reads beyond the end of the body. Any thread.
 */

/** One part. The texts are valid UTF-8. */
typedef struct {
  char *name;
  char *file_name; /* or NULL */
  GBytes *bytes;
} PterisPart;

/** PterisPart; free with g_ptr_array_unref(). NULL with 400: the body has another form, or more
 * than
 * @most parts. @boundary: of the header Content-Type. */
GPtrArray *pteris_multipart_read (GBytes *body, const char *boundary, guint most, GError **error);

G_END_DECLS
