/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * "pteris --complete WORD…": what the last word may become. The completions of bash, zsh and fish
 * ask this, so that they know the options of this very program and the models of this library.
 *
 * Each line is a word and, after a tab, what it means; or ":files SUFFIX…" where the shell shall
 * add files (all of them without a suffix), or ":folders". What comes after a "=" is answered
 * without what stands before it.
 */

#include <string.h>
#include <pteris/hub.h>

#include "app/cli.h"
#include "engine/base/clean.h"
#include "engine/base/folder.h"

/* As libsndfile and GStreamer's usual plug-ins read them. */
#define RECORDINGS \
  "wav flac mp3 ogg oga opus m4a m4b mp4 mkv mka mov webm aac wma aif aiff au caf amr"
#define PICTURES "png jpg jpeg webp gif bmp tif tiff"

typedef struct {
  const char *name; /* "format", or "f" */
  gsize length;
  GOptionEntry found;
} Search;

static void
offer (const char *word, const char *candidate, const char *meaning)
{
  if (!g_str_has_prefix (candidate, word))
    return;
  if (meaning != NULL)
    pteris_putf ("%s\t%s\n", candidate, meaning);
  else
    pteris_putf ("%s\n", candidate);
}

static void
offer_words (const char *word, const char *words)
{
  g_auto (GStrv) split = g_strsplit (words, " ", -1);

  for (guint i = 0; split[i] != NULL; i++)
    offer (word, split[i], NULL);
}

/* ---- options ---- */

static void
offer_options (const GOptionEntry *entries, gpointer user_data)
{
  const char *word = user_data;

  for (; entries->long_name != NULL; entries++) {
    g_autofree char *option = g_strconcat ("--", entries->long_name, NULL);

    if (*entries->long_name != '\0')
      offer (word, option, entries->description);
  }
}

static gboolean
is_named (const GOptionEntry *entry, const char *name, gsize length)
{
  if (length == 1)
    return entry->short_name == *name;
  return length == strlen (entry->long_name) && memcmp (entry->long_name, name, length) == 0;
}

static void
find_option (const GOptionEntry *entries, gpointer user_data)
{
  Search *search = user_data;

  for (; entries->long_name != NULL; entries++)
    if (*entries->long_name != '\0' && is_named (entries, search->name, search->length))
      search->found = *entries;
}

/** The option of @command that @word ("--format", "--format=srt", "-f") names; FALSE: none. */
static gboolean
option_of (const PterisCommand *command, const char *word, GOptionEntry *option)
{
  Search search = { 0 };

  if (word[0] != '-' || word[1] == '\0')
    return FALSE;
  search.name = word + (word[1] == '-' ? 2 : 1);
  search.length = strcspn (search.name, "=");
  if (search.length == 0 || (word[1] != '-' && search.length != 1))
    return FALSE;
  pteris_options_ask (command->run, find_option, &search);
  *option = search.found;
  return option->long_name != NULL;
}

static gboolean
takes_value (const GOptionEntry *option)
{
  return option->arg != G_OPTION_ARG_NONE;
}

static void
offer_families (const char *word)
{
  guint n = 0;
  const PtFamilyChoice *families = pt_library_families (&n);

  for (guint i = 0; i < n; i++)
    offer (word, families[i].id, families[i].name);
}

/* Names of files may hold anything; a terminal shall not. */
static gboolean
is_plain (const char *text)
{
  for (; *text != '\0'; text = g_utf8_next_char (text))
    if (pt_is_control (g_utf8_get_char (text)))
      return FALSE;
  return TRUE;
}

/* Variants of the model that is named before, or what they are usually called. */
static void
offer_variants (const char *word, const char *model)
{
  g_autofree char *path = model != NULL ? pt_library_find (model, NULL, NULL) : NULL;
  g_autoptr (PtModelInfo) info = path != NULL ? pt_library_probe (path, NULL) : NULL;

  for (guint i = 0; info != NULL && i < info->n_variants; i++) {
    const PtModelVariant *variant = &info->variants[i];

    if (g_utf8_validate (variant->name, -1, NULL) && is_plain (variant->name))
      offer (word, variant->name, NULL);
    if (variant->precision != NULL && is_plain (variant->precision))
      offer (word, variant->precision, NULL);
  }
  if (info == NULL || info->n_variants == 0)
    offer_words (word, "8da4w int8 fp32 fp16 bf16 spinquant");
}

/* The name of an option, or that of its value ("F.ptd", "DIR"), tells which values it takes. */
static void
offer_values (const char *word, const GOptionEntry *option, const char *model)
{
  static const struct {
    const char *option, *words;
  } KNOWN[] = {
    { "backend", "auto cpu cuda openvino vulkan" },
    { "format", "txt srt vtt json" },
    { "timestamps", "segment word token" },
    { "language",
      "ar cs da de el en es fa fi fr he hi hu id it ja ko nl no pl pt ro ru sv th tr uk vi "
      "zh" },
  };
  const char *value = option->arg_description;

  for (gsize i = 0; i < G_N_ELEMENTS (KNOWN); i++) {
    if (strcmp (option->long_name, KNOWN[i].option) == 0) {
      offer_words (word, KNOWN[i].words);
      return;
    }
  }
  if (strcmp (option->long_name, "audio") == 0)
    pteris_put (":files " RECORDINGS "\n");
  else if (strcmp (option->long_name, "file") == 0)
    pteris_put (":files " PICTURES " " RECORDINGS "\n");
  else if (strcmp (option->long_name, "voice") == 0)
    pteris_put (":files bin\n");
  else if (strcmp (option->long_name, "family") == 0)
    offer_families (word);
  else if (strcmp (option->long_name, "variant") == 0)
    offer_variants (word, model);
  else if (strcmp (option->long_name, "input") == 0)
    offer_words (word, "zeros: random: values:");
  if (strcmp (value, "DIR") == 0)
    pteris_put (":folders\n");
  else if (g_str_has_prefix (value, "F."))
    pteris_putf (":files %s\n", value + 2);
  else if (strcmp (value, "CASE") == 0)
    pteris_put (":files json\n");
  else if ((strcmp (value, "FILE") == 0 || strcmp (value, "F") == 0) &&
           strcmp (option->long_name, "audio") != 0)
    pteris_put (":files\n");
}

/* ---- arguments ---- */

static gboolean
is_about_texts (const char *command)
{
  return strcmp (command, "embed") == 0 || strcmp (command, "privacy") == 0;
}

/* Whether @command is for models such as @info. */
static gboolean
fits (const PtModelInfo *info, const char *command)
{
  gboolean labels = g_strcmp0 (info->family, "token-classifier") == 0;

  /* pteris look also takes models of tasks that have a command of their own. */
  if (strcmp (command, "look") == 0 &&
      (strcmp (info->task, "classify") == 0 || g_strcmp0 (info->family, "image-embedding") == 0))
    return TRUE;
  if (!is_about_texts (command))
    return strcmp (info->task, command) == 0;
  return strcmp (info->task, "embed") == 0 && labels == (strcmp (command, "privacy") == 0);
}

/** Models of the library that @command can use, and where others are. */
static void
offer_models (const char *word, const char *command)
{
  g_autoptr (GPtrArray) models = pt_library_scan (NULL);
  gboolean any = strcmp (command, "chat") != 0 && strcmp (command, "transcribe") != 0 &&
                 strcmp (command, "classify") != 0 && strcmp (command, "look") != 0 &&
                 strcmp (command, "speak") != 0 && !is_about_texts (command);

  for (guint i = 0; i < models->len; i++) {
    const PtModelInfo *info = models->pdata[i];

    if (!info->damaged && (any || fits (info, command)) && g_utf8_validate (info->name, -1, NULL) &&
        is_plain (info->name))
      offer (word, info->name,
             is_plain (info->title) && strcmp (info->title, info->name) != 0 ? info->title : NULL);
  }
  pteris_put (any ? ":files pte bpte\n" : ":files pte\n");
}

/** Suggests the models in the library's folder. */
static void
offer_names (const char *word)
{
  g_autoptr (PtFolder) folder = pt_folder_open (pt_library_default_folder ());
  const char *name;

  while ((name = pt_folder_next (folder)) != NULL)
    if (*name != '.' && g_utf8_validate (name, -1, NULL) && is_plain (name))
      offer (word, name, NULL);
}

/** Repositories whose download has not ended, or which may have a new commit. */
static void
offer_repositories (const char *word)
{
  g_autoptr (GPtrArray) models = pt_hub_installed ();

  for (guint i = 0; i < models->len; i++)
    offer (word, ((PtHubModel *) models->pdata[i])->id, NULL);
}

static void
offer_arguments (const PterisCommand *command, const char *word, guint n_before)
{
  if (strcmp (command->name, "get") == 0)
    offer_repositories (word);
  else if (strcmp (command->name, "remove") == 0)
    offer_names (word);
  else if ((n_before == 0 || strcmp (command->name, "serve") == 0) && *command->arguments != '\0')
    offer_models (word, command->name);
  else if (strcmp (command->name, "transcribe") == 0)
    pteris_put (":files " RECORDINGS "\n");
  else if (strcmp (command->name, "classify") == 0 || strcmp (command->name, "look") == 0)
    pteris_put (":files " PICTURES "\n");
}

static void
offer_first (const char *word)
{
  gboolean is_command = *word == '\0';

  for (const PterisCommand *c = pteris_commands; c->name != NULL; c++) {
    is_command |= g_str_has_prefix (c->name, word);
    offer (word, c->name, c->summary);
  }
  if (*word == '-') {
    offer (word, "--help", "Show help");
    offer (word, "--version", "Show versions");
    offer (word, "--safe-graphics", "Draw the window without the GPU");
    offer (word, "--quit", "Close the open window");
  } else if (!is_command) {
    pteris_put (":files pte bpte ptd " RECORDINGS "\n");
  }
}

/** Of @words ("chat", "smollm2", "--fo") the last one is to be completed. */
static void
complete_command (const PterisCommand *command, char **words, guint n)
{
  const char *word = words[n - 1], *value = strchr (word, '=');
  const char *model = NULL; /* the first argument */
  GOptionEntry option;
  guint n_arguments = 0;
  gboolean only_arguments = FALSE;

  for (guint i = 1; i + 1 < n; i++) {
    if (only_arguments || words[i][0] != '-' || words[i][1] == '\0') {
      n_arguments++;
      model = model != NULL ? model : words[i];
    } else if (strcmp (words[i], "--") == 0)
      only_arguments = TRUE;
    else if (strchr (words[i], '=') == NULL && option_of (command, words[i], &option) &&
             takes_value (&option) && ++i + 1 == n) {
      offer_values (word, &option, model);
      return;
    }
  }
  if (only_arguments || *word != '-')
    offer_arguments (command, word, n_arguments);
  else if (value == NULL)
    pteris_options_ask (command->run, offer_options, (gpointer) word);
  else if (option_of (command, word, &option) && takes_value (&option))
    offer_values (value + 1, &option, model);
}

int
pteris_complete_command (int argc, char **argv)
{
  if (argc < 2)
    return PTERIS_EXIT_USAGE;
  if (argc == 2) {
    offer_first (argv[1]);
    return PTERIS_EXIT_DONE;
  }
  for (const PterisCommand *c = pteris_commands; c->name != NULL; c++)
    if (strcmp (argv[1], c->name) == 0)
      complete_command (c, argv + 1, (guint) argc - 1);
  return PTERIS_EXIT_DONE;
}
