/* SPDX-License-Identifier: BSD-3-Clause */
#include <libintl.h>
#include <string.h>

#include "ui/parts/format.h"
#include "ui/speech/transcript.h"

/* The texts of all steps, in a pseudo-language: English with a prefix. */

#undef gettext
#undef dcgettext

#define MARK "» "

char *
dcgettext (const char *domain, const char *text, int category)
{
  g_autofree char *marked = g_strconcat (MARK, text, NULL);

  return (char *) g_intern_string (marked);
}

char *
gettext (const char *text)
{
  return dcgettext (NULL, text, 0);
}

/* Every step has a text of its own, which went through the translations, with its numbers. */
static void
test_every_step (void)
{
  g_autoptr (GHashTable) texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint step = 0; step < PT_N_STEPS; step++)
    for (guint count = 0; count < 6; count += 5) {
      PtEvent event = { .kind = PT_EVENT_PROGRESS, .step = step, .number = 2, .count = count };
      char *text = pteris_format_step (&event);

      g_test_message ("%s", text);
      g_assert_true (g_str_has_prefix (text, MARK));
      g_assert_cmpuint (strlen (text), >, strlen (MARK));
      if (count > 0 && strpbrk (text, "0123456789") != NULL)
        g_assert_nonnull (strstr (text, "2 of 5"));
      g_hash_table_add (texts, text);
    }
  g_assert_cmpuint (g_hash_table_size (texts), >=, PT_N_STEPS);
}

static void
test_transcript (void)
{
  g_autoptr (PterisTranscript) transcript = pteris_transcript_new ("/x.wav", NULL, FALSE);
  PtEvent event = { .kind = PT_EVENT_PROGRESS, .step = PT_STEP_TOKENIZER, .fraction = 0.2 };
  g_autofree char *text = NULL;

  pteris_transcript_start (transcript, "/whisper.pte", "");
  pteris_transcript_handle (transcript, &event);
  text = pteris_transcript_describe (transcript);
  g_assert_cmpstr (text, ==, MARK "Reading the tokenizer…");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/steps/every", test_every_step);
  g_test_add_func ("/steps/transcript", test_transcript);
  return g_test_run ();
}
