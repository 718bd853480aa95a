/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/conversation-marks.h"

#include <string.h>

/* FNV-1a with 64 bits. A wrong match only costs that a prompt is read again. */
#define DIGEST_BEGIN G_GUINT64_CONSTANT (0xcbf29ce484222325)
#define DIGEST_PRIME G_GUINT64_CONSTANT (0x100000001b3)

/* With the 0 at its end, so that two texts are not one. */
static guint64
digest_text (guint64 digest, const char *text)
{
  gsize length = strlen (text) + 1;

  for (gsize i = 0; i < length; i++)
    digest = (digest ^ (guint8) text[i]) * DIGEST_PRIME;
  return digest;
}

guint64
pteris_marks_of_chat (const PtChatOptions *chat)
{
  guint64 digest = DIGEST_BEGIN;

  for (guint i = 0; i < chat->n_messages; i++) {
    digest = digest_text (digest, chat->messages[i].role);
    digest = digest_text (digest, chat->messages[i].text);
    if (strcmp (chat->messages[i].role, "system") != 0)
      break;
  }
  return MAX (digest, 1);
}

gboolean
pteris_marks_know (const PterisConversationMarks *self, guint64 digest)
{
  for (guint i = 0; digest != 0 && i < self->n; i++)
    if (self->digests[i] == digest)
      return TRUE;
  return FALSE;
}

void
pteris_marks_remove (PterisConversationMarks *self, guint64 digest)
{
  guint n = 0;

  for (guint i = 0; i < self->n; i++)
    if (self->digests[i] != digest)
      self->digests[n++] = self->digests[i];
  self->n = n;
}

void
pteris_marks_add (PterisConversationMarks *self, guint64 digest)
{
  if (digest == 0)
    return;
  pteris_marks_remove (self, digest);
  self->n = MIN (self->n, PTERIS_MARKS_MOST - 1);
  memmove (self->digests + 1, self->digests, self->n * sizeof self->digests[0]);
  self->digests[0] = digest;
  self->n++;
}
