/* SPDX-License-Identifier: BSD-3-Clause */

/* Conversations with a tiny model of random weights: what it says means nothing, but is always
 * the same. */

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>
#include <jansson.h>

#include "engine/init.h"
#include "engine/tasks/chat/chat-task.h"
#include "tests/unit/tasks/fixtures.h"

typedef struct {
  PtModule *module;
  PtTokenizer *tokenizer;
  PtChat *chat;
  GString *text;
  guint n_pieces;
  guint cancel_after; /* pieces; 0: never */
  GCancellable *cancellable;
  PtStats stats;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autofree char *folder = open_chat_model ("qwen3_xnnpack_8da4w", &f->module, &f->tokenizer);
  g_autoptr (GError) error = NULL;

  f->chat = pt_chat_new (f->module, f->tokenizer, folder, &error);
  g_assert_no_error (error);
  f->text = g_string_new (NULL);
  f->cancellable = g_cancellable_new ();
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  pt_chat_free (f->chat);
  pt_tokenizer_free (f->tokenizer);
  pt_module_free (f->module);
  g_string_free (f->text, TRUE);
  g_object_unref (f->cancellable);
}

static void
on_text (const char *text, PtAnswerPart part, const PtStats *stats, gpointer user_data)
{
  Fixture *f = user_data;

  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_string_append (f->text, text);
  if (++f->n_pieces == f->cancel_after)
    g_cancellable_cancel (f->cancellable);
}

static PtChatOptions
request_of (const PtMessage *messages, guint n, int max_new_tokens)
{
  return (PtChatOptions){ .messages = messages,
                          .n_messages = n,
                          .max_new_tokens = max_new_tokens,
                          .sampling = PT_SAMPLING_GREEDY };
}

/** Answer; the text is in f->text. */
static PtReason
answer (Fixture *f, const PtChatOptions *request)
{
  g_autoptr (GError) error = NULL;
  PtReason reason;

  g_string_truncate (f->text, 0);
  reason = pt_chat_answer (f->chat, request, on_text, f, NULL, &f->stats, &error);
  g_assert_no_error (error);
  return reason;
}

/** The second turn reads only what is new, although the answer's ids need not be canonical. */
static void
test_reuse (Fixture *f, gconstpointer data)
{
  PtMessage messages[] = { { "user", "Hello there" }, { "assistant", NULL }, { "user", "And?" } };
  PtChatOptions first = request_of (messages, 1, 12), second = request_of (messages, 3, 4);
  g_autofree char *said = NULL, *again = NULL;
  guint prompt, written;

  g_assert_cmpint (answer (f, &first), ==, PT_REASON_LENGTH);
  g_assert_cmpuint (f->stats.reused_tokens, ==, 0);
  g_assert_cmpuint (f->stats.new_tokens, ==, 12);
  g_assert_cmpuint (f->stats.context_size, ==, 128);
  prompt = f->stats.prompt_tokens;
  written = f->stats.new_tokens;
  /* The last token was given out and never read. */
  g_assert_cmpuint (f->stats.context_used, ==, prompt + written - 1);
  said = g_strdup (f->text->str);

  messages[1].text = said;
  answer (f, &second);
  g_assert_cmpuint (f->stats.reused_tokens, ==, prompt + written - 1);
  g_assert_cmpuint (f->stats.prompt_tokens, >, prompt + written);
  again = g_strdup (f->text->str);

  /* Without what is in the cache it says the same. */
  tear_down (f, data);
  set_up (f, data);
  answer (f, &first);
  g_assert_cmpstr (f->text->str, ==, said);
  answer (f, &second);
  g_assert_cmpstr (f->text->str, ==, again);
}

/** Another question at the same place: what comes before it is kept. */
static void
test_edited (Fixture *f, gconstpointer data)
{
  PtMessage one[] = { { "system", "Be nice" }, { "user", "One" } };
  PtMessage two[] = { { "system", "Be nice" }, { "user", "Two" } };
  PtChatOptions first = request_of (one, 2, 5), second = request_of (two, 2, 5);
  g_autofree char *said = NULL;

  answer (f, &second);
  said = g_strdup (f->text->str);
  answer (f, &first);
  g_assert_cmpuint (f->stats.reused_tokens, >, 3);
  answer (f, &second);
  g_assert_cmpuint (f->stats.reused_tokens, >, 3);
  g_assert_cmpuint (f->stats.reused_tokens, <, f->stats.prompt_tokens);
  g_assert_cmpstr (f->text->str, ==, said);
}

/** An answer that was cut off goes on as if it had not been, and nothing is read again. */
static void
test_continue (Fixture *f, gconstpointer data)
{
  PtMessage messages[] = { { "user", "Hello there" }, { "assistant", NULL }, { "user", "And?" } };
  PtChatOptions whole = request_of (messages, 1, 12), first = request_of (messages, 1, 5),
                rest = request_of (messages, 2, 7), next = request_of (messages, 3, 2);
  g_autofree char *said = NULL, *all = NULL;
  guint position;

  answer (f, &whole);
  said = g_strdup (f->text->str);
  answer (f, &first);
  position = f->stats.context_used;
  all = g_strdup (f->text->str);
  messages[1].text = all;
  answer (f, &rest);
  g_assert_cmpuint (f->stats.reused_tokens, >=, position);
  g_string_prepend (f->text, all);
  g_assert_cmpstr (f->text->str, ==, said);

  /* Later it counts as one answer. */
  messages[1].text = said;
  position = f->stats.context_used;
  answer (f, &next);
  g_assert_cmpuint (f->stats.reused_tokens, ==, position);
}

static void
test_context (Fixture *f, gconstpointer data)
{
  PtMessage message = { "user", "Hello" };
  PtChatOptions request = request_of (&message, 1, 0);
  g_autofree char *long_text = g_strnfill (400, 'x');
  g_autoptr (GError) error = NULL;
  PtReason reason = answer (f, &request);

  /* A random model hardly ever ends by itself. */
  if (reason != PT_REASON_STOP) {
    g_assert_cmpint (reason, ==, PT_REASON_CONTEXT);
    g_assert_cmpuint (f->stats.context_used, ==, 128);
    g_assert_cmpuint (f->stats.prompt_tokens + f->stats.new_tokens, ==, 129);
  }
  message.text = long_text;
  g_assert_cmpint (pt_chat_answer (f->chat, &request, on_text, f, NULL, &f->stats, &error), ==,
                   PT_REASON_NONE);
  g_assert_error (error, PT_ERROR, PT_ERROR_CONTEXT_FULL);
  g_assert_nonnull (strstr (error->message, "too many"));
  g_assert_cmpuint (f->stats.prompt_tokens, >, 128);

  /* It goes on after that. */
  message.text = "Hello";
  answer (f, &request);
}

static void
test_cancelled (Fixture *f, gconstpointer data)
{
  PtMessage messages[] = { { "user", "Hello" }, { "assistant", NULL }, { "user", "More" } };
  PtChatOptions request = request_of (messages, 1, 0);
  g_autofree char *said = NULL;
  g_autoptr (GError) error = NULL;

  f->cancel_after = 3;
  g_assert_cmpint (
      pt_chat_answer (f->chat, &request, on_text, f, f->cancellable, &f->stats, &error), ==,
      PT_REASON_NONE);
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
  g_assert_cmpuint (f->stats.new_tokens, ==, 3);

  /* The text so far is part of the conversation. */
  said = g_strdup (f->text->str);
  messages[1].text = said;
  request = request_of (messages, 3, 4);
  answer (f, &request);
  g_assert_cmpuint (f->stats.reused_tokens, >=, 5);
}

static char *
sampled (Fixture *f, guint64 seed)
{
  static const PtMessage message = { "user", "Hello" };
  PtChatOptions request = request_of (&message, 1, 16);

  request.sampling.temperature = 1;
  request.sampling.top_p = 0.95;
  request.seed = seed;

  answer (f, &request);
  return g_strdup (f->text->str);
}

static void
test_seed (Fixture *f, gconstpointer data)
{
  g_autofree char *a = sampled (f, 42), *b = sampled (f, 42), *c = sampled (f, 43);

  g_assert_cmpstr (a, ==, b);
  g_assert_cmpstr (a, !=, c);
}

/* The answer ends before the text, wherever its tokens do, and what is behind it is not there the
 * next time either. */
static void
test_stop (Fixture *f, gconstpointer data)
{
  PtMessage messages[] = { { "user", "Hello there" }, { "assistant", NULL }, { "user", "And?" } };
  PtChatOptions request = request_of (messages, 1, 24), next = request_of (messages, 3, 2);
  const char *stop[] = { "never said", NULL, NULL };
  g_autofree char *all = NULL, *part = NULL, *before = NULL;
  gsize length;

  answer (f, &request);
  all = g_strdup (f->text->str);
  length = strlen (all);
  request.stop = stop;
  answer (f, &request);
  g_assert_cmpstr (f->text->str, ==, all);

  for (gsize at = 1; at + 3 < length; at += 7) {
    const char *from = g_utf8_find_next_char (all + at - 1, NULL);
    const char *to = g_utf8_find_next_char (g_utf8_find_next_char (from, NULL), NULL);

    g_free (part);
    g_free (before);
    part = g_strndup (from, (gsize) (to - from));
    before = g_strndup (all, (gsize) (strstr (all, part) - all));
    stop[1] = part;
    g_assert_cmpint (answer (f, &request), ==, PT_REASON_STOP);
    g_assert_cmpstr (f->text->str, ==, before);
  }
  messages[1].text = before;
  answer (f, &next);
  g_assert_cmpuint (f->stats.reused_tokens, <, f->stats.prompt_tokens);
}

/* ---- options of scripts ---- */

/* The same request gives the same answer if it says so, and else goes on with its random numbers.
 */
static void
test_reseed (Fixture *f, gconstpointer data)
{
  static const PtMessage messages[] = { { "user", "Hello" },
                                        { "assistant", "Yes" },
                                        { "user", "So?" } };
  PtChatOptions request = request_of (messages, 3, 16);
  g_autofree char *first = NULL;

  request.sampling.temperature = 1;
  request.seed = 42;
  answer (f, &request);
  first = g_strdup (f->text->str);
  answer (f, &request);
  g_assert_cmpstr (f->text->str, !=, first);
  request.reseed = TRUE;
  for (guint i = 0; i < 2; i++) {
    answer (f, &request);
    g_assert_cmpstr (f->text->str, ==, first);
  }
}

/* Without a template there are the tokens of the text and nothing else. */
static void
test_raw (Fixture *f, gconstpointer data)
{
  const PtMessage messages[] = { { NULL, "Hello there" }, { "user", "Hello" } };
  PtMessage empty = { NULL, "" };
  PtChatOptions request = request_of (messages, 1, 4), two = request_of (messages, 2, 4),
                none = request_of (&empty, 1, 4);
  PtChatOptions *const bad[] = { &two, &none };
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));

  request.raw = two.raw = none.raw = TRUE;
  pt_tokenizer_encode (f->tokenizer, messages[0].text, -1, PT_ENCODE_PLAIN, ids, NULL);
  g_assert_cmpint (answer (f, &request), ==, PT_REASON_LENGTH);
  g_assert_cmpuint (f->stats.prompt_tokens, ==, ids->len);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_cmpint (pt_chat_answer (f->chat, bad[i], on_text, f, NULL, &f->stats, &error), ==,
                     PT_REASON_NONE);
    g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  }
}

typedef struct {
  GArray *ids;
} Tokens;

static void
on_tokens (const PtChosenToken *tokens, guint n, gpointer user_data)
{
  Tokens *got = user_data;

  g_assert_cmpuint (n, >, 0);
  for (guint i = 0; i < n; i++) {
    const PtChosenToken *token = &tokens[i];

    g_array_append_val (got->ids, token->token.id);
    g_assert_cmpuint (token->token.n_bytes, >, 0);
    g_assert_cmpuint (token->n_top, ==, 3);
    g_assert_cmpfloat (token->token.logprob, <=, token->top[0].logprob);
    g_assert_cmpfloat (token->top[2].logprob, <=, token->top[1].logprob);
    g_assert_cmpfloat (exp (token->top[0].logprob), <=, 1);
    g_assert_cmpfloat (exp (token->top[0].logprob), >, 0);
    g_assert_cmpint (token->token.id, ==, token->top[0].id);
  }
}

/* Each token of the answer is reported, but none of a stop text. */
static void
test_logprobs (Fixture *f, gconstpointer data)
{
  static const PtMessage message = { "user", "Hello there" };
  PtChatOptions request = request_of (&message, 1, 12);
  Tokens got = { g_array_new (FALSE, FALSE, sizeof (gint32)) };
  g_autofree char *plain = NULL, *part = NULL;
  const char *stop[] = { NULL, NULL };

  answer (f, &request);
  plain = g_strdup (f->text->str);
  request.logprobs = TRUE;
  request.top_logprobs = 3;
  pt_chat_set_tokens_func (f->chat, on_tokens, &got);
  answer (f, &request);
  g_assert_cmpstr (f->text->str, ==, plain);
  g_assert_cmpuint (got.ids->len, ==, f->stats.new_tokens);
  g_assert_cmpmem (got.ids->data, got.ids->len * sizeof (gint32), pt_chat_last_ids (f->chat)->data,
                   pt_chat_last_ids (f->chat)->len * sizeof (gint32));

  part = g_strdup (g_utf8_offset_to_pointer (plain, g_utf8_strlen (plain, -1) / 2));
  stop[0] = part;
  request.stop = stop;
  g_array_set_size (got.ids, 0);
  answer (f, &request);
  g_assert_cmpuint (got.ids->len, >, 0);
  g_assert_cmpuint (got.ids->len, <, f->stats.new_tokens);
  g_array_unref (got.ids);
}

/* A bias forbids the token that would come, or brings another one. */
static void
test_bias (Fixture *f, gconstpointer data)
{
  static const PtMessage message = { "user", "Hello there" };
  PtChatOptions request = request_of (&message, 1, 3);
  g_autoptr (GError) error = NULL;
  PtLogitBias bias = { 0, -1e9 };
  gint32 first;

  answer (f, &request);
  first = bias.id = g_array_index (pt_chat_last_ids (f->chat), gint32, 0);
  request.logit_bias = &bias;
  request.n_logit_bias = 1;
  answer (f, &request);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (g_array_index (pt_chat_last_ids (f->chat), gint32, i), !=, first);
  bias = (PtLogitBias){ first, 1e9 };
  answer (f, &request);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (g_array_index (pt_chat_last_ids (f->chat), gint32, i), ==, first);

  bias.id = 1 << 20;
  g_assert_cmpint (pt_chat_answer (f->chat, &request, on_text, f, NULL, &f->stats, &error), ==,
                   PT_REASON_NONE);
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
}

/* ---- answers bound to a JSON schema ---- */

#define PERSON                                                                           \
  "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"maxLength\":6}," \
  "\"old\":{\"type\":\"boolean\"}},\"required\":[\"name\",\"old\"]}"

static void
check_person (const char *text)
{
  json_t *person = json_loads (text, 0, NULL);

  g_assert_nonnull (person);
  g_assert_cmpuint (json_object_size (person), ==, 2);
  g_assert_true (json_is_string (json_object_get (person, "name")));
  g_assert_true (json_is_boolean (json_object_get (person, "old")));
  json_decref (person);
}

/* A random model, which knows nothing of JSON, writes nothing else. */
static void
test_schema (Fixture *f, gconstpointer data)
{
  static const PtMessage message = { "user", "Who?" };
  PtChatOptions request = request_of (&message, 1, 0), free_text = request_of (&message, 1, 8);
  g_autofree char *plain = NULL;

  request.json_schema = PERSON;
  request.sampling.temperature = 1;
  for (guint64 seed = 1; seed <= 20; seed++) {
    request.seed = seed;
    request.lookup = seed % 2 == 0;
    g_assert_cmpint (answer (f, &request), ==, PT_REASON_STOP);
    check_person (f->text->str);
  }
  /* Nothing of it is left for an answer without a schema. */
  answer (f, &free_text);
  plain = g_strdup (f->text->str);
  tear_down (f, data);
  set_up (f, data);
  answer (f, &free_text);
  g_assert_cmpstr (f->text->str, ==, plain);
}

/* What is cut off is no whole JSON, and says so; the rest makes it whole. */
static void
test_schema_cut (Fixture *f, gconstpointer data)
{
  PtMessage messages[] = { { "user", "Who?" }, { "assistant", NULL } };
  PtChatOptions request = request_of (messages, 1, 4), rest = request_of (messages, 2, 0);
  g_autofree char *beginning = NULL, *whole = NULL;
  g_autoptr (GError) error = NULL;

  request.json_schema = rest.json_schema = PERSON;
  request.sampling.temperature = rest.sampling.temperature = 1;
  request.seed = rest.seed = 3;
  g_assert_cmpint (answer (f, &request), ==, PT_REASON_LENGTH);
  g_assert_null (json_loads (f->text->str, 0, NULL));
  messages[1].text = beginning = g_strdup (f->text->str);
  g_assert_cmpint (answer (f, &rest), ==, PT_REASON_STOP);
  whole = g_strconcat (beginning, f->text->str, NULL);
  check_person (whole);

  messages[1].text = "Anna";
  g_assert_cmpint (pt_chat_answer (f->chat, &rest, on_text, f, NULL, &f->stats, &error), ==,
                   PT_REASON_NONE);
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
}

static void
test_schema_refused (Fixture *f, gconstpointer data)
{
  static const PtMessage message = { "user", "Who?" };
  PtChatOptions not_supported = request_of (&message, 1, 4), no_json = not_supported;
  PtChatOptions *const requests[] = { &not_supported, &no_json };

  not_supported.json_schema = "{\"not\":{}}";
  no_json.json_schema = "{";
  for (guint i = 0; i < G_N_ELEMENTS (requests); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_cmpint (pt_chat_answer (f->chat, requests[i], on_text, f, NULL, &f->stats, &error), ==,
                     PT_REASON_NONE);
    g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  }
}

/* ---- generation_config.json ---- */

static void
open_with_config (Fixture *f, const char *folder, const char *config)
{
  g_autofree char *path = g_build_filename (folder, "generation_config.json", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, config, -1, NULL));
  pt_chat_free (f->chat);
  f->chat = pt_chat_new (f->module, f->tokenizer, folder, &error);
  g_assert_no_error (error);
  g_unlink (path);
}

/* Options of a request take precedence over the file, and the file over the defaults. */
static void
test_config (Fixture *f, gconstpointer data)
{
  static const PtMessage message = { "user", "Hello" };
  static const PtSampling unset = PT_SAMPLING_INIT;
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  PtChatOptions request = request_of (&message, 1, -1);
  g_autofree char *likeliest = NULL;

  request.seed = 3;
  open_with_config (f, folder,
                    "{\"do_sample\": false, \"repetition_penalty\": 1.0, \"max_new_tokens\": 9}");
  g_assert_cmpint (answer (f, &request), ==, PT_REASON_LENGTH);
  g_assert_cmpuint (f->stats.new_tokens, ==, 9);
  likeliest = g_strdup (f->text->str);
  request.sampling = unset;
  answer (f, &request);
  g_assert_cmpstr (f->text->str, ==, likeliest);
  request.sampling.temperature = 2;
  answer (f, &request);
  g_assert_cmpstr (f->text->str, !=, likeliest);
  request.max_new_tokens = 4;
  answer (f, &request);
  g_assert_cmpuint (f->stats.new_tokens, ==, 4);

  request.sampling = unset;
  request.max_new_tokens = 9;
  open_with_config (f, folder, "{\"temperature\": 50, \"top_k\": 0, \"min_p\": 0, \"top_p\": 1}");
  answer (f, &request);
  g_assert_cmpstr (f->text->str, !=, likeliest);
  g_rmdir (folder);
}

static void
test_bad_messages (Fixture *f, gconstpointer data)
{
  static const PtMessage unknown = { "robot", "Hello" }, empty = { "user", NULL };
  PtChatOptions requests[] = { request_of (NULL, 0, 0), request_of (&unknown, 1, 0),
                               request_of (&empty, 1, 0) };

  for (gsize i = 0; i < G_N_ELEMENTS (requests); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_cmpint (pt_chat_answer (f->chat, &requests[i], on_text, f, NULL, &f->stats, &error),
                     ==, PT_REASON_NONE);
    g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  }
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*func) (Fixture *f, gconstpointer data);
  } tests[] = {
    { "/tasks/chat/reuse", test_reuse },
    { "/tasks/chat/edited", test_edited },
    { "/tasks/chat/continue", test_continue },
    { "/tasks/chat/context", test_context },
    { "/tasks/chat/cancelled", test_cancelled },
    { "/tasks/chat/seed", test_seed },
    { "/tasks/chat/stop", test_stop },
    { "/tasks/chat/reseed", test_reseed },
    { "/tasks/chat/raw", test_raw },
    { "/tasks/chat/logprobs", test_logprobs },
    { "/tasks/chat/bias", test_bias },
    { "/tasks/chat/schema", test_schema },
    { "/tasks/chat/schema-cut", test_schema_cut },
    { "/tasks/chat/schema-refused", test_schema_refused },
    { "/tasks/chat/config", test_config },
    { "/tasks/chat/bad-messages", test_bad_messages },
  };

  g_test_init (&argc, &argv, NULL);
  pt_init ();
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].func, tear_down);
  return g_test_run ();
}
