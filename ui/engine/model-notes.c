/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/engine/model-notes.h"

#include <string.h>

#define TITLE "title"
#define TASK "task"
#define BYTES "bytes"
#define LICENSE "license"
#define DATA "data"
#define TOKENIZER "tokenizer"
#define PREPROCESSOR "preprocessor"
#define FAMILY "family"
#define HIDDEN "hidden"
#define HELD "held"
#define VARIANT "variant"

static GMutex mutex;
static GKeyFile *notes; /* protected by the mutex, like the next one */
static gboolean changed;

static char *
notes_path (void)
{
  return g_build_filename (g_get_user_data_dir (), "pteris", "models.ini", NULL);
}

/* Escapes a path as the name of a group, which must not have brackets or control characters. */
static char *
group_of (const char *path)
{
  return g_uri_escape_string (path, "/ !$&'()*+,;=:@", TRUE);
}

/* With the mutex held. */
static GKeyFile *
get_notes (void)
{
  if (notes == NULL) {
    g_autofree char *path = notes_path ();

    notes = g_key_file_new ();
    g_key_file_load_from_file (notes, path, G_KEY_FILE_NONE, NULL);
  }
  return notes;
}

static char *
get_text (const char *path, const char *key)
{
  g_autofree char *group = group_of (path);

  return g_key_file_get_string (get_notes (), group, key, NULL);
}

/* NULL removes the key. */
static void
set_text (const char *path, const char *key, const char *text)
{
  g_autofree char *group = group_of (path);
  g_autofree char *before = g_key_file_get_string (get_notes (), group, key, NULL);

  if (g_strcmp0 (before, text) == 0)
    return;
  if (text != NULL)
    g_key_file_set_string (get_notes (), group, key, text);
  else
    g_key_file_remove_key (get_notes (), group, key, NULL);
  changed = TRUE;
}

/* ---- members ---- */

PterisCompanions *
pteris_notes_get_companions (const char *path)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  g_autoptr (PterisCompanions) companions = g_new0 (PterisCompanions, 1);
  g_autofree char *data = get_text (path, DATA);

  companions->tokenizer = get_text (path, TOKENIZER);
  companions->preprocessor = get_text (path, PREPROCESSOR);
  companions->family = get_text (path, FAMILY);
  if (data != NULL) {
    companions->data = g_new0 (char *, 2);
    companions->data[0] = g_steal_pointer (&data);
  }
  if (companions->data == NULL && companions->tokenizer == NULL &&
      companions->preprocessor == NULL && companions->family == NULL)
    return NULL;
  return g_steal_pointer (&companions);
}

static const char *
key_of (PtModelPart part)
{
  switch (part) {
  case PT_MODEL_DATA: return DATA;
  case PT_MODEL_TOKENIZER: return TOKENIZER;
  case PT_MODEL_PREPROCESSOR: break;
  }
  return PREPROCESSOR;
}

void
pteris_notes_choose (const char *path, PtModelPart part, const char *file)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);

  set_text (path, key_of (part), file);
}

void
pteris_notes_clear_companions (const char *path)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);

  set_text (path, DATA, NULL);
  set_text (path, TOKENIZER, NULL);
  set_text (path, PREPROCESSOR, NULL);
  set_text (path, FAMILY, NULL);
}

void
pteris_notes_set_family (const char *path, const char *family)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);

  set_text (path, FAMILY, family);
}

/* ---- flags ---- */

static gboolean
has_flag (const char *path, const char *key)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  g_autofree char *text = get_text (path, key);

  return text != NULL;
}

static void
set_flag (const char *path, const char *key, gboolean on)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);

  set_text (path, key, on ? "yes" : NULL);
}

gboolean
pteris_notes_is_hidden (const char *path)
{
  return has_flag (path, HIDDEN);
}

void
pteris_notes_set_hidden (const char *path, gboolean hidden)
{
  set_flag (path, HIDDEN, hidden);
}

gboolean
pteris_notes_is_held (const char *path)
{
  return has_flag (path, HELD);
}

void
pteris_notes_set_held (const char *path, gboolean held)
{
  set_flag (path, HELD, held);
}

/* ---- variants ---- */

gboolean
pteris_notes_is_variant (const char *path)
{
  return has_flag (path, VARIANT);
}

/* With the mutex held. Data files belong to one program, so they are not copied. */
static void
copy_companions (const char *from, const char *to)
{
  static const char *const KEYS[] = { TOKENIZER, PREPROCESSOR, FAMILY };

  if (g_strcmp0 (from, to) == 0)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (KEYS); i++) {
    g_autofree char *text = get_text (from, KEYS[i]);

    set_text (to, KEYS[i], text);
  }
}

void
pteris_notes_choose_variant (const PtModelInfo *info, const char *path)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  const char *used = path != NULL           ? path
                     : info->n_variants > 0 ? info->variants[0].path
                                            : info->path;

  for (guint i = 0; i < info->n_variants; i++)
    set_text (info->variants[i].path, VARIANT, NULL);
  if (path != NULL)
    set_text (path, VARIANT, "yes");
  copy_companions (info->path, used);
}

/* ---- what they were ---- */

void
pteris_notes_see (const PtModelInfo *info)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  g_autofree char *bytes = g_strdup_printf ("%" G_GUINT64_FORMAT, info->bytes);

  set_text (info->path, TITLE, info->title);
  set_text (info->path, TASK, info->task);
  set_text (info->path, BYTES, bytes);
  set_text (info->path, LICENSE, info->license);
  /* Its other variants are no models of their own. */
  for (guint i = 0; i < info->n_variants; i++)
    if (strcmp (info->variants[i].path, info->path) != 0)
      set_text (info->variants[i].path, TITLE, NULL);
}

PtModelInfo *
pteris_notes_recall (const char *path)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  g_autofree char *title = get_text (path, TITLE);
  g_autofree char *bytes = get_text (path, BYTES);
  PtModelInfo *info;

  if (title == NULL)
    return NULL;
  info = g_new0 (PtModelInfo, 1);
  info->path = g_strdup (path);
  info->name = g_path_get_basename (path);
  info->title = g_steal_pointer (&title);
  info->task = get_text (path, TASK);
  info->license = get_text (path, LICENSE);
  info->bytes = bytes != NULL ? g_ascii_strtoull (bytes, NULL, 10) : 0;
  return info;
}

char **
pteris_notes_list (const char *folder)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  g_auto (GStrv) groups = g_key_file_get_groups (get_notes (), NULL);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  gsize length = strlen (folder);

  /* Windows has two separators. */
  while (length > 0 && G_IS_DIR_SEPARATOR (folder[length - 1]))
    length--;
  for (guint i = 0; groups[i] != NULL; i++) {
    g_autofree char *path = g_uri_unescape_string (groups[i], NULL);

    if (path != NULL && strncmp (path, folder, length) == 0 && G_IS_DIR_SEPARATOR (path[length]))
      g_strv_builder_add (builder, path);
  }
  return g_strv_builder_end (builder);
}

void
pteris_notes_forget (const char *path)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  g_autofree char *group = group_of (path);

  changed |= g_key_file_remove_group (get_notes (), group, NULL);
}

/* ---- the file ---- */

void
pteris_notes_save (void)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  g_autofree char *path = notes_path ();
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  if (!changed)
    return;
  changed = FALSE;
  g_mkdir_with_parents (folder, 0700);
  if (!g_key_file_save_to_file (get_notes (), path, &error))
    g_message ("The model library could not be saved: %s", error->message);
}

void
pteris_notes_reload (void)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);

  g_clear_pointer (&notes, g_key_file_unref);
  changed = FALSE;
}
