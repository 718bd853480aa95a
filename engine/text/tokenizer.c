/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/text/tokenizer-private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/folder.h"
#include "engine/base/json.h"

/* Longest text: far above any context, far below any overflow. */
#define MAX_TEXT (64 * 1024 * 1024)
/* For texts from this size on the working memory is not kept. */
#define MAX_KEPT (256 * 1024)

void
pt_tokenizer_init_base (PtTokenizer *self)
{
  self->prefix = g_array_new (FALSE, FALSE, sizeof (gint32));
  self->suffix = g_array_new (FALSE, FALSE, sizeof (gint32));
  self->bos = self->eos = -1;
}

void
pt_tokenizer_set_ends (PtTokenizer *self, gint32 bos, gint32 eos)
{
  self->bos = bos;
  self->eos = eos;
  if (bos >= 0)
    g_array_append_val (self->prefix, bos);
}

static PtScratch *
scratch_new (GError **error)
{
  PtPieceCache *cache = pt_piece_cache_new (error);
  PtScratch *scratch;

  if (cache == NULL)
    return NULL;
  scratch = g_new0 (PtScratch, 1);
  scratch->cache = cache;
  scratch->merger = pt_merger_new ();
  scratch->name = g_string_new (NULL);
  return scratch;
}

static void
scratch_free (PtScratch *scratch)
{
  if (scratch == NULL)
    return;
  pt_merger_free (scratch->merger);
  pt_piece_cache_free (scratch->cache);
  g_string_free (scratch->name, TRUE);
  g_free (scratch);
}

void
pt_tokenizer_clear_base (PtTokenizer *self)
{
  scratch_free (self->spare);
  g_array_unref (self->prefix);
  g_array_unref (self->suffix);
  pt_vocabulary_free (self->vocabulary);
}

/* ---- opening ---- */

/* The format is detected by content, not by name: a "tokenizer.model" may have one of several. */

static gboolean
is_json (const char *data, gsize size)
{
  gsize i = size >= 3 && memcmp (data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

  while (i < size && g_ascii_isspace (data[i]))
    i++;
  return i < size && data[i] == '{';
}

/* Opens a tokenizer.json with its lists parsed separately. NULL: the full JSON parser opens it or
   reports the error. */
static PtTokenizer *
open_lists (const char *path, const char *text, gsize length)
{
  g_auto (PtHfLists) lists = { 0 };
  g_autoptr (json_t) json = NULL;

  if (!pt_hf_lists_read (&lists, text, length))
    return NULL;
  json = pt_json_parse (path, lists.others, lists.length, NULL);
  return json != NULL ? pt_hf_tokenizer_new (json, &lists, NULL) : NULL;
}

static PtTokenizer *
open_json (const char *path, GError **error)
{
  gsize length;
  g_autofree char *text = pt_text_load (path, PT_MAX_TOKENIZER_FILE, &length, error);
  g_autoptr (json_t) json = NULL;
  PtTokenizer *self;

  if (text == NULL)
    return NULL;
  self = open_lists (path, text, length);
  if (self != NULL)
    return self;
  json = pt_json_parse (path, text, length, error);
  if (json == NULL)
    return NULL;
  return pt_tekken_sniff (json) ? pt_tekken_new (json, error)
                                : pt_hf_tokenizer_new (json, NULL, error);
}

static PtTokenizer *
open_other (const char *path, GError **error)
{
  gsize size;
  g_autofree char *data = pt_text_load (path, PT_MAX_TOKENIZER_FILE, &size, error);

  if (data == NULL)
    return NULL;
  if (pt_llama2c_sniff (data, size))
    return pt_llama2c_new (data, size, error);
  if (pt_sentencepiece_sniff (data, size))
    return pt_sentencepiece_new (data, size, error);
  if (pt_tiktoken_sniff (data, size))
    return pt_tiktoken_new (data, size, error);
  pt_fail (error, PT_ERROR_FORMAT, "“%s” is not a tokenizer.", path);
  return NULL;
}

static gboolean
check_regular (const char *path, guint64 *size, GError **error)
{
  GStatBuf info;

  if (g_stat (path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return pt_fail (error, PT_ERROR_MISSING_FILE, "There is no tokenizer “%s”.", path);
  if (g_stat (path, &info) != 0)
    return pt_fail (error, PT_ERROR_FILE, "Cannot read the tokenizer “%s”: %s.", path,
                    g_strerror (errno));
  if (!S_ISREG (info.st_mode))
    return pt_fail (error, PT_ERROR_FILE, "The tokenizer “%s” is not a file.", path);
  *size = (guint64) info.st_size;
  return TRUE;
}

static gboolean
read_head (const char *path, char *head, gsize size, gsize *length, GError **error)
{
  guint64 file_size = 0;
  gboolean ok;
  FILE *file;

  if (!check_regular (path, &file_size, error))
    return FALSE;
  file = g_fopen (path, "rb");
  if (file == NULL)
    return pt_fail (error, PT_ERROR_FILE, "Cannot read the tokenizer “%s”: %s.", path,
                    g_strerror (errno));
  *length = fread (head, 1, size, file);
  ok = *length >= MIN (size, file_size) ||
       pt_fail (error, PT_ERROR_FILE,
                "Cannot read the tokenizer “%s”: %s. Check the file and its disk.", path,
                feof (file) ? "it became shorter meanwhile" : g_strerror (errno));
  fclose (file);
  return ok;
}

char *
pt_tokenizer_find_file (const char *folder)
{
  static const char *const names[] = { "tokenizer.json", "tekken.json", "tokenizer.model",
                                       "tokenizer.bin" };
  g_autoptr (PtFolder) dir = NULL;
  g_autofree char *found = NULL;
  const char *name;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);

    if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
      return g_steal_pointer (&path);
  }
  dir = pt_folder_open (folder);
  while ((name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    /* Older models call it after themselves: whisper_tokenizer.json. */
    if ((!g_str_has_suffix (name, ".tiktoken") && !g_str_has_suffix (name, "_tokenizer.json")) ||
        !g_file_test (path, G_FILE_TEST_IS_REGULAR))
      continue;
    if (found != NULL)
      return NULL; /* which one? */
    found = g_steal_pointer (&path);
  }
  return g_steal_pointer (&found);
}

PtTokenizer *
pt_tokenizer_open (const char *path, GError **error)
{
  g_autofree char *inside = NULL, *name = NULL;
  PtTokenizer *self;
  char head[512];
  gsize length = 0;

  if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
    inside = pt_tokenizer_find_file (path);
    if (inside == NULL)
      inside = g_build_filename (path, "tokenizer.json", NULL);
    path = inside;
  }
  if (!read_head (path, head, sizeof head, &length, error))
    return NULL;
  if (is_json (head, length) && !pt_sentencepiece_sniff (head, length))
    self = open_json (path, error);
  else
    self = open_other (path, error);
  if (self == NULL && error != NULL && (*error)->code != PT_ERROR_FORMAT &&
      (*error)->code != PT_ERROR_FILE) {
    name = g_filename_display_name (path);
    pt_prefix_error (error, "The tokenizer “%s” cannot be used. ", name);
  }
  return self;
}

gint32
pt_tokenizer_bos (const PtTokenizer *self)
{
  return self->bos;
}

gint32
pt_tokenizer_eos (const PtTokenizer *self)
{
  return self->eos;
}

void
pt_tokenizer_free (PtTokenizer *self)
{
  if (self != NULL)
    self->free (self);
}

/* ---- lookup ---- */

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
  gsize length = strlen (token);
  gint32 id = pt_vocabulary_find_in (self->vocabulary, PT_NAMES_RESERVED, token, length);

  return id >= 0 ? id : pt_vocabulary_find (self->vocabulary, token, length);
}

gboolean
pt_tokenizer_is_special (const PtTokenizer *self, gint32 id)
{
  const PtToken *token = pt_vocabulary_token (self->vocabulary, id);

  return token != NULL && (token->flags & PT_TOKEN_SPECIAL) != 0;
}

const PtTextLength *
pt_tokenizer_text_length (const PtTokenizer *self)
{
  return &self->text_length;
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

/* ---- encoding ---- */

/** Replaces invalid UTF-8 in @text by U+FFFD; zero bytes are valid characters. */
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

gsize
pt_utf8_length (const char *text, gsize length)
{
  const char *end = text;

  while (!g_utf8_validate_len (end, length - (gsize) (end - text), &end) &&
         (gsize) (end - text) < length && *end == '\0')
    end++;
  return (gsize) (end - text);
}

/** Encodes with the working memory of the last encoding, unless another thread uses it. */
static gboolean
encode (const PtTokenizer *self, const char *text, gsize size, const PtTrust *trust, GArray *ids,
        GError **error)
{
  PtScratch **spare = (PtScratch **) &self->spare;
  PtScratch *scratch = g_atomic_pointer_exchange (spare, NULL);
  gboolean ok;

  if (scratch == NULL)
    scratch = scratch_new (error);
  if (scratch == NULL)
    return FALSE;
  ok = self->encode (self, text, size, scratch, trust, ids, error);
  if (size < MAX_KEPT)
    scratch = g_atomic_pointer_exchange (spare, scratch);
  scratch_free (scratch);
  return ok;
}

/** Appends @part to @text, made valid unless @as_bytes, and its span to @spans. */
static gboolean
add_part (const PtTextPart *part, gboolean as_bytes, GString *text, GArray *spans, GError **error)
{
  gsize size = part->length < 0 ? strlen (part->text) : (gsize) part->length;
  PtSpan span = { text->len, 0, FALSE };

  if (size > MAX_TEXT || text->len > MAX_TEXT)
    return pt_fail (error, PT_ERROR_ARGUMENT, "A text of %zu MB is too long for any model.",
                    (text->len + size) / (1024 * 1024));
  if (!as_bytes && !g_utf8_validate_len (part->text, size, NULL)) {
    g_autoptr (GString) valid = make_valid (part->text, size);

    g_string_append_len (text, valid->str, (gssize) valid->len);
  } else {
    g_string_append_len (text, part->text, (gssize) size);
  }
  span.end = text->len;
  if (!part->special || span.begin == span.end)
    return TRUE;
  if (spans->len > 0 && g_array_index (spans, PtSpan, spans->len - 1).end == span.begin)
    g_array_index (spans, PtSpan, spans->len - 1).end = span.end;
  else
    g_array_append_val (spans, span);
  return TRUE;
}

gboolean
pt_tokenizer_encode_parts (const PtTokenizer *self, const PtTextPart *parts, guint n_parts,
                           PtEncodeFlags flags, GArray *ids, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (PtSpan));
  /* Invalid UTF-8 in one part must not affect the others. */
  gboolean as_bytes = self->takes_bytes && n_parts == 1;
  PtTrust trust;

  for (guint i = 0; i < n_parts; i++)
    if (!add_part (&parts[i], as_bytes, text, spans, error))
      return FALSE;
  trust = (PtTrust){ (const PtSpan *) (gpointer) spans->data, spans->len };
  if (flags & PT_ENCODE_ADD)
    g_array_append_vals (ids, self->prefix->data, self->prefix->len);
  if (!encode (self, text->str, text->len, &trust, ids, error))
    return FALSE;
  if (flags & PT_ENCODE_ADD)
    g_array_append_vals (ids, self->suffix->data, self->suffix->len);
  return TRUE;
}

gboolean
pt_tokenizer_encode (const PtTokenizer *self, const char *text, gssize length, PtEncodeFlags flags,
                     GArray *ids, GError **error)
{
  const PtTextPart part = { text, length, (flags & PT_ENCODE_SPECIAL) != 0 };

  return pt_tokenizer_encode_parts (self, &part, 1, flags, ids, error);
}
