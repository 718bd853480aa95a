/* SPDX-License-Identifier: BSD-3-Clause */

/* The command line from outside: exit status, what goes to stdout and what to stderr. */

#include <signal.h>
#include <string.h>

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <jansson.h>

#define DONE 0
#define FAILED 1
#define USAGE 2
#define STOPPED 130

typedef struct {
  char *out, *err;
  int status;
} Result;

static void
result_clear (Result *result)
{
  g_free (result->out);
  g_free (result->err);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Result, result_clear)

static char *
program (void)
{
  return g_test_build_filename (G_TEST_BUILT, "..", "app", "pteris", NULL);
}

static char *
data (const char *folder, const char *model, const char *file)
{
  return g_test_build_filename (G_TEST_DIST, "data", folder, model, file, NULL);
}

/** Run pteris with the words of @line ("%s" stands for @path) and @input on stdin. */
static Result
pteris (const char *line, const char *path, const char *input)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;
  Result result = { 0 };

  for (guint i = 0; words[i] != NULL; i++) {
    if (strcmp (words[i], "%s") == 0) {
      g_free (words[i]);
      words[i] = g_strdup (path);
    }
  }
  g_free (words[0]);
  words[0] = program ();
  process = g_subprocess_newv ((const char *const *) words,
                               G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE |
                                   G_SUBPROCESS_FLAGS_STDERR_PIPE,
                               &error);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, input != NULL ? input : "", NULL, &result.out,
                                 &result.err, &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_get_if_exited (process));
  result.status = g_subprocess_get_exit_status (process);
  return result;
}

static void
check (const char *line, const char *path, int status, const char *out, const char *err)
{
  g_auto (Result) result = pteris (line, path, NULL);

  if (result.status != status || (out != NULL && strstr (result.out, out) == NULL) ||
      (err != NULL && strstr (result.err, err) == NULL))
    g_error ("“%s”: status %d\n--- stdout\n%s--- stderr\n%s", line, result.status, result.out,
             result.err);
  /* Errors are printed on stderr only; success prints nothing there. */
  if (status == DONE)
    g_assert_cmpstr (result.err, ==, "");
  else if (status != FAILED)
    g_assert_cmpstr (result.out, ==, "");
}

static void
test_usage (void)
{
  g_autofree char *model = data ("chat", "qwen3_xnnpack_8da4w", "model.pte");

  check ("pteris --help", NULL, DONE, "pteris transcribe MODEL", NULL);
  check ("pteris --version", NULL, DONE, "Pteris", NULL);
  check ("pteris chat --help", NULL, DONE, "--max-new-tokens", NULL);
  check ("pteris transcribe --help", NULL, DONE, "--translate", NULL);
  check ("pteris cht", NULL, USAGE, NULL, "“cht” is not a command");
  check ("pteris chat", NULL, USAGE, NULL, "missing");
  check ("pteris chat a b", NULL, USAGE, NULL, "Unexpected argument “b”");
  check ("pteris chat a --nonsense", NULL, USAGE, NULL, "nonsense");
  check ("pteris chat %s --temperature -2", model, USAGE, NULL, "--temperature");
  check ("pteris chat %s --temperature nan", model, USAGE, NULL, "--temperature");
  check ("pteris chat %s --top-p 0", model, USAGE, NULL, "--top-p");
  check ("pteris chat %s --top-k -1", model, USAGE, NULL, "--top-k");
  check ("pteris chat %s --top-k 1.5", model, USAGE, NULL, "--top-k must be a whole number");
  check ("pteris chat %s --min-p 2", model, USAGE, NULL, "--min-p");
  check ("pteris chat %s --repetition-penalty 0", model, USAGE, NULL, "--repetition-penalty");
  check ("pteris chat %s --repetition-window inf", model, USAGE, NULL, "--repetition-window");
  check ("pteris chat %s --presence-penalty -3", model, USAGE, NULL, "--presence-penalty");
  check ("pteris chat %s --frequency-penalty nan", model, USAGE, NULL, "--frequency-penalty");
  check ("pteris chat %s --max-new-tokens -2", model, USAGE, NULL, "--max-new-tokens");
  check ("pteris chat %s --threads -1", model, USAGE, NULL, "threads");
  check ("pteris chat %s --device -1", model, USAGE, NULL, "--device must be a GPU number");
  check ("pteris chat %s --device 0,", model, USAGE, NULL, "--device must be a GPU number");
  check ("pteris chat %s --device 0,1", model, USAGE, NULL, "name one with --device");
  check ("pteris serve --device 0,1,0", NULL, USAGE, NULL, "names GPU 0 twice");
  check ("pteris serve --device 1;2", NULL, USAGE, NULL, "or several with commas");
  check ("pteris chat %s --backend tpu", model, USAGE, NULL, "tpu");
  check ("pteris transcribe a", NULL, USAGE, NULL, "missing");
  check ("pteris transcribe a b --format doc", NULL, USAGE, NULL, "doc");
  check ("pteris run", NULL, USAGE, NULL, "--steps");
  check ("pteris run %s --repeat 0", model, USAGE, NULL, "--repeat");
  check ("pteris run %s --bundled --steps x", model, USAGE, NULL, "not both");
  check ("pteris run %s --bundled --profile", model, USAGE, NULL, "--profile cannot");
  check ("pteris run %s --bundled --input x", model, USAGE, NULL, "--input");
  check ("pteris stats now", NULL, USAGE, NULL, "Unexpected argument “now”");
}

static void
test_bad_input (void)
{
  g_autofree char *model = data ("chat", "qwen3_xnnpack_8da4w", "model.pte");
  g_autofree char *external = data ("chat", "qwen3_external_xnnpack_8da4w", "model.pte");
  g_autofree char *other = data ("tiny", "external_weights", "weights.ptd");
  g_autofree char *tokenizer = data ("chat", "qwen3_xnnpack_8da4w", "tokenizer.json");
  g_autofree char *no_tokenizer = data ("chat", "gemma3_xnnpack_8da4w", "model.pte");
  g_autofree char *with_data = g_strconcat ("pteris chat %s --prompt x --data ", other, NULL);
  g_autofree char *with_bad_tokenizer =
      g_strconcat ("pteris chat %s --prompt x --tokenizer ", model, NULL);

  check ("pteris chat nosuch --prompt x", NULL, FAILED, NULL, "There is no model “nosuch”");
  check ("pteris chat ./nosuch.pte --prompt x", NULL, FAILED, NULL, "nosuch.pte");
  check ("pteris chat %s --prompt x", tokenizer, FAILED, NULL, "not an ExecuTorch program");
  check ("pteris inspect %s", tokenizer, FAILED, NULL, "not an ExecuTorch program");
  check ("pteris chat %s --prompt x", no_tokenizer, FAILED, NULL, "needs its tokenizer");
  check (with_data, external, FAILED, NULL, "belongs to another model");
  check (with_bad_tokenizer, model, FAILED, NULL, "is not a tokenizer");
  check ("pteris chat %s --prompt x --backend cuda", model, FAILED, NULL, "GPU");
  check ("pteris transcribe %s sound.wav", model, FAILED, NULL, "cannot transcribe");
}

static void
test_chat (void)
{
  g_autofree char *model = data ("chat", "qwen3_xnnpack_8da4w", "model.pte");
  static const char line[] =
      "pteris chat %s --prompt Hello --temperature 0 --max-new-tokens 8 --json";
  g_auto (Result) once = pteris (line, model, NULL);
  g_auto (Result) again =
      pteris ("pteris chat %s --prompt Hello --temperature 0 --max-new-tokens 8 --json --lookup",
              model, NULL);
  g_auto (Result) talk =
      pteris ("pteris chat %s --temperature 0 --max-new-tokens 8 --json", model, "Hello\n\nMore\n");
  g_auto (GStrv) lines = g_strsplit (talk.out, "\n", -1);
  json_t *one = json_loads (once.out, 0, NULL), *two = json_loads (again.out, 0, NULL);
  json_t *first = json_loads (lines[0], 0, NULL), *second = json_loads (lines[1], 0, NULL);

  g_assert_cmpint (once.status, ==, DONE);
  g_assert_cmpint (talk.status, ==, DONE);
  g_assert_cmpuint (g_strv_length (lines), ==, 3);
  g_assert_cmpstr (json_string_value (json_object_get (one, "text")), !=, "");
  g_assert_cmpstr (json_string_value (json_object_get (one, "text")), ==,
                   json_string_value (json_object_get (two, "text")));
  g_assert_cmpstr (json_string_value (json_object_get (one, "text")), ==,
                   json_string_value (json_object_get (first, "text")));
  /* The second turn kept what the first one read. */
  g_assert_cmpint (
      json_integer_value (json_object_get (json_object_get (second, "stats"), "reused_tokens")), >,
      10);
  json_decref (one);
  json_decref (two);
  json_decref (first);
  json_decref (second);
}

/* Writes @schema to a file of its own; remove it and free the path. */
static char *
schema_file (const char *schema)
{
  g_autoptr (GError) error = NULL;
  char *path;
  int fd = g_file_open_tmp ("schema-XXXXXX.json", &path, &error);

  g_assert_no_error (error);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path, schema, -1, NULL));
  return path;
}

/** With tools and a schema the answer is a call, or has the form. */
static void
test_schema_and_tools (void)
{
  g_autofree char *model = data ("chat", "qwen3_xnnpack_8da4w", "model.pte");
  g_autofree char *schema = schema_file ("{\"enum\": [7]}");
  g_autofree char *tools =
      schema_file ("[{\"type\": \"function\", \"function\": {\"name\": \"look\", "
                   "\"parameters\": {\"type\": \"object\", \"properties\": {}, "
                   "\"additionalProperties\": false}}}]");
  g_autofree char *ask = g_strdup_printf (
      "pteris chat %%s --prompt hi -n 100 --seed 1 --json --json-schema %s --tools %s", schema,
      tools);
  g_auto (Result) answer = pteris (ask, model, NULL);
  json_t *json = json_loads (answer.out, 0, NULL), *calls = json_object_get (json, "tool_calls");
  json_t *text =
      json_loads (json_string_value (json_object_get (json, "text")), JSON_DECODE_ANY, NULL);

  g_assert_cmpint (answer.status, ==, DONE);
  if (calls != NULL)
    g_assert_cmpstr (json_string_value (json_object_get (json_array_get (calls, 0), "name")), ==,
                     "look");
  else
    g_assert_cmpint (json_integer_value (text), ==, 7);
  json_decref (json);
  json_decref (text);
  g_unlink (schema);
  g_unlink (tools);
}

/** An answer that a JSON Schema binds, and how likely its tokens were. */
static void
test_schema (void)
{
  g_autofree char *model = data ("chat", "qwen3_xnnpack_8da4w", "model.pte");
  g_autofree char *good =
      schema_file ("{\"type\": \"object\", \"properties\": {\"a\": {\"enum\": [7]}},"
                   " \"required\": [\"a\"], \"additionalProperties\": false}");
  g_autofree char *bad = schema_file ("{\"patternProperties\": {}}");
  g_autofree char *ask =
      g_strdup_printf ("pteris chat %%s --prompt hi -n 100 --seed 1 --json-schema %s", good);
  g_autofree char *refused = g_strdup_printf ("pteris chat %%s --prompt hi --json-schema %s", bad);
  g_auto (Result) answer = pteris (ask, model, NULL), likely = { 0 };
  json_t *json = json_loads (answer.out, 0, NULL), *tokens;

  g_assert_cmpint (answer.status, ==, DONE);
  g_assert_cmpint (json_integer_value (json_object_get (json, "a")), ==, 7);
  json_decref (json);
  check (refused, model, FAILED, NULL, "patternProperties");
  check ("pteris chat %s --prompt hi --json-schema /nowhere/x.json", model, FAILED, NULL,
         "/nowhere/x.json");
  check ("pteris chat %s --prompt hi --logprobs 2", model, USAGE, NULL, "--json");
  likely = pteris ("pteris chat %s --prompt hi -n 3 --json --logprobs 2", model, NULL);
  json = json_loads (likely.out, 0, NULL);
  tokens = json_object_get (json, "logprobs");
  g_assert_cmpuint (json_array_size (tokens), ==, 3);
  g_assert_cmpuint (json_array_size (json_object_get (json_array_get (tokens, 2), "top_logprobs")),
                    ==, 2);
  json_decref (json);
  g_remove (good);
  g_remove (bad);
}

static void
test_reports (void)
{
  g_autofree char *model = data ("chat", "qwen3_xnnpack_8da4w", "model.pte");
  g_autofree char *steps = data ("tiny", "add_f32", "case.json");
  g_autofree char *bundle = data ("tiny", "bundled", "model.bpte");
  g_autofree char *input = data ("tiny", "bundled", "s0_in0.bin");
  g_autofree char *profile = g_strconcat ("pteris run %s --profile --input ", input, NULL);

  check ("pteris inspect %s", model, DONE, "method forward", NULL);
  check ("pteris inspect %s --json", model, DONE, "\"methods\"", NULL);
  check ("pteris run --steps %s", steps, DONE, "0 different", NULL);
  check ("pteris run --steps %s --json", steps, DONE, "\"ok\"", NULL);
  check ("pteris run %s --bundled", bundle, DONE, "2 passed, 0 failed", NULL);
  check ("pteris run %s --bundled --json", bundle, DONE, "\"tests\"", NULL);
  check ("pteris run %s", bundle, FAILED, NULL, "--bundled");
  check (profile, bundle, DONE, "aten::addmm.out: float32 [3], float32 [2, 4]", NULL);
  check ("pteris inspect %s", bundle, DONE, "2 test cases for forward", NULL);
  check ("pteris bench %s --repeat 2 --json", model, DONE, "decode_tokens_per_s", NULL);
  check ("pteris bench %s --repeat 2", model, DONE, "tokens/s", NULL);
  check ("pteris bench %s --repeat 2 --prompt-tokens 3 --new-tokens 2", model, DONE,
         "after a prompt of 3 tokens", NULL);
  check ("pteris bench %s --prompt-tokens -1", model, USAGE, NULL, "must be 0 or more");
  check ("pteris stats", NULL, DONE, "CPU: ", NULL);
  check ("pteris stats --json", NULL, DONE, "\"gpus\"", NULL);
}

#ifndef G_OS_WIN32
static void
link_model (const char *home, const char *name)
{
  g_autofree char *model = data ("chat", "qwen3_xnnpack_8da4w", NULL);
  g_autofree char *from = g_canonicalize_filename (model, NULL);
  g_autofree char *folder = g_build_filename (home, "pteris", "models", NULL);
  g_autofree char *to = g_build_filename (folder, name, NULL);
  g_autoptr (GFile) link = g_file_new_for_path (to);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  g_assert_true (g_file_make_symbolic_link (link, from, NULL, NULL));
}

static void
forget_models (const char *home, const char *const *names)
{
  g_autofree char *ours = g_build_filename (home, "pteris", NULL);
  g_autofree char *folder = g_build_filename (ours, "models", NULL);

  for (guint i = 0; names[i] != NULL; i++) {
    g_autofree char *link = g_build_filename (folder, names[i], NULL);

    g_unlink (link);
  }
  g_rmdir (folder);
  g_rmdir (ours);
  g_rmdir (home);
}

/** Models of packages are in the library, but for those of which the user has one of the same name.
 */
static void
test_library (void)
{
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE);
  g_autofree char *home = g_dir_make_tmp ("pteris-home-XXXXXX", NULL);
  g_autofree char *shared = g_dir_make_tmp ("pteris-shared-XXXXXX", NULL);
  g_autofree char *path = program (), *out = NULL;
  g_autoptr (GSubprocess) process = NULL;

  link_model (home, "mine");
  link_model (home, "both");
  link_model (shared, "both");
  link_model (shared, "theirs");
  g_subprocess_launcher_unsetenv (launcher, "PTERIS_MODELS");
  g_subprocess_launcher_setenv (launcher, "XDG_DATA_HOME", home, TRUE);
  g_subprocess_launcher_setenv (launcher, "XDG_DATA_DIRS", shared, TRUE);
  process = g_subprocess_launcher_spawn (launcher, NULL, path, "--complete", "chat", "", NULL);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &out, NULL, NULL));
  g_assert_cmpstr (out, ==, "both\nmine\ntheirs\n:files pte\n");
  forget_models (home, (const char *const[]){ "mine", "both", NULL });
  forget_models (shared, (const char *const[]){ "both", "theirs", NULL });
  check ("pteris --complete", NULL, USAGE, NULL, NULL);
  check ("pteris --complete bench x --backend c", NULL, DONE, "cpu\ncuda\n", NULL);
  check ("pteris --complete stats --", NULL, DONE, "--watch\t", NULL);
}

/** An endless line is refused before it exhausts the memory. */
static void
test_endless_line (void)
{
  g_autofree char *path = program ();
  g_autofree char *model = data ("chat", "qwen3_xnnpack_8da4w", "model.pte");
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GSubprocess) process = NULL;
  g_autofree char *out = NULL, *err = NULL;

  g_subprocess_launcher_set_stdin_file_path (launcher, "/dev/zero");
  process = g_subprocess_launcher_spawn (launcher, NULL, path, "chat", model, NULL);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &out, &err, NULL));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, FAILED);
  g_assert_nonnull (strstr (err, "longer than 4 MB"));
  g_assert_cmpstr (out, ==, "");
}

/** Until @process catches Ctrl-C; on a busy machine that takes a while. */
static void
wait_for_handler (GSubprocess *process)
{
  g_autofree char *path =
      g_strdup_printf ("/proc/%s/status", g_subprocess_get_identifier (process));
  gint64 end = g_get_monotonic_time () + 300 * G_TIME_SPAN_SECOND;
  guint64 caught = 0;

  while ((caught >> (SIGINT - 1) & 1) == 0 && g_get_monotonic_time () < end) {
    g_autofree char *status = NULL;
    const char *line;

    g_usleep (10000);
    if (!g_file_get_contents (path, &status, NULL, NULL))
      return;
    line = strstr (status, "SigCgt:");
    caught = line != NULL ? g_ascii_strtoull (line + strlen ("SigCgt:"), NULL, 16) : 0;
  }
}

/** Ctrl-C while a job runs: it ends soon, with 130 and without a word. */
static void
test_interrupt (void)
{
  g_autofree char *path = program ();
  g_autofree char *model = data ("chat", "qwen3_xnnpack_8da4w", "model.pte");
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error,
                        path, "bench", model, "--repeat", "1000", NULL);
  g_autofree char *out = NULL;

  g_assert_no_error (error);
  wait_for_handler (process);
  g_usleep (G_USEC_PER_SEC / 2);
  g_subprocess_send_signal (process, SIGINT);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &out, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, STOPPED);
  g_assert_cmpstr (out, ==, "");
}
#endif

int
main (int argc, char **argv)
{
  g_setenv ("PTERIS_MODELS", "/nowhere", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/usage", test_usage);
  g_test_add_func ("/app/bad-input", test_bad_input);
  g_test_add_func ("/app/chat", test_chat);
  g_test_add_func ("/app/schema", test_schema);
  g_test_add_func ("/app/schema-and-tools", test_schema_and_tools);
  g_test_add_func ("/app/reports", test_reports);
#ifndef G_OS_WIN32
  g_test_add_func ("/app/library", test_library);
  g_test_add_func ("/app/endless-line", test_endless_line);
  g_test_add_func ("/app/interrupt", test_interrupt);
#endif
  return g_test_run ();
}
