/* SPDX-License-Identifier: BSD-3-Clause */

/* Conversations with pictures and recordings, and tiny models of random weights: upstream's greedy
 * ids, and what is kept from turn to turn. */

#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/json.h"
#include "engine/init.h"
#include "engine/tasks/chat/chat-task.h"
#include "tests/unit/tasks/fixtures.h"

typedef struct {
  char *folder;  /* of the model */
  char *scratch; /* for files that the test makes */
  PtModule *module;
  PtTokenizer *tokenizer;
  PtChat *chat;
  json_t *root, *generate;
  GString *text;
  PtStats stats;
} Fixture;

static void
set_up (Fixture *f, gconstpointer name)
{
  g_autofree char *program = NULL, *path = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) json = NULL;

  f->folder = g_test_build_filename (G_TEST_DIST, "data", "chat", name, NULL);
  f->scratch = g_dir_make_tmp ("pteris-files-XXXXXX", NULL);
  program = g_build_filename (f->folder, "model.pte", NULL);
  path = g_build_filename (f->folder, "case.json", NULL);
  json = pt_json_load (path, 1 << 20, &error);
  g_assert_no_error (error);
  f->root = g_steal_pointer (&json);
  f->generate = json_object_get (f->root, "generate");
  f->module = pt_module_open (program, NULL, NULL, &error);
  g_assert_no_error (error);
  f->tokenizer = pt_tokenizer_open (f->folder, &error);
  g_assert_no_error (error);
  f->chat = pt_chat_new (f->module, f->tokenizer, f->folder, &error);
  g_assert_no_error (error);
  f->text = g_string_new (NULL);
}

static void
remove_scratch (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *file = g_build_filename (path, name, NULL);

    g_remove (file);
  }
  g_rmdir (path);
}

static void
tear_down (Fixture *f, gconstpointer name)
{
  pt_chat_free (f->chat);
  pt_tokenizer_free (f->tokenizer);
  pt_module_free (f->module);
  json_decref (f->root);
  g_string_free (f->text, TRUE);
  remove_scratch (f->scratch);
  g_free (f->scratch);
  g_free (f->folder);
}

static void
on_text (const char *text, PtAnswerPart part, const PtStats *stats, gpointer user_data)
{
  g_string_append (((Fixture *) user_data)->text, text);
}

static gboolean
try_answer (Fixture *f, const PtMessage *messages, guint n, int max_new_tokens,
            GCancellable *cancellable, GError **error)
{
  const PtChatOptions request = { .messages = messages,
                                  .n_messages = n,
                                  .max_new_tokens = max_new_tokens,
                                  .sampling = PT_SAMPLING_GREEDY,
                                  .seed = 0 };

  g_string_truncate (f->text, 0);
  return pt_chat_answer (f->chat, &request, on_text, f, cancellable, &f->stats, error) !=
         PT_REASON_NONE;
}

static void
answer (Fixture *f, const PtMessage *messages, guint n, int max_new_tokens)
{
  g_autoptr (GError) error = NULL;

  try_answer (f, messages, n, max_new_tokens, NULL, &error);
  g_assert_no_error (error);
}

static guint
n_of (const Fixture *f, const char *key)
{
  const json_t *value = json_object_get (f->generate, key);

  return json_is_array (value) ? (guint) json_array_size (value)
                               : (guint) json_integer_value (value);
}

/** The ids of the answer are those that upstream's runtime chose. */
static void
check_ids (const Fixture *f)
{
  const json_t *list = json_object_get (f->generate, "generated_ids");
  const GArray *ids = pt_chat_last_ids (f->chat);

  g_assert_nonnull (ids);
  g_assert_cmpuint (ids->len, ==, json_array_size (list));
  for (guint i = 0; i < ids->len; i++)
    g_assert_cmpint (g_array_index (ids, gint32, i), ==,
                     json_integer_value (json_array_get (list, i)));
}

/** The text that upstream's runtime generated. */
static char *
expected_text (const Fixture *f)
{
  const json_t *list = json_object_get (f->generate, "generated_ids");
  GString *text = g_string_new (NULL);
  PtStreamDecoder decoder;

  pt_stream_decoder_init (&decoder, f->tokenizer, TRUE);
  for (gsize i = 0; i < json_array_size (list); i++)
    pt_stream_decoder_push (&decoder, (gint32) json_integer_value (json_array_get (list, i)), text);
  pt_stream_decoder_finish (&decoder, text);
  return g_string_free (text, FALSE);
}

static guint
n_prompt (const Fixture *f)
{
  return n_of (f, "ids_before") + n_of (f, "encoder_tokens") + n_of (f, "ids_after");
}

/* ---- sound ---- */

static char *
own_file (const Fixture *f, const char *name)
{
  return g_build_filename (f->folder, name, NULL);
}

/* The picture or recording that the case is about. */
static char *
case_file (const Fixture *f)
{
  char *path = own_file (f, "audio0.wav");

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return path;
  g_free (path);
  return own_file (f, "image.png");
}

static void
test_greedy (Fixture *f, gconstpointer name)
{
  g_autofree char *path = case_file (f), *expected = expected_text (f);
  const char *files[] = { path, NULL };
  const PtMessage message = { "user", json_string_value (json_object_get (f->generate, "question")),
                              files };

  answer (f, &message, 1, (int) n_of (f, "generated_ids"));
  g_assert_cmpstr (f->text->str, ==, expected);
  g_assert_cmpuint (f->stats.prompt_tokens, ==, n_prompt (f));
  check_ids (f);
}

/** Gemma 4 hears as well, and both at once. */
static void
test_gemma4_sound (Fixture *f, gconstpointer name)
{
  g_autofree char *sound = own_file (f, "sound.wav"), *image = own_file (f, "image.png");
  const char *files[] = { sound, NULL }, *both[] = { image, sound, NULL };
  PtMessage message = { "user", NULL, files };

  f->generate = json_object_get (f->root, "sound");
  message.text = json_string_value (json_object_get (f->generate, "question"));
  answer (f, &message, 1, (int) n_of (f, "generated_ids"));
  g_assert_cmpuint (f->stats.prompt_tokens, ==, n_prompt (f));
  check_ids (f);
  message.files = both;
  answer (f, &message, 1, 4);
  g_assert_cmpuint (f->stats.prompt_tokens, >, n_prompt (f));
}

/* ---- from turn to turn ---- */

/** The file of the case under another name, and, when @other, with something else in it. */
static char *
copy_of_case (const Fixture *f, const char *name, gboolean other)
{
  g_autofree char *from = case_file (f), *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (from, &data, &size, NULL));
  if (other && g_str_has_suffix (from, ".wav"))
    for (gsize i = 1000; i < 20000; i++)
      data[i] = (char) (data[i] ^ 0x15);
  return file_in (f->scratch, name, data, size);
}

/** A file is what is in it, whatever it is called; and what was heard or seen stays in the cache.
 */
static void
test_reuse (Fixture *f, gconstpointer name)
{
  g_autofree char *path = case_file (f), *copy = copy_of_case (f, "copy", FALSE), *said = NULL;
  const char *files[] = { path, NULL }, *copies[] = { copy, NULL };
  PtMessage messages[] = { { "user", "Hello", files },
                           { "assistant", NULL, NULL },
                           { "user", "And?", NULL } };
  PtMessage again = { "user", "Hello", copies };
  guint prompt;

  answer (f, messages, 1, 6);
  prompt = f->stats.prompt_tokens;
  said = g_strdup (f->text->str);
  answer (f, &again, 1, 6);
  g_assert_cmpstr (f->text->str, ==, said);
  /* Gemma 3's window cannot go back, only on. */
  if (strcmp (name, "gemma3_vision") != 0)
    g_assert_cmpuint (f->stats.reused_tokens, ==, prompt - 1);
  messages[1].text = said;
  answer (f, messages, 3, 2);
  /* Vicuna's answers have a space before them that is not in the prompt. */
  if (strcmp (name, "llava") == 0)
    g_assert_cmpuint (f->stats.reused_tokens, >=, prompt - 1);
  else
    g_assert_cmpuint (f->stats.reused_tokens, ==, prompt + 6 - 1);
}

/** Two files in a message, and one in a later one, are as many stretches. */
static void
test_several (Fixture *f, gconstpointer name)
{
  g_autofree char *path = case_file (f);
  const char *first[] = { path, path, NULL }, *second[] = { path, NULL };
  guint n = n_of (f, "encoder_tokens"), single;
  PtMessage messages[] = { { "user", "x", second },
                           { "assistant", "y", NULL },
                           { "user", "z", first } };

  answer (f, messages, 1, 2);
  single = f->stats.prompt_tokens;
  if (strcmp (name, "voxtral") != 0) {
    answer (f, messages, 3, 2);
    g_assert_cmpuint (f->stats.prompt_tokens, >, single + 2 * n);
    return;
  }
  /* Three do not fit. A mark begins each; the rest is the same. */
  messages[0].files = first;
  answer (f, messages, 1, 2);
  g_assert_cmpuint (f->stats.prompt_tokens, ==, single + n + 1);
}

/** Something else at the same path is something else. */
static void
test_changed (Fixture *f, gconstpointer name)
{
  g_autofree char *path = copy_of_case (f, "file", FALSE), *said = NULL;
  const char *files[] = { path, NULL };
  PtMessage message = { "user", "x", files };

  answer (f, &message, 1, 8);
  said = g_strdup (f->text->str);
  g_free (copy_of_case (f, "file", TRUE));
  answer (f, &message, 1, 8);
  if (strcmp (name, "voxtral") == 0)
    g_assert_cmpuint (f->stats.reused_tokens, <=, 3);
}

static void
test_cancelled (Fixture *f, gconstpointer name)
{
  g_autofree char *path = case_file (f), *expected = expected_text (f);
  const char *files[] = { path, NULL };
  PtMessage message = { "user", json_string_value (json_object_get (f->generate, "question")),
                        files };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_false (try_answer (f, &message, 1, 4, cancellable, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
  answer (f, &message, 1, (int) n_of (f, "generated_ids"));
  g_assert_cmpstr (f->text->str, ==, expected);
}

/** More than the model holds is refused before anything is computed. */
static void
test_full (Fixture *f, gconstpointer name)
{
  g_autofree char *path = case_file (f);
  const char *files[40] = { NULL };
  PtMessage message = { "user", "x", files };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 39; i++)
    files[i] = path;
  g_assert_false (try_answer (f, &message, 1, 4, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CONTEXT_FULL);
  files[1] = NULL;
  answer (f, &message, 1, 4);
}

/* ---- files that are none ---- */

static void
refuse (Fixture *f, const char *path, int code)
{
  const char *files[] = { path, NULL };
  const PtMessage message = { "user", "x", files };
  g_autoptr (GError) error = NULL;

  g_assert_false (try_answer (f, &message, 1, 4, NULL, &error));
  g_assert_error (error, PT_ERROR, code);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_test_message ("%s", error->message);
}

static void
test_refused (Fixture *f, gconstpointer name)
{
  gboolean sees = strcmp (name, "voxtral") != 0;
  g_autofree char *text = file_in (f->scratch, "notes.txt", "Just some words.\n", 17);
  g_autofree char *empty = file_in (f->scratch, "empty.png", "", 0);
  g_autofree char *cut = file_in (f->scratch, "cut.png", "\x89PNG\r\n\x1a\n1234567", 15);
  g_autofree char *header = file_in (f->scratch, "header.wav", "RIFF\0\0\0\0WAVEfmt ", 16);
  g_autofree char *none = g_build_filename (f->scratch, "none.png", NULL);

  refuse (f, none, PT_ERROR_FILE);
  refuse (f, f->scratch, PT_ERROR_FILE);
  refuse (f, empty, PT_ERROR_FORMAT);
  refuse (f, text, PT_ERROR_FORMAT);
  refuse (f, cut, sees ? PT_ERROR_FILE : PT_ERROR_UNSUPPORTED);
  refuse (f, header, PT_ERROR_FORMAT);
}

/** Files belong to people. */
static void
test_roles (Fixture *f, gconstpointer name)
{
  g_autofree char *path = case_file (f);
  const char *files[] = { path, NULL };
  const PtMessage messages[] = { { "user", "x", NULL },
                                 { "assistant", "y", files },
                                 { "user", "z", NULL } };
  g_autoptr (GError) error = NULL;

  g_assert_false (try_answer (f, messages, 3, 4, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
}

/* ---- all ---- */

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*test) (Fixture *f, gconstpointer name);
  } tests[] = { { "greedy", test_greedy },       { "reuse", test_reuse },
                { "several", test_several },     { "changed", test_changed },
                { "cancelled", test_cancelled }, { "full", test_full },
                { "refused", test_refused },     { "roles", test_roles } };
  static const char *const models[] = { "gemma3_vision", "voxtral", "llava", "gemma4" };

  g_test_init (&argc, &argv, NULL);
  pt_init ();
  for (gsize m = 0; m < G_N_ELEMENTS (models); m++)
    for (gsize i = 0; i < G_N_ELEMENTS (tests); i++) {
      g_autofree char *path = g_strdup_printf ("/chat-files/%s/%s", models[m], tests[i].name);

      g_test_add (path, Fixture, models[m], set_up, tests[i].test, tear_down);
    }
  g_test_add ("/chat-files/gemma4/sound", Fixture, "gemma4", set_up, test_gemma4_sound, tear_down);
  return g_test_run ();
}
