/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The window over the scripted engine. A line of JSON on the standard input changes the script,
 * an empty object nothing; each is answered by a line with what the engine counts and keeps.
 */

#include <stdio.h>
#include <string.h>

#include <glib-unix.h>
#include <jansson.h>

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
answer (void)
{
  json_t *state =
      json_pack ("{s:i, s:i, s:i, s:i, s:s?, s:f, s:i, s:f}", "n_chats", fake.n_chats, "n_loads",
                 fake.n_loads, "n_transcribes", fake.n_transcribes, "n_messages", fake.n_messages,
                 "prompt", fake.prompt, "temperature", fake.sampling.temperature, "max_new_tokens",
                 fake.max_new_tokens, "audio_start", fake.audio_start);
  char *line = json_dumps (state, JSON_COMPACT);

  puts (line);
  fflush (stdout);
  free (line);
  json_decref (state);
}

static gboolean
on_line (GIOChannel *channel, GIOCondition condition, gpointer user_data)
{
  g_autofree char *line = NULL;
  json_t *script;

  if (g_io_channel_read_line (channel, &line, NULL, NULL, NULL) != G_IO_STATUS_NORMAL)
    return G_SOURCE_REMOVE;
  script = json_loads (line, 0, NULL);
  take (script);
  json_decref (script);
  answer ();
  return G_SOURCE_CONTINUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GIOChannel) channel = g_io_channel_unix_new (0);
  const char *script = g_getenv ("HANDS_SCRIPT");

  fake_reset ();
  if (script != NULL) {
    json_t *first = json_loads (script, 0, NULL);

    take (first);
    json_decref (first);
  }
  g_io_add_watch (channel, G_IO_IN | G_IO_HUP, on_line, NULL);
  return pteris_application_main (argc, argv);
}
