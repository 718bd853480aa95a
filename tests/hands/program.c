/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The window over the scripted engine. A line of JSON on the standard input changes the script,
 * an empty object nothing; each is answered by a line with what the engine counts and keeps. On
 * Windows "tell" is answered by what is on the screen, and "at" by what is at a position.
 */

#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "tests/hands/tell.h"
#include "tests/ui/fake-engine.h"
#include "ui/window/application.h"

typedef enum { INT, BOOLEAN, TEXT } Kind;

#define FIELD(name) #name, G_STRUCT_OFFSET(FakeScript, name)
static const struct {
  Kind kind;
  const char *name;
  gsize place;
} FIELDS[] = {
  { BOOLEAN, FIELD (with_models) },
  { INT, FIELD (n_more_models) },
  { BOOLEAN, FIELD (with_odd_models) },
  { TEXT, FIELD (report) },
  { TEXT, FIELD (load_error) },
  { INT, FIELD (load_code) },
  { TEXT, FIELD (alternative) },
  { TEXT, FIELD (digest) },
  { TEXT, FIELD (answer) },
  { TEXT, FIELD (answer_error) },
  { INT, FIELD (answer_code) },
  { BOOLEAN, FIELD (hold) },
  { BOOLEAN, FIELD (live) },
  { BOOLEAN, FIELD (streams) },
  { BOOLEAN, FIELD (speakers) },
  { BOOLEAN, FIELD (speaks) },
  { BOOLEAN, FIELD (hold_speech) },
  { INT, FIELD (fail_transcribe) },
  { INT, FIELD (n_segments) },
  { INT, FIELD (step_ms) },
  { INT, FIELD (context_used) },
  { INT, FIELD (takes) },
  { BOOLEAN, FIELD (trusted) },
  { BOOLEAN, FIELD (cuda_fails) },
};

static void
take (const json_t *script)
{
  for (guint i = 0; i < G_N_ELEMENTS (FIELDS); i++) {
    const json_t *value = json_object_get (script, FIELDS[i].name);
    void *field = (char *) &fake + FIELDS[i].place;

    if (value == NULL)
      continue;
    if (FIELDS[i].kind == TEXT) /* kept until the program ends */
      *(const char **) field = g_strdup (json_string_value (value));
    else
      *(int *) field =
          json_is_boolean (value) ? json_boolean_value (value) : (int) json_integer_value (value);
  }
}

static void
print (json_t *answer)
{
  char *line = json_dumps (answer, JSON_COMPACT);

  puts (line);
  fflush (stdout);
  free (line);
  json_decref (answer);
}

#ifdef G_OS_WIN32

static gboolean
tell (const json_t *question)
{
  const char *id;
  int x, y;

  if (json_object_get (question, "tell") != NULL) {
    print (json_pack ("{s:o}", "nodes", tell_nodes ()));
    return TRUE;
  }
  if (json_unpack ((json_t *) question, "{s:[s, i, i]}", "at", &id, &x, &y) != 0)
    return FALSE;
  print (json_pack ("{s:o}", "id", tell_at (id, x, y)));
  return TRUE;
}

#else

static gboolean
tell (const json_t *question)
{
  return FALSE;
}

#endif

static void
answer (void)
{
  print (json_pack ("{s:i, s:i, s:i, s:i, s:s?, s:f, s:i, s:f}", "n_chats", fake.n_chats, "n_loads",
                    fake.n_loads, "n_transcribes", fake.n_transcribes, "n_messages",
                    fake.n_messages, "prompt", fake.prompt, "temperature",
                    fake.sampling.temperature, "max_new_tokens", fake.max_new_tokens, "audio_start",
                    fake.audio_start));
}

static gboolean
on_line (gpointer line)
{
  json_t *script = json_loads (line, 0, NULL);

  if (!tell (script)) {
    take (script);
    answer ();
  }
  json_decref (script);
  return G_SOURCE_REMOVE;
}

/* Another thread, because GLib on Windows does not wait for every kind of standard input. */
static gpointer
read_lines (gpointer data)
{
  g_autoptr (GString) line = g_string_new (NULL);
  int letter;

  while ((letter = getchar ()) != EOF)
    if (letter != '\n') {
      g_string_append_c (line, (char) letter);
    } else {
      g_idle_add_full (G_PRIORITY_DEFAULT, on_line, g_strdup (line->str), g_free);
      g_string_truncate (line, 0);
    }
  return NULL;
}

int
main (int argc, char **argv)
{
  const char *script = g_getenv ("HANDS_SCRIPT");

  fake_reset ();
  if (script != NULL) {
    json_t *first = json_loads (script, 0, NULL);

    take (first);
    json_decref (first);
  }
  g_thread_unref (g_thread_new ("lines", read_lines, NULL));
  return pteris_application_main (argc, argv);
}
