/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>

#include <glib/gstdio.h>

#include "engine/base/json.h"
#include "engine/text/tokenizer.h"

/** A tokenizer of single bytes and @tokens with spaces between them; those of more than a letter
 * are special. */
static inline PtTokenizer *
tokenizer_with (const char *tokens)
{
  g_auto (GStrv) names = g_strsplit (tokens, " ", -1);
  g_autoptr (json_t) json = NULL;
  g_autofree char *folder = g_dir_make_tmp ("pteris-template-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "tokenizer.json", NULL);
  g_autoptr (GError) error = NULL;
  json_t *vocab = json_object (), *added = json_array ();
  PtTokenizer *tokenizer;

  for (int i = 0; i < 256; i++) {
    char name[8];

    g_snprintf (name, sizeof name, "<0x%02X>", i);
    json_object_set_new (vocab, name, json_integer (i));
  }
  for (int i = 0; names[i] != NULL; i++)
    json_array_append_new (added, json_pack ("{s:i, s:s, s:b}", "id", 256 + i, "content", names[i],
                                             "special", names[i][1] != '\0'));
  json = json_pack ("{s:o, s:{s:s, s:o, s:[], s:b}, s:{s:s}}", "added_tokens", added, "model",
                    "type", "BPE", "vocab", vocab, "merges", "byte_fallback", 1, "decoder", "type",
                    "ByteFallback");
  g_assert_cmpint (json_dump_file (json, path, 0), ==, 0);
  tokenizer = pt_tokenizer_open (path, &error);
  g_assert_no_error (error);
  remove (path);
  g_rmdir (folder);
  return tokenizer;
}
