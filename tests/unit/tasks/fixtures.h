/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib/gstdio.h>

#include "engine/base/json.h"
#include "engine/tasks/llm/llm.h"
#include "engine/text/tokenizer.h"
#include "tests/unit/remove-folder.h"

/** A list of a case.json as gint32. */
static inline GArray *
ids_from_json (const json_t *list)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (gint32));

  for (gsize i = 0; i < json_array_size (list); i++) {
    gint32 id = (gint32) json_integer_value (json_array_get (list, i));

    g_array_append_val (ids, id);
  }
  return ids;
}

static inline const gint32 *
ids_of (const GArray *array)
{
  return (const gint32 *) (gconstpointer) array->data;
}

static inline void
read_ok (PtLlm *llm, const gint32 *ids, guint n)
{
  g_autoptr (GError) error = NULL;

  pt_llm_read (llm, ids, n, NULL, &error);
  g_assert_no_error (error);
}

/** Open the program and the tokenizer of the chat model @name. Returns its folder. */
static inline char *
open_chat_model (const char *name, PtModule **module, PtTokenizer **tokenizer)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "data", "chat", name, NULL);
  g_autofree char *program = g_build_filename (folder, "model.pte", NULL);
  g_autoptr (GError) error = NULL;

  *module = pt_module_open (program, NULL, NULL, &error);
  g_assert_no_error (error);
  *tokenizer = pt_tokenizer_open (folder, &error);
  g_assert_no_error (error);
  return g_steal_pointer (&folder);
}

/** The path of a new file in @folder. */
static inline char *
file_in (const char *folder, const char *name, gconstpointer data, gsize size)
{
  char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, data, (gssize) size, NULL));
  return path;
}
