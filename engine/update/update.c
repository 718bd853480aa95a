/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "engine/base/json.h"
#include "engine/base/set-error.h"
#include "engine/update/update-source.h"
#include "engine/update/version-list.h"

#define DAY_S (24 * 3600)
#define FIRST_WORD "asked "

/*
 * pteris/versions: "asked SECONDS" and the end of the line, then the last list that was right, as
 * it came. A file that is damaged is none.
 */
typedef struct {
  gint64 asked;
  char *list; /* or NULL */
  gsize length;
} State;

static void
state_clear (State *self)
{
  g_free (self->list);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (State, state_clear)

static char *
state_path (void)
{
  return g_build_filename (g_get_user_data_dir (), "pteris", "versions", NULL);
}

static gint64
now (void)
{
  return g_get_real_time () / G_USEC_PER_SEC;
}

static State
state_load (void)
{
  g_autofree char *path = state_path ();
  gsize length = 0, word = strlen (FIRST_WORD);
  g_autofree char *text = pt_text_load (path, PT_VERSION_LIST_MAX + 64, &length, NULL);
  const char *end = text != NULL ? memchr (text, '\n', length) : NULL;
  State self = { 0 };
  g_autofree char *digits = NULL;
  guint64 asked;

  if (end == NULL || !g_str_has_prefix (text, FIRST_WORD))
    return self;
  digits = g_strndup (text + word, (gsize) (end - text) - word);
  if (!g_ascii_string_to_unsigned (digits, 10, 1, G_MAXINT64, &asked, NULL))
    return self;
  self.asked = (gint64) asked;
  self.length = length - (gsize) (end + 1 - text);
  if (self.length > 0)
    self.list = g_memdup2 (end + 1, self.length);
  return self;
}

static gboolean
state_save (const State *self, GError **error)
{
  g_autofree char *path = state_path ();
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) cause = NULL;

  g_string_printf (text, FIRST_WORD "%" G_GINT64_FORMAT "\n", self->asked);
  g_string_append_len (text, self->list, (gssize) self->length);
  if (g_mkdir_with_parents (folder, 0700) == 0 &&
      g_file_set_contents_full (path, text->str, (gssize) text->len, G_FILE_SET_CONTENTS_CONSISTENT,
                                0600, &cause))
    return TRUE;
  return pt_fail (error, PT_ERROR_FILE,
                  "“%s” cannot be written: %s. Updates are not checked for until it can.", path,
                  cause != NULL ? cause->message : g_strerror (errno));
}

/* ---- what was seen ---- */

gint64
pt_update_last_time (void)
{
  g_auto (State) state = state_load ();

  return state.asked;
}

gboolean
pt_update_is_due (void)
{
  gint64 asked = pt_update_last_time (), time = now ();

  /* A time to come was written when the clock was wrong. */
  return asked > time || time - asked >= DAY_S;
}

static PtUpdate *
known (const State *state, const PtUpdateSource *source, const char *current, GError **error)
{
  return state->list != NULL
             ? pt_version_list_read (state->list, state->length, &source->key, current, error)
             : NULL;
}

PtUpdate *
pt_update_known (GError **error)
{
  g_autoptr (PtUpdateSource) source = pt_update_source_new (error);
  g_auto (State) state = state_load ();

  return source != NULL ? known (&state, source, PTERIS_VERSION, error) : NULL;
}

/* ---- asking ---- */

/* An older list may lack a version that mends something. */
static gboolean
check_age (const PtUpdate *update, const State *state, const PtUpdateSource *source,
           const char *current, GError **error)
{
  g_autoptr (PtUpdate) seen = known (state, source, current, NULL);
  g_autoptr (GDateTime) time = NULL;
  g_autofree char *text = NULL;

  if (seen == NULL || update->issued >= seen->issued)
    return TRUE;
  time = g_date_time_new_from_unix_utc (seen->issued);
  text = time != NULL ? g_date_time_format (time, "%Y-%m-%d %H:%M UTC") : NULL;
  return pt_fail (error, PT_ERROR_DATA,
                  "The list of versions is older than one that was seen before (of %s), so it is "
                  "not used. Try again later, or in another network.",
                  text != NULL ? text : "a later time");
}

static PtUpdate *
ask (State *state, const PtUpdateSource *source, const char *current, PtUpdateTimes times,
     GCancellable *cancellable, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PtUpdate) update = NULL;

  /* Before the request, so that one that fails counts. */
  state->asked = now ();
  if (!state_save (state, error))
    return NULL;
  bytes = pt_update_request (source->address, PT_VERSION_LIST_MAX, times, cancellable, error);
  if (bytes == NULL)
    return NULL;
  update = pt_version_list_read (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes),
                                 &source->key, current, error);
  if (update == NULL || !check_age (update, state, source, current, error))
    return NULL;
  g_free (state->list);
  state->length = g_bytes_get_size (bytes);
  state->list = g_memdup2 (g_bytes_get_data (bytes, NULL), state->length);
  return state_save (state, error) ? g_steal_pointer (&update) : NULL;
}

PtUpdate *
pt_update_look_with (const char *current, PtUpdateTimes times, GCancellable *cancellable,
                     GError **error)
{
  g_autoptr (PtUpdateSource) source = pt_update_source_new (error);
  g_auto (State) state = state_load ();

  return source != NULL ? ask (&state, source, current, times, cancellable, error) : NULL;
}

PtUpdate *
pt_update_look (GCancellable *cancellable, GError **error)
{
  return pt_update_look_with (PTERIS_VERSION, PT_UPDATE_TIMES, cancellable, error);
}
