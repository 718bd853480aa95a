/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/tokenizer-private.h"

#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

/* Texts are prompts: far above any context, far below any overflow. */
#define MAX_TEXT (64 * 1024 * 1024)

void
pt_tokenizer_init_base (PtTokenizer *self)
{
  self->prefix = g_array_new (FALSE, FALSE, sizeof (gint32));
  self->suffix = g_array_new (FALSE, FALSE, sizeof (gint32));
}

void
pt_tokenizer_clear_base (PtTokenizer *self)
{
  g_array_unref (self->prefix);
  g_array_unref (self->suffix);
  pt_vocabulary_free (self->vocabulary);
}

/* --- opening --- */

typedef enum { KIND_JSON, KIND_SENTENCEPIECE, KIND_TIKTOKEN, KIND_UNKNOWN } Kind;

static gboolean
is_base64_line (const char *head, gsize length)
{
  gsize i = 0;

  while (i < length && (g_ascii_isalnum (head[i]) || strchr ("+/=", head[i]) != NULL))
    i++;
  return i > 0 && i + 1 < length && head[i] == ' ' && g_ascii_isdigit (head[i + 1]);
}

/** The content decides, never the name: a "tokenizer.model" may be either of two kinds. */
static Kind
sniff (const char *head, gsize length)
{
  gsize i = 0;

  if (length >= 3 && memcmp (head, "\xEF\xBB\xBF", 3) == 0)
    i = 3;
  while (i < length && g_ascii_isspace (head[i]))
    i++;
  if (i < length && head[i] == '{')
    return KIND_JSON;
  if (length > 2 && head[0] == 0x0A)
    return KIND_SENTENCEPIECE;
  return is_base64_line (head, length) ? KIND_TIKTOKEN : KIND_UNKNOWN;
}

static gboolean
read_head (const char *path, char *head, gsize size, gsize *length, GError **error)
{
  FILE *file;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return pt_fail (error, PT_ERROR_MISSING_FILE, "There is no tokenizer “%s”.", path);
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return pt_fail (error, PT_ERROR_FILE, "The tokenizer “%s” is not a file.", path);
  file = g_fopen (path, "rb");
  if (file == NULL)
    return pt_fail (error, PT_ERROR_FILE, "Cannot read the tokenizer “%s”: %s.", path,
                    g_strerror (errno));
  *length = fread (head, 1, size, file);
  fclose (file);
  return TRUE;
}

PtTokenizer *
pt_tokenizer_open (const char *path, GError **error)
{
  g_autofree char *inside = NULL;
  char head[512];
  gsize length = 0;
  const char *kind = NULL;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    path = inside = g_build_filename (path, "tokenizer.json", NULL);
  if (!read_head (path, head, sizeof head, &length, error))
    return NULL;
  switch (sniff (head, length)) {
  case KIND_JSON: return pt_hf_tokenizer_open (path, error);
  case KIND_SENTENCEPIECE: kind = "a SentencePiece model"; break;
  case KIND_TIKTOKEN: kind = "a tiktoken vocabulary"; break;
  case KIND_UNKNOWN: break;
  }
  if (kind != NULL)
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "The tokenizer “%s” is %s, which is not supported yet. Put the model's tokenizer.json "
             "beside it.",
             path, kind);
  else
    pt_fail (error, PT_ERROR_FORMAT, "“%s” is not a tokenizer.", path);
  return NULL;
}

void
pt_tokenizer_free (PtTokenizer *self)
{
  if (self != NULL)
    self->free (self);
}

/* --- looking things up --- */

guint
pt_tokenizer_n_ids (const PtTokenizer *self)
{
  return pt_vocabulary_n_ids (self->vocabulary);
}

const char *
pt_tokenizer_bytes (const PtTokenizer *self, gint32 id, gsize *length)
{
  const PtToken *token = pt_vocabulary_token (self->vocabulary, id);

  *length = token != NULL ? token->length : 0;
  return token != NULL ? token->bytes : NULL;
}

gint32
pt_tokenizer_find (const PtTokenizer *self, const char *token)
{
  return pt_vocabulary_find (self->vocabulary, token, strlen (token));
}

gboolean
pt_tokenizer_is_special (const PtTokenizer *self, gint32 id)
{
  const PtToken *token = pt_vocabulary_token (self->vocabulary, id);

  return token != NULL && (token->flags & PT_TOKEN_SPECIAL) != 0;
}

const gint32 *
pt_tokenizer_prefix (const PtTokenizer *self, guint *n)
{
  *n = self->prefix->len;
  return (const gint32 *) (gconstpointer) self->prefix->data;
}

const gint32 *
pt_tokenizer_suffix (const PtTokenizer *self, guint *n)
{
  *n = self->suffix->len;
  return (const gint32 *) (gconstpointer) self->suffix->data;
}

/* --- encoding --- */

/** @text with U+FFFD for what is not UTF-8; zero bytes are characters like any other. */
static GString *
make_valid (const char *text, gsize length)
{
  GString *out = g_string_sized_new (length);
  gsize begin = 0;

  while (begin < length) {
    const char *zero = memchr (text + begin, '\0', length - begin);
    gsize end = zero != NULL ? (gsize) (zero - text) : length;
    g_autofree char *run = g_utf8_make_valid (text + begin, (gssize) (end - begin));

    g_string_append (out, run);
    if (zero != NULL)
      g_string_append_c (out, '\0');
    begin = end + 1;
  }
  return out;
}

gboolean
pt_tokenizer_encode (const PtTokenizer *self, const char *text, gssize length, PtEncodeFlags flags,
                     GArray *ids, GError **error)
{
  gsize size = length < 0 ? strlen (text) : (gsize) length;
  g_autoptr (GString) valid = NULL;

  if (size > MAX_TEXT)
    return pt_fail (error, PT_ERROR_ARGUMENT, "A text of %zu MB is too long for any model.",
                    size / (1024 * 1024));
  if (!g_utf8_validate_len (text, size, NULL)) {
    valid = make_valid (text, size);
    text = valid->str;
    size = valid->len;
  }
  if (flags & PT_ENCODE_ADD)
    g_array_append_vals (ids, self->prefix->data, self->prefix->len);
  if (!self->encode (self, text, size, (flags & PT_ENCODE_SPECIAL) != 0, ids, error))
    return FALSE;
  if (flags & PT_ENCODE_ADD)
    g_array_append_vals (ids, self->suffix->data, self->suffix->len);
  return TRUE;
}
