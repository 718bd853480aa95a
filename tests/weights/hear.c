/* SPDX-License-Identifier: BSD-3-Clause */

/* hear MODEL WAV: the probability of speech of each whole window of 16 kHz, one a line. */

#include <pteris/audio.h>

#include "engine/init.h"
#include "engine/tasks/speech/vad.h"

static gboolean
hear (const char *program, const char *path, GError **error)
{
  g_autoptr (PtModule) module = pt_module_open (program, NULL, NULL, error);
  g_autoptr (PtVad) vad = module != NULL ? pt_vad_new (module, error) : NULL;
  g_autoptr (PtAudioReader) reader =
      vad != NULL ? pt_audio_reader_open (path, pt_vad_rate (vad), NULL, error) : NULL;
  g_autoptr (GArray) got = g_array_new (FALSE, FALSE, sizeof (float));
  gboolean ok = reader != NULL;
  float window[512];

  if (!ok || pt_vad_window (vad) != G_N_ELEMENTS (window))
    return FALSE;
  pt_vad_reset (vad, FALSE);
  while (ok && pt_audio_reader_read (reader, window, G_N_ELEMENTS (window), NULL, error) ==
                   (gssize) G_N_ELEMENTS (window))
    ok = pt_vad_hear (vad, window, G_N_ELEMENTS (window), got, NULL, error);
  for (guint i = 0; ok && i < got->len; i++)
    g_print ("%.6f\n", g_array_index (got, float, i));
  return ok && *error == NULL;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  pt_init ();
  if (argc == 3 && hear (argv[1], argv[2], &error))
    return 0;
  g_printerr ("hear: %s\n", error != NULL ? error->message : "it needs MODEL and WAV");
  return 1;
}
