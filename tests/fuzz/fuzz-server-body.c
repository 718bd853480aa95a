/* SPDX-License-Identifier: BSD-3-Clause */

/* Bodies of requests to the server. The first byte says which interface reads the rest. */

#include <string.h>

#include "engine/base/json.h"
#include "server/form.h"
#include "server/readers.h"
#include "tests/fuzz/fuzz.h"

#define N_READERS 6

static void
check_fault (GError *error)
{
  g_assert (error != NULL && error->domain == PTERIS_FAULT);
  g_assert (pteris_fault_status (error) >= 400 && pteris_fault_status (error) < 600);
  g_assert (g_utf8_validate (error->message, -1, NULL));
  g_error_free (error);
}

/* A question has what the engine needs. */
static void
check_question (PterisQuestion *question, guint reader)
{
  g_assert (question->model != NULL);
  g_assert (reader >= 3 || question->messages->len > 0);
  for (guint i = 0; i < question->messages->len; i++) {
    const PtMessage *message = &g_array_index (question->messages, PtMessage, i);

    g_assert (message->role != NULL && g_utf8_validate (message->text, -1, NULL));
  }
  for (guint i = 0; i < PT_SAMPLING_N_FIELDS; i++) {
    double value = pt_sampling_get (&question->chat.sampling, i);

    g_assert (!pt_sampling_is_set (value) || pt_sampling_may_be (i, value));
  }
  pteris_question_free (question);
}

static void
read_form (const guint8 *data, gsize size)
{
  static const PterisFormKind kinds[] = { { "temperature", PTERIS_FORM_NUMBER },
                                          { "stream", PTERIS_FORM_BOOL },
                                          { NULL } };
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);
  SoupMessageHeaders *headers = soup_message_headers_new (SOUP_MESSAGE_HEADERS_REQUEST);
  g_auto (PterisForm) form = { 0 };
  GError *error = NULL;

  soup_message_headers_append (headers, "Content-Type", "multipart/form-data; boundary=x");
  if (!pteris_form_read (&form, headers, bytes, "file", kinds, &error))
    check_fault (error);
  else
    g_assert (form.file != NULL && json_is_object (form.members));
  soup_message_headers_unref (headers);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (json_t) json = NULL;
  g_autofree char *echo = NULL, *text = NULL;
  PterisQuestion *question = NULL;
  GError *error = NULL;
  guint reader = size > 0 ? (data[0] - '0') % N_READERS : 0;

  if (size == 0)
    return 0;
  if (reader == N_READERS - 1) {
    read_form (data + 1, size - 1);
    return 0;
  }
  if (!g_utf8_validate ((const char *) data + 1, (gssize) size - 1, NULL))
    return 0;
  text = g_strndup ((const char *) data + 1, size - 1);
  json = pt_json_parse ("body", text, size - 1, NULL);
  if (json == NULL)
    return 0;
  switch (reader) {
  case 0: question = pteris_openai_chat_read (json, &error); break;
  case 1: question = pteris_openai_completions_read (json, &echo, &error); break;
  case 2: question = pteris_openai_responses_read (json, &error); break;
  case 3: question = pteris_ollama_chat_read (json, &error); break;
  default: question = pteris_ollama_generate_read (json, &error); break;
  }
  if (question != NULL)
    check_question (question, reader);
  else
    check_fault (error);
  return 0;
}
