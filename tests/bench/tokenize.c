/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * tokenize TOKENIZER FLAGS: texts on standard input, each a 32-bit length and its bytes; for each,
 * on standard output, a 32-bit count and 32-bit ids, then a length and the bytes they decode to.
 * FLAGS: s recognises special tokens, k keeps them when decoding, t writes times instead.
 * tools/compare-tokenizers.py asks it.
 */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/text/tokenizer.h"

/* CPU time in microseconds: other work on the machine does not count. */
static gint64
now (void)
{
  return (gint64) clock () * G_USEC_PER_SEC / CLOCKS_PER_SEC;
}

static void
put (guint32 n, gconstpointer data, gsize size)
{
  fwrite (&n, sizeof n, 1, stdout);
  if (size > 0)
    fwrite (data, 1, size, stdout);
}

static GPtrArray *
read_texts (void)
{
  GPtrArray *texts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  guint32 length;

  while (fread (&length, sizeof length, 1, stdin) == 1) {
    char *text = g_malloc (length + 1);

    g_assert (fread (text, 1, length, stdin) == length);
    g_ptr_array_add (texts, g_bytes_new_take (text, length));
  }
  return texts;
}

int
main (int argc, char **argv)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GPtrArray) texts = NULL;
  g_autoptr (GError) error = NULL;
  gint64 begin = now (), opened, encoded, bytes = 0, n = 0;
  g_autoptr (PtTokenizer) tokenizer = argc == 3 ? pt_tokenizer_open (argv[1], &error) : NULL;
  gboolean times = argc == 3 && strchr (argv[2], 't') != NULL;

  if (tokenizer == NULL) {
    g_printerr ("%s\n", error != NULL ? error->message : "usage: tokenize TOKENIZER FLAGS");
    return 1;
  }
  opened = now () - begin;
  texts = read_texts ();
  begin = now ();
  for (guint i = 0; i < texts->len; i++) {
    gsize length;
    const char *text = g_bytes_get_data (texts->pdata[i], &length);

    g_array_set_size (ids, 0);
    if (!pt_tokenizer_encode (tokenizer, text, (gssize) length,
                              strchr (argv[2], 's') != NULL ? PT_ENCODE_SPECIAL : PT_ENCODE_PLAIN,
                              ids, &error)) {
      g_printerr ("%s\n", error->message);
      return 1;
    }
    bytes += (gint64) length;
    n += ids->len;
    if (!times) {
      GString *decoded = pt_tokenizer_decode (tokenizer, (const gint32 *) (gpointer) ids->data,
                                              ids->len, strchr (argv[2], 'k') == NULL);

      put (ids->len, ids->data, ids->len * sizeof (gint32));
      put ((guint32) decoded->len, decoded->str, decoded->len);
      g_string_free (decoded, TRUE);
    }
  }
  encoded = now () - begin;
  if (times)
    g_print ("opened in %.1f ms, %.2f MB/s, %.2f bytes a token\n", (double) opened / 1e3,
             (double) bytes / (double) MAX (encoded, 1), (double) bytes / (double) MAX (n, 1));
  return 0;
}
