/* SPDX-License-Identifier: BSD-3-Clause */

/* The other interfaces over the engine: completions, responses, vectors, audio, pictures, and
 * Ollama's. */

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "server/server.h"
#include "tests/unit/server/http-talk.h"
#include "tests/unit/tasks/fixtures.h"

#define CHAT "qwen3_xnnpack_8da4w"

typedef struct {
  PterisServer *server;
  guint port;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  static const char *const paths[] = { "chat/" CHAT,           "chat/gemma3_vision",
                                       "embed/text-embedding", "embed/colbert",
                                       "whisper-mini",         "speak" };
  PterisServerOptions options = PTERIS_SERVER_OPTIONS_INIT;
  g_autoptr (GPtrArray) models = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    g_ptr_array_add (models, g_test_build_filename (G_TEST_DIST, "data", paths[i], NULL));
  g_ptr_array_add (models, NULL);
  options.models = (const char *const *) models->pdata;
  fixture->server = pteris_server_new (&options, &error);
  g_assert_no_error (error);
  fixture->port = pteris_server_get_port (fixture->server);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  pteris_server_free (fixture->server);
}

static void
post (Fixture *fixture, const char *path, const char *body, HttpReply *reply)
{
  http_talk (fixture->port, "POST", path, "Content-Type: application/json\r\n", body, reply);
  http_log (path, reply);
}

static gint64
number (const HttpReply *reply, const char *path)
{
  return json_integer_value (http_member (reply, path));
}

/* ---- text ---- */

static void
test_completions (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) plain = { 0 }, echo = { 0 }, two = { 0 };
  g_autofree char *expected = NULL;

  post (fixture, "/v1/completions",
        "{\"model\": \"" CHAT "\", \"prompt\": \"the fern\", \"max_tokens\": 4, \"temperature\": "
        "0, \"logprobs\": 2}",
        &plain);
  g_assert_cmpuint (plain.status, ==, 200);
  g_assert_cmpstr (http_text (&plain, "object"), ==, "text_completion");
  g_assert_cmpint (number (&plain, "usage.completion_tokens"), ==, 4);
  g_assert_cmpuint (json_array_size (http_member (&plain, "choices.0.logprobs.tokens")), ==, 4);
  g_assert_cmpuint (json_array_size (http_member (&plain, "choices.0.logprobs.text_offset")), ==,
                    4);
  post (fixture, "/v1/completions",
        "{\"model\": \"" CHAT "\", \"prompt\": [\"the fern\"], \"max_tokens\": 4, \"temperature\": "
        "0, \"echo\": true}",
        &echo);
  expected = g_strconcat ("the fern", http_text (&plain, "choices.0.text"), NULL);
  g_assert_cmpstr (http_text (&echo, "choices.0.text"), ==, expected);
  post (fixture, "/v1/completions", "{\"model\": \"" CHAT "\", \"prompt\": [\"a\", \"b\"]}", &two);
  g_assert_cmpuint (two.status, ==, 400);
  g_assert_cmpstr (http_text (&two, "error.param"), ==, "prompt");
}

static void
test_responses (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) whole = { 0 }, parts = { 0 }, kept = { 0 };
  g_autoptr (GString) text = g_string_new (NULL);
  json_t *list, *part;
  gsize i;

  post (fixture, "/v1/responses",
        "{\"model\": \"" CHAT "\", \"input\": \"hi\", \"instructions\": \"be kind\", "
        "\"max_output_tokens\": 6, \"temperature\": 0}",
        &whole);
  g_assert_cmpuint (whole.status, ==, 200);
  g_assert_cmpstr (http_text (&whole, "status"), ==, "incomplete");
  g_assert_cmpstr (http_text (&whole, "incomplete_details.reason"), ==, "max_output_tokens");
  g_assert_cmpstr (http_text (&whole, "instructions"), ==, "be kind");
  g_assert_cmpint (number (&whole, "usage.output_tokens"), ==, 6);
  post (fixture, "/v1/responses",
        "{\"model\": \"" CHAT "\", \"input\": [{\"role\": \"user\", \"content\": [{\"type\": "
        "\"input_text\", \"text\": \"hi\"}]}], \"instructions\": \"be kind\", "
        "\"max_output_tokens\": 6, \"temperature\": 0, \"stream\": true}",
        &parts);
  list = http_parts (&parts);
  json_array_foreach (list, i, part) {
    g_assert_cmpint (json_integer_value (json_object_get (part, "sequence_number")), ==,
                     (gint64) i);
    if (g_strcmp0 (json_string_value (json_object_get (part, "type")),
                   "response.output_text.delta") == 0)
      g_string_append (text, json_string_value (json_object_get (part, "delta")));
  }
  g_assert_cmpstr (text->str, ==, http_text (&whole, "output.0.content.0.text"));
  g_assert_nonnull (strstr (parts.body, "event: response.incomplete\n"));
  json_decref (list);
  post (fixture, "/v1/responses",
        "{\"model\": \"" CHAT "\", \"input\": \"hi\", \"previous_response_id\": \"resp_1\"}",
        &kept);
  g_assert_cmpuint (kept.status, ==, 400);
  g_assert_cmpstr (http_text (&kept, "error.param"), ==, "previous_response_id");
}

/* A picture changes the prompt; a model without eyes refuses it. */
static void
test_pictures (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "chat", "gemma3_vision", "image.png", NULL);
  g_autofree char *bytes = NULL, *base64 = NULL;
  gsize size;
  static const struct {
    const char *model;
    guint status;
  } cases[] = { { "gemma3_vision", 200 }, { CHAT, 400 } };

  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  base64 = g_base64_encode ((const guchar *) bytes, size);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (HttpReply) reply = { 0 }, ollama = { 0 };
    g_autofree char *body = g_strdup_printf (
        "{\"model\": \"%s\", \"max_tokens\": 2, \"messages\": [{\"role\": \"user\", \"content\": "
        "[{\"type\": \"text\", \"text\": \"a\"}, {\"type\": \"image_url\", \"image_url\": "
        "{\"url\": "
        "\"data:image/png;base64,%s\"}}]}]}",
        cases[i].model, base64);
    g_autofree char *other = g_strdup_printf (
        "{\"model\": \"%s\", \"stream\": false, \"options\": {\"num_predict\": 2}, \"messages\": "
        "[{\"role\": \"user\", \"content\": \"a\", \"images\": [\"%s\"]}]}",
        cases[i].model, base64);

    post (fixture, "/v1/chat/completions", body, &reply);
    g_assert_cmpuint (reply.status, ==, cases[i].status);
    post (fixture, "/api/chat", other, &ollama);
    g_assert_cmpuint (ollama.status, ==, cases[i].status);
    if (cases[i].status == 200)
      g_assert_cmpint (number (&ollama, "prompt_eval_count"), ==,
                       number (&reply, "usage.prompt_tokens"));
  }
}

/* ---- vectors ---- */

static void
test_embeddings (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) plain = { 0 }, bytes = { 0 }, many = { 0 }, wrong = { 0 };
  g_autofree guchar *raw = NULL;
  double sum = 0;
  gsize size;

  post (fixture, "/v1/embeddings",
        "{\"model\": \"text-embedding\", \"input\": [\"a cat\", \"a dog\"]}", &plain);
  g_assert_cmpuint (plain.status, ==, 200);
  g_assert_cmpuint (json_array_size (http_member (&plain, "data")), ==, 2);
  post (fixture, "/v1/embeddings",
        "{\"model\": \"text-embedding\", \"input\": \"a cat\", \"encoding_format\": \"base64\"}",
        &bytes);
  raw = g_base64_decode (http_text (&bytes, "data.0.embedding"), &size);
  g_assert_cmpuint (size / sizeof (float), ==,
                    json_array_size (http_member (&plain, "data.0.embedding")));
  for (gsize i = 0; i < size / sizeof (float); i++) {
    float value;

    memcpy (&value, raw + i * sizeof value, sizeof value);
    sum += (double) value * (double) value;
    g_assert_cmpfloat_with_epsilon (
        (double) value,
        json_real_value (json_array_get (http_member (&plain, "data.0.embedding"), i)), 1e-6);
  }
  g_assert_cmpfloat_with_epsilon (sum, 1, 1e-3);
  post (fixture, "/v1/embeddings", "{\"model\": \"colbert\", \"input\": \"a cat\"}", &many);
  g_assert_cmpuint (many.status, ==, 400);
  post (fixture, "/v1/embeddings", "{\"model\": \"" CHAT "\", \"input\": \"a cat\"}", &wrong);
  g_assert_cmpuint (wrong.status, ==, 400);
  g_assert_cmpstr (http_text (&wrong, "error.code"), ==, "unsupported_model");
}

static void
test_ollama_vectors (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) many = { 0 }, one = { 0 };

  post (fixture, "/api/embed", "{\"model\": \"text-embedding:latest\", \"input\": [\"a\", \"b\"]}",
        &many);
  g_assert_cmpuint (json_array_size (http_member (&many, "embeddings")), ==, 2);
  post (fixture, "/api/embeddings", "{\"model\": \"text-embedding\", \"prompt\": \"a\"}", &one);
  g_assert_cmpuint (json_array_size (http_member (&one, "embedding")), ==,
                    json_array_size (http_member (&many, "embeddings.0")));
}

/* ---- audio ---- */

/* Sends a recording as a form; @members: more parts. */
static void
send_form (Fixture *fixture, const char *path, const char *recording, const char *members,
           HttpReply *reply)
{
  g_autofree char *bytes = NULL, *head = NULL, *file = NULL;
  g_autoptr (GString) body = g_string_new (members);
  g_autoptr (GSocketConnection) connection = http_connect (fixture->port);
  gsize size;

  file = g_test_build_filename (G_TEST_DIST, "data", recording, NULL);
  g_assert_true (g_file_get_contents (file, &bytes, &size, NULL));
  g_string_append (body, "--x\r\nContent-Disposition: form-data; name=\"file\"; "
                         "filename=\"../a.wav\"\r\n\r\n");
  g_string_append_len (body, bytes, (gssize) size);
  g_string_append (body, "\r\n--x--\r\n");
  head = g_strdup_printf ("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                          "multipart/form-data; boundary=x\r\nContent-Length: %u\r\n\r\n",
                          path, (guint) body->len);
  http_send (connection, head, -1);
  http_send (connection, body->str, (gssize) body->len);
  http_receive (connection, reply);
  http_log (path, reply);
}

#define MEMBER(name, value) \
  "--x\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" value "\r\n"
#define TRANSCRIBE "/v1/audio/transcriptions"
#define RECORDING "../../resources/starter/jfk.wav"

static void
test_transcription (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) plain = { 0 }, verbose = { 0 }, srt = { 0 }, vtt = { 0 }, stream = { 0 };
  double end = 0;
  json_t *word;
  gsize i;

  send_form (fixture, TRANSCRIBE, RECORDING, MEMBER ("model", "whisper-mini"), &plain);
  g_assert_cmpuint (plain.status, ==, 200);
  g_assert_cmpstr (http_text (&plain, "text"), !=, NULL);
  send_form (fixture, TRANSCRIBE, RECORDING,
             MEMBER ("model", "whisper-mini") MEMBER ("response_format", "verbose_json")
                 MEMBER ("timestamp_granularities[]", "word")
                     MEMBER ("timestamp_granularities[]", "segment") MEMBER ("temperature", "0"),
             &verbose);
  g_assert_cmpstr (http_text (&verbose, "text"), ==, http_text (&plain, "text"));
  g_assert_cmpuint (json_array_size (http_member (&verbose, "words")), >, 1);
  g_assert_cmpuint (json_array_size (http_member (&verbose, "segments")), >, 0);
  json_array_foreach (http_member (&verbose, "words"), i, word) {
    g_assert_cmpfloat (json_real_value (json_object_get (word, "start")), <=,
                       json_real_value (json_object_get (word, "end")));
    end = MAX (end, json_real_value (json_object_get (word, "end")));
  }
  g_assert_cmpfloat (end, >, 1);
  g_assert_cmpfloat (end, <=, 11.1);
  send_form (fixture, TRANSCRIBE, RECORDING,
             MEMBER ("model", "whisper-mini") MEMBER ("response_format", "srt"), &srt);
  g_assert_nonnull (strstr (srt.body, " --> "));
  send_form (fixture, TRANSCRIBE, RECORDING,
             MEMBER ("model", "whisper-mini") MEMBER ("response_format", "vtt"), &vtt);
  g_assert_true (g_str_has_prefix (vtt.body, "WEBVTT"));
  send_form (fixture, TRANSCRIBE, RECORDING,
             MEMBER ("model", "whisper-mini") MEMBER ("stream", "true"), &stream);
  g_assert_nonnull (strstr (stream.body, "event: transcript.text.done\n"));
}

static void
test_form_refusals (Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *members, *field;
  } bad[] = {
    { "", "model" },
    { MEMBER ("model", "whisper-mini") MEMBER ("prompt", "ferns"), "prompt" },
    { MEMBER ("model", "whisper-mini") MEMBER ("response_format", "doc"), "response_format" },
    { MEMBER ("model", "whisper-mini") MEMBER ("temperature", "hot"), "temperature" },
    { MEMBER ("model", "whisper-mini") MEMBER ("timestamp_granularities[]", "word"),
      "timestamp_granularities" },
    { MEMBER ("model", "whisper-mini") MEMBER ("model", "whisper-mini"), "model" },
    { MEMBER ("model", "whisper-mini") MEMBER ("wings", "2"), "wings" },
    { MEMBER ("model", "whisper-mini") MEMBER ("file", "2"), "file" },
  };
  g_auto (HttpReply) none = { 0 }, damaged = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_auto (HttpReply) reply = { 0 };

    send_form (fixture, TRANSCRIBE, RECORDING, bad[i].members, &reply);
    g_assert_cmpuint (reply.status, ==, 400);
    g_assert_cmpstr (http_text (&reply, "error.param"), ==, bad[i].field);
  }
  post (fixture, TRANSCRIBE, "{}", &none);
  g_assert_cmpuint (none.status, ==, 400);
  send_form (fixture, TRANSCRIBE, "whisper-mini/tokenizer.json", MEMBER ("model", "whisper-mini"),
             &damaged);
  g_assert_cmpuint (damaged.status, ==, 400);
  g_assert_cmpstr (http_text (&damaged, "error.code"), ==, "format");
}

static void
test_speech (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) outside = { 0 }, mp3 = { 0 };

  post (fixture, "/v1/audio/speech",
        "{\"model\": \"synthesizer\", \"input\": \"hi\", \"voice\": \"../../x\", "
        "\"response_format\": \"wav\"}",
        &outside);
  g_assert_cmpuint (outside.status, ==, 400);
  g_assert_cmpstr (http_text (&outside, "error.param"), ==, "voice");
  post (fixture, "/v1/audio/speech",
        "{\"model\": \"synthesizer\", \"input\": \"hi\", \"voice\": \"x\"}", &mp3);
  g_assert_cmpuint (mp3.status, ==, 400);
  g_assert_cmpstr (http_text (&mp3, "error.param"), ==, "response_format");
}

/* ---- Ollama ---- */

static void
test_ollama_chat (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) whole = { 0 }, parts = { 0 }, generated = { 0 }, bad = { 0 };
  g_autoptr (GString) text = g_string_new (NULL);
  json_t *list;

  post (fixture, "/api/chat",
        "{\"model\": \"" CHAT "\", \"messages\": [{\"role\": \"user\", \"content\": \"hi\"}], "
        "\"stream\": false, \"options\": {\"num_predict\": 6, \"temperature\": 0, \"num_ctx\": "
        "4096}}",
        &whole);
  g_assert_cmpuint (whole.status, ==, 200);
  g_assert_cmpstr (http_text (&whole, "done_reason"), ==, "length");
  g_assert_cmpint (number (&whole, "eval_count"), ==, 6);
  post (fixture, "/api/chat",
        "{\"model\": \"" CHAT "\", \"messages\": [{\"role\": \"user\", \"content\": \"hi\"}], "
        "\"options\": {\"num_predict\": 6, \"temperature\": 0}}",
        &parts);
  g_assert_nonnull (strstr (parts.headers, "application/x-ndjson"));
  list = http_parts (&parts);
  for (gsize i = 0; i < json_array_size (list); i++) {
    HttpReply part = { .json = json_array_get (list, i) };

    g_string_append (text, http_text (&part, "message.content"));
    g_assert_true (json_is_true (http_member (&part, "done")) == (i + 1 == json_array_size (list)));
  }
  g_assert_cmpstr (text->str, ==, http_text (&whole, "message.content"));
  json_decref (list);
  post (fixture, "/api/generate",
        "{\"model\": \"" CHAT "\", \"prompt\": \"hi\", \"stream\": false, \"options\": "
        "{\"num_predict\": 6, \"temperature\": 0}}",
        &generated);
  g_assert_cmpstr (http_text (&generated, "response"), ==, text->str);
  post (fixture, "/api/chat",
        "{\"model\": \"" CHAT "\", \"messages\": [], \"options\": {\"mirostat\": 2}}", &bad);
  g_assert_cmpuint (bad.status, ==, 400);
  g_assert_cmpstr (http_text (&bad, "param"), ==, "options.mirostat");
}

/* Without a question the model has to exist. */
static void
test_ollama_nothing (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) known = { 0 }, unknown = { 0 };

  post (fixture, "/api/generate", "{\"model\": \"" CHAT "\"}", &known);
  g_assert_cmpuint (known.status, ==, 200);
  g_assert_cmpstr (http_text (&known, "done_reason"), ==, "load");
  post (fixture, "/api/chat", "{\"model\": \"none\", \"messages\": []}", &unknown);
  g_assert_cmpuint (unknown.status, ==, 404);
}

static void
test_ollama_models (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) tags = { 0 }, show = { 0 }, version = { 0 }, root = { 0 }, none = { 0 };

  http_talk (fixture->port, "GET", "/api/tags", NULL, NULL, &tags);
  g_assert_cmpuint (json_array_size (http_member (&tags, "models")), ==, 6);
  post (fixture, "/api/show", "{\"model\": \"gemma3_vision\"}", &show);
  g_assert_cmpstr (http_text (&show, "capabilities.0"), ==, "completion");
  g_assert_cmpstr (http_text (&show, "capabilities.2"), ==, "vision");
  g_assert_cmpuint (json_array_size (http_member (&show, "capabilities")), ==, 3);
  http_talk (fixture->port, "GET", "/api/version", NULL, NULL, &version);
  g_assert_nonnull (http_text (&version, "version"));
  http_talk (fixture->port, "GET", "/", NULL, NULL, &root);
  g_assert_cmpuint (root.status, ==, 200);
  post (fixture, "/api/show", "{\"model\": \"../etc\"}", &none);
  g_assert_cmpuint (none.status, ==, 404);
  g_assert_nonnull (http_text (&none, "error"));
}

static void
copy_file (const char *from, const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *bytes = NULL;
  g_autoptr (GError) error = NULL;
  gsize n;

  g_file_get_contents (from, &bytes, &n, &error);
  g_assert_no_error (error);
  g_file_set_contents (path, bytes, (gssize) n, &error);
  g_assert_no_error (error);
}

/* A model whose template has a switch for thoughts. */
static void
test_ollama_thinking (void)
{
  g_autofree char *home = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *folder = g_build_filename (home, "thinker", NULL);
  g_autofree char *program =
      g_test_build_filename (G_TEST_DIST, "data/chat/" CHAT, "model.pte", NULL);
  g_autofree char *tokenizer =
      g_test_build_filename (G_TEST_DIST, "data/chat/" CHAT, "tokenizer.json", NULL);
  g_autofree char *config = g_build_filename (folder, "tokenizer_config.json", NULL);
  const char *const models[] = { folder, NULL };
  PterisServerOptions options = PTERIS_SERVER_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  g_auto (HttpReply) show = { 0 };
  Fixture fixture;

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  copy_file (program, folder, "model.pte");
  copy_file (tokenizer, folder, "tokenizer.json");
  g_assert_true (g_file_set_contents (
      config, "{\"chat_template\": \"{% if enable_thinking %}<think>{% endif %}\"}", -1, NULL));
  options.models = models;
  fixture.server = pteris_server_new (&options, &error);
  g_assert_no_error (error);
  fixture.port = pteris_server_get_port (fixture.server);
  post (&fixture, "/api/show", "{\"model\": \"thinker\"}", &show);
  g_assert_cmpstr (http_text (&show, "capabilities.2"), ==, "thinking");
  g_assert_cmpstr (http_text (&show, "details.quantization_level"), ==, "4-bit");
  g_assert_nonnull (strstr (show.body, "\"text-llm.context_length\""));
  pteris_server_free (fixture.server);
  remove_folder (home);
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("PTERIS_MODELS", "/nowhere", TRUE);
  ADD ("/server/routes/completions", test_completions);
  ADD ("/server/routes/responses", test_responses);
  ADD ("/server/routes/pictures", test_pictures);
  ADD ("/server/routes/embeddings", test_embeddings);
  ADD ("/server/routes/transcription", test_transcription);
  ADD ("/server/routes/form-refusals", test_form_refusals);
  ADD ("/server/routes/speech", test_speech);
  ADD ("/server/routes/ollama-chat", test_ollama_chat);
  ADD ("/server/routes/ollama-vectors", test_ollama_vectors);
  ADD ("/server/routes/ollama-nothing", test_ollama_nothing);
  ADD ("/server/routes/ollama-models", test_ollama_models);
  g_test_add_func ("/server/routes/ollama-thinking", test_ollama_thinking);
  return g_test_run ();
}
