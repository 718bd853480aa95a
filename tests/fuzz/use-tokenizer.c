/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/use-tokenizer.h"

#include "tests/fuzz/fuzz.h"

#include <string.h>

static const char *const texts[] = {
  "The quick brown fox, 42 times: it's <|im_start|>user\n\n  déjà vu — 你好\t🙂!!",
  "  leading and trailing  ",
  "\xff\xfe broken \xc3 bytes",
  "  12345 \n\n\t<s>[INST]<|eot_id|>abcabcabcabc\xe2\x96\x81\xe2\x96\x81 \xef\xac\x81\xc2\xa0 "
  "\xf0\x9f",
  "",
};

static void
decode (const PtTokenizer *tokenizer, const GArray *ids)
{
  GString *whole =
      pt_tokenizer_decode (tokenizer, (const gint32 *) (gpointer) ids->data, ids->len, FALSE);
  g_autoptr (GString) streamed = g_string_new (NULL);
  PtStreamDecoder decoder;

  g_assert (g_utf8_validate_len (whole->str, whole->len, NULL) ||
            memchr (whole->str, 0, whole->len) != NULL);
  g_string_free (whole, TRUE);
  pt_stream_decoder_init (&decoder, tokenizer, TRUE);
  for (guint i = 0; i < ids->len; i++)
    pt_stream_decoder_push (&decoder, g_array_index (ids, gint32, i), streamed);
  pt_stream_decoder_finish (&decoder, streamed);
}

static void
use (const PtTokenizer *tokenizer)
{
  static const gint32 odd_ids[] = { -1, 0, 1, 255, 70000, G_MAXINT32, G_MININT32 };
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    GError *error = NULL;

    if (!pt_tokenizer_encode (tokenizer, texts[i], -1, PT_ENCODE_SPECIAL | PT_ENCODE_ADD, ids,
                              &error))
      fuzz_check_error (error);
    error = NULL;
    if (!pt_tokenizer_encode (tokenizer, texts[i], -1, PT_ENCODE_PLAIN, ids, &error))
      fuzz_check_error (error);
  }
  g_array_append_vals (ids, odd_ids, G_N_ELEMENTS (odd_ids));
  decode (tokenizer, ids);
  for (guint i = 0; i < G_N_ELEMENTS (odd_ids); i++) {
    gsize length = 0;
    const char *bytes = pt_tokenizer_bytes (tokenizer, odd_ids[i], &length);

    if (bytes != NULL)
      fuzz_touch (bytes, length);
    pt_tokenizer_is_special (tokenizer, odd_ids[i]);
  }
}

void
fuzz_use_tokenizer (const guint8 *data, gsize size)
{
  g_autoptr (PtTokenizer) tokenizer = NULL;
  GError *error = NULL;

  tokenizer = pt_tokenizer_open (fuzz_file (data, size), &error);
  if (tokenizer == NULL)
    fuzz_check_error (error);
  else
    use (tokenizer);
}
