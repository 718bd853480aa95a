/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the command line has no words for, asked of the hub of server.py:
 *
 *     client search TEXT     ids that are found, page after page
 *     client stop ID         stops while the hub says nothing: milliseconds until that has effect
 *     client stall ID        the error of a hub that says nothing, with short times
 *     client progress ID     checks what a download tells
 *     client update SECONDS  the error of a list of versions that takes longer, with short times
 */

#include <stdio.h>
#include <string.h>
#include <pteris/hub.h>

#include "engine/hub/hub-api.h"
#include "engine/update/update-source.h"

static int
fail (const GError *error)
{
  fprintf (stderr, "%s: %s\n", pt_error_name ((PtError) error->code), error->message);
  return 1;
}

static int
search (const char *text)
{
  g_autofree char *page = NULL;

  do {
    PtHubQuery query = { .text = text, .limit = 2, .page = page };
    g_autoptr (GError) error = NULL;
    g_autoptr (PtHubHits) hits = pt_hub_search (&query, NULL, NULL, &error);

    if (hits == NULL)
      return fail (error);
    for (guint i = 0; i < hits->n_hits; i++)
      puts (hits->hits[i].id);
    g_free (page);
    page = g_steal_pointer (&hits->next);
  } while (page != NULL);
  return 0;
}

/* ---- stopping ---- */

#define STOP_AFTER_MS 300

typedef struct {
  GCancellable *cancellable;
  gint64 time;
} Stop;

static gpointer
stop_later (gpointer data)
{
  Stop *self = data;

  g_usleep (STOP_AFTER_MS * 1000);
  self->time = g_get_monotonic_time ();
  g_cancellable_cancel (self->cancellable);
  return NULL;
}

static int
stop (const char *id)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  Stop self = { cancellable, 0 };
  GThread *thread = g_thread_new ("stop", stop_later, &self);
  g_autoptr (PtHubRepo) repo = pt_hub_look (id, NULL, NULL, cancellable, &error);
  g_autofree char *folder = NULL;

  if (repo != NULL)
    folder = pt_hub_get (repo, &repo->variants[0], NULL, NULL, NULL, cancellable, &error);
  g_thread_join (thread);
  printf ("%" G_GINT64_FORMAT "\n", (g_get_monotonic_time () - self.time) / 1000);
  return g_error_matches (error, PT_ERROR, PT_ERROR_CANCELLED) ? 0 : 1;
}

static int
stall (const char *id)
{
  PtHttpTimes times = { .connect_s = 60, .stall_s = 1, .pause_ms = 10, .patience_s = 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtHub) hub = pt_hub_open (NULL, times, NULL, &error);
  g_autoptr (PtHubRepo) repo = hub != NULL ? pt_hub_read_info (hub, id, NULL, NULL, &error) : NULL;

  return repo != NULL ? 0 : fail (error);
}

/* One of the two limits is short: bytes come late on a busy machine. */
static int
update (const char *seconds)
{
  guint whole_s = (guint) g_ascii_strtoull (seconds, NULL, 10);
  PtUpdateTimes times = {
    { .connect_s = 60, .stall_s = whole_s < 60 ? 60 : 1, .pause_ms = 10, .patience_s = 2 }, whole_s
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtUpdate) found = pt_update_look_with ("0.2.0", times, NULL, &error);

  return found != NULL ? 0 : fail (error);
}

/* ---- progress ---- */

typedef struct {
  PtHubProgress last;
  guint n;
} Told;

static void
on_progress (const PtHubProgress *progress, gpointer user_data)
{
  Told *told = user_data;

  g_assert_cmpuint (progress->bytes, <=, progress->total);
  g_assert_cmpuint (progress->n_done, <=, progress->n_files);
  g_assert_cmpfloat (progress->rate, >=, 0);
  if (told->last.phase == PT_HUB_DOWNLOADING && progress->phase == PT_HUB_DOWNLOADING)
    g_assert_cmpuint (progress->bytes, >=, told->last.bytes);
  told->last = *progress;
  told->last.file = NULL;
  told->n++;
}

static int
progress (const char *id)
{
  Told told = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtHubRepo) repo = pt_hub_look (id, NULL, NULL, NULL, &error);
  g_autofree char *folder = NULL;

  if (repo != NULL)
    folder = pt_hub_get (repo, &repo->variants[0], NULL, on_progress, &told, NULL, &error);
  if (folder == NULL)
    return fail (error);
  g_assert_cmpint (told.last.phase, ==, PT_HUB_INSTALLING);
  g_assert_cmpuint (told.last.bytes, ==, told.last.total);
  g_assert_cmpuint (told.last.n_done, ==, told.last.n_files);
  printf ("%u\n", told.n);
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc != 3)
    return 2;
  if (strcmp (argv[1], "search") == 0)
    return search (argv[2]);
  if (strcmp (argv[1], "stop") == 0)
    return stop (argv[2]);
  if (strcmp (argv[1], "stall") == 0)
    return stall (argv[2]);
  if (strcmp (argv[1], "progress") == 0)
    return progress (argv[2]);
  if (strcmp (argv[1], "update") == 0)
    return update (argv[2]);
  return 2;
}
