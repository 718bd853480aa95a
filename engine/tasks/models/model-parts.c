/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/model-parts.h"

#include <string.h>

#include "engine/tasks/models/family-private.h"
#include "engine/tasks/models/plan-shapes.h"
#include "engine/tasks/models/program-names.h"

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

guint
pt_model_side_distance (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  g_auto (PtProgramName) name = { 0 };
  guint side;

  pt_program_name_read (&name, base);
  if (name.extra == NULL)
    return 0;
  side = (guint) MIN (g_ascii_strtoull (name.extra, NULL, 10), G_MAXINT);
  return side > PT_USUAL_WRITING ? side - PT_USUAL_WRITING : PT_USUAL_WRITING - side;
}

/* The languages that have programs of their own. */
static const struct {
  const char *code, *word, *end, *voice;
} OWN_PROGRAMS[] = {
  { "de", " de ", "_de.pte", "d" },
  { "pl", " pl ", "_pl.pte", "pm_mateusz" },
};

const char *
pt_model_asked_language (const char *language, const char *voice)
{
  if (language == NULL && voice == NULL)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (OWN_PROGRAMS); i++) {
    if (language != NULL && g_ascii_strncasecmp (language, OWN_PROGRAMS[i].code, 2) == 0 &&
        !g_ascii_isalpha (language[2]))
      return OWN_PROGRAMS[i].code;
    if (language == NULL && g_str_has_prefix (voice, OWN_PROGRAMS[i].voice))
      return OWN_PROGRAMS[i].code;
  }
  return "";
}

/* The language that the end of @path says; "": none. */
static const char *
language_of_program (const char *path)
{
  for (gsize i = 0; i < G_N_ELEMENTS (OWN_PROGRAMS); i++)
    if (g_str_has_suffix (path, OWN_PROGRAMS[i].end))
      return OWN_PROGRAMS[i].code;
  return "";
}

guint
pt_model_language_rank (const char *path, const char *language)
{
  const char *own = language_of_program (path);

  if (language != NULL)
    return strcmp (own, language) == 0 ? 0 : PT_LANGUAGE_OTHER;
  for (gsize i = 0; i < G_N_ELEMENTS (OWN_PROGRAMS); i++)
    if (strcmp (own, OWN_PROGRAMS[i].code) == 0)
      return is_read_here (OWN_PROGRAMS[i].word) ? 0 : PT_LANGUAGE_OTHER;
  return 1;
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
