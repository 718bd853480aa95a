/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/hostile/hostile.h"

/* Models whose metadata lies: every number that a constant method gives, changed. */

#define MODEL "chat/qwen3_xnnpack_8da4w"

static void
chat (const guint8 *file, gsize size, gpointer user_data)
{
  g_autofree char *tokenizer = hostile_data_path (MODEL "/tokenizer.json");
  g_autofree char *model = hostile_file ("model.pte", file, size);
  PtJob load = PT_JOB_INIT (PT_JOB_LOAD);

  load.model.path = model;
  load.model.tokenizer = tokenizer;
  hostile_chat (&load, NULL);
}

static void
test_numbers (void)
{
  gsize size;
  g_autofree guint8 *file = hostile_data (MODEL "/model.pte", &size);

  g_assert_cmpuint (hostile_lies (file, size, chat, NULL), >, 3);
  hostile_clean_up ();
}

/* ---- speech ---- */

/* Files that lie beside the program with lies. */
typedef struct {
  const char *program; /* its name there */
  const char *model;   /* of what is loaded, there */
  const char *tokenizer, *audio;
} Speech;

static void
transcribe (const guint8 *file, gsize size, gpointer user_data)
{
  const Speech *speech = user_data;
  g_autofree char *lying = hostile_file (speech->program, file, size);
  g_autofree char *folder = g_path_get_dirname (lying);
  g_autofree char *model = g_build_filename (folder, speech->model, NULL);
  g_autofree char *tokenizer = hostile_data_path (speech->tokenizer);
  g_autofree char *audio = hostile_data_path (speech->audio);
  PtJob load = PT_JOB_INIT (PT_JOB_LOAD);

  load.model.path = model;
  load.model.tokenizer = tokenizer;
  hostile_transcribe (&load, audio, NULL);
}

static void
put (const char *from, const char *to)
{
  gsize size;
  g_autofree guint8 *file = hostile_data (from, &size);
  g_autofree char *path = hostile_file (to, file, size);
}

static void
lie_about (const char *from, Speech *speech, guint at_least)
{
  gsize size;
  g_autofree guint8 *file = hostile_data (from, &size);

  g_assert_cmpuint (hostile_lies (file, size, transcribe, speech), >=, at_least);
  hostile_clean_up ();
}

static void
test_realtime (void)
{
  Speech speech = { "model.pte", "model.pte", "chat/voxtral/tekken.json",
                    "speech/realtime/audio0.wav" };

  lie_about ("speech/realtime/model.pte", &speech, 12);
}

static void
test_transducer (void)
{
  Speech speech = { "model.pte", "model.pte", "speech/transducer/tokenizer.model",
                    "speech/transducer/audio0.wav" };

  lie_about ("speech/transducer/model.pte", &speech, 6);
}

static void
test_companions (void)
{
  Speech speech = { "vad.pte", "model.pte", "speech/transducer/tokenizer.model",
                    "speech/transducer/audio0.wav" };

  put ("speech/transducer/model.pte", "model.pte");
  lie_about ("speech/vad/model.pte", &speech, 3);
  speech.program = "speakers.pte";
  put ("speech/transducer/model.pte", "model.pte");
  lie_about ("speech/diarizer/diarizer.pte", &speech, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hostile/metadata/numbers", test_numbers);
  g_test_add_func ("/hostile/metadata/realtime", test_realtime);
  g_test_add_func ("/hostile/metadata/transducer", test_transducer);
  g_test_add_func ("/hostile/metadata/companions", test_companions);
  return g_test_run ();
}
