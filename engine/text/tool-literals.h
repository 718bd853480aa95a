/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>
#include <glib.h>

G_BEGIN_DECLS

/* Values as models write them in calls of tools: in Python, or in the form of Gemma 4. */

/** How values are written. */
typedef enum {
  PT_LITERAL_PYTHON, /* 'a', "a", 1, 1.5, True, None, [...], {'a': 1} */
  PT_LITERAL_GEMMA,  /* <|"|>a<|"|>, 1, true, null, [...], {a:1} */
} PtLiteralStyle;

/** The rest of a text that is being parsed. */
typedef struct {
  const char *at, *end;
  PtLiteralStyle style;
  guint depth;
} PtLiteralCursor;

void pt_literal_skip_space (PtLiteralCursor *cursor);

/** Skip @text if it comes next. */
gboolean pt_literal_take (PtLiteralCursor *cursor, const char *text);

/** A name of letters, digits, '_', '-' and '.'; NULL: there is none. Free with g_free(). */
char *pt_literal_name (PtLiteralCursor *cursor);

/** The next value; NULL: there is none, or it is damaged. Free with json_decref(). */
json_t *pt_literal_value (PtLiteralCursor *cursor);

G_END_DECLS
