/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/model-parts.h"

#include <string.h>

#include "engine/tasks/models/family-private.h"
#include "engine/tasks/models/plan-shapes.h"

/* The parts of models, the one that a model is opened by first. */
static const char *const SPEECH[] = { "decoder", "encoder", NULL };
static const char *const KOKORO[] = { "synthesizer", "duration_predictor", NULL };
static const char *const TTS[] = { "model", "codec_decoder", NULL };
static const char *const DIFFUSION[] = { "unet", "vae", "text_encoder", NULL };
/* These are models by themselves, too. */
static const char *const CLIP[] = { "image", "text", NULL };
static const char *const OCR[] = { "detector", "recognizer", NULL };

static const char *const *
roles_of (PtFamily family)
{
  switch (family) {
  case PT_FAMILY_SPLIT_WHISPER: return SPEECH;
  case PT_FAMILY_KOKORO: return KOKORO;
  case PT_FAMILY_VOXTRAL_TTS: return TTS;
  case PT_FAMILY_TEXT_TO_IMAGE: return DIFFUSION;
  case PT_FAMILY_TEXT_EMBEDDING:
  case PT_FAMILY_IMAGE_EMBEDDING: return CLIP;
  case PT_FAMILY_TEXT_DETECTOR:
  case PT_FAMILY_TEXT_RECOGNIZER: return OCR;
  default: return NULL;
  }
}

const char *const *
pt_model_parts_needed (PtFamily family)
{
  const char *const *roles = roles_of (family);

  return roles == CLIP || roles == OCR ? NULL : roles;
}

gboolean
pt_model_parts_apart (PtFamily family)
{
  const char *const *roles = roles_of (family);

  return roles == CLIP || roles == OCR;
}

/* Whether the user reads one of @languages, which are codes with spaces around them. */
static gboolean
is_read_here (const char *languages)
{
  const char *const *own = g_get_language_names ();

  for (guint i = 0; own[i] != NULL; i++) {
    g_autofree char *code = g_strndup (own[i], strcspn (own[i], "_.@"));
    g_autofree char *word = g_strconcat (" ", code, " ", NULL);

    if (strstr (languages, word) != NULL)
      return TRUE;
  }
  return FALSE;
}

guint
pt_model_alphabet_rank (const char *path)
{
  /* The first two are of use for others, too. */
  static const struct {
    const char *word, *languages;
  } ALPHABETS[] = {
    { "english", " en " },
    { "latin", " de fr es it pt nl pl cs sk sl hr sv da fi nb nn no tr ro hu et lv lt sq is ga af "
               "id ms vi sw la " },
    { "japanese", " ja " },
    { "korean", " ko " },
    { "zh", " zh " },
    { "cyrillic", " ru uk bg be sr mk " },
    { "telugu", " te " },
    { "kannada", " kn " },
  };
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_auto (GStrv) words = g_strsplit_set (lower, "/\\-_. ", -1);

  for (guint i = 0; i < G_N_ELEMENTS (ALPHABETS); i++)
    if (g_strv_contains ((const char *const *) words, ALPHABETS[i].word))
      return is_read_here (ALPHABETS[i].languages) ? 0 : 1 + MIN (i, 2);
  return 3;
}

/* The length of the vectors that @program makes. */
static gint32
vector_length (const PtProgram *program)
{
  const PtPlan *plan = pt_family_forward (program);
  const PtTensorSpec *out = plan != NULL ? pt_plan_output (plan, 0) : NULL;

  return out != NULL && out->rank > 0 ? out->sizes[out->rank - 1] : -1;
}

gboolean
pt_model_parts_match (const PtProgram *a, const PtProgram *b)
{
  PtFamily family = pt_family_of (a, NULL), other = pt_family_of (b, NULL);
  const char *const *roles = roles_of (family);

  if (roles == NULL || roles != roles_of (other) ||
      g_strcmp0 (pt_family_role (a, family), pt_family_role (b, other)) == 0)
    return FALSE;
  return roles != CLIP || vector_length (a) == vector_length (b);
}

static gboolean
is_recogniser (const PtProgram *program)
{
  return pt_family_of (program, NULL) == PT_FAMILY_TEXT_RECOGNIZER;
}

/* The program of @programs that is @role, or NULL. */
static const char *
find_role (const GPtrArray *programs, const char *role)
{
  for (guint i = 0; i < programs->len; i++) {
    const PtProgram *program = programs->pdata[i];

    if (g_strcmp0 (pt_family_role (program, pt_family_of (program, NULL)), role) == 0)
      return pt_program_path (program);
  }
  return NULL;
}

const char *
pt_model_parts_main (const GPtrArray *programs, const char *part)
{
  gboolean is_doubled = FALSE; /* a part is there several times */
  const char *const *roles;
  const char *found;

  for (guint i = 0; i < programs->len; i++)
    for (guint k = 0; k < i; k++) {
      if (pt_model_parts_match (programs->pdata[i], programs->pdata[k]))
        continue;
      if (!is_recogniser (programs->pdata[i]) || !is_recogniser (programs->pdata[k]))
        return NULL;
      is_doubled = TRUE;
    }
  roles = programs->len > 0 ? roles_of (pt_family_of (programs->pdata[0], NULL)) : NULL;
  found = roles != NULL && part != NULL ? find_role (programs, part) : NULL;
  for (guint r = 0; found == NULL && roles != NULL && roles[r] != NULL && !(is_doubled && r > 0);
       r++)
    found = find_role (programs, roles[r]);
  return found;
}
