/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-update.h"

FakeUpdate fake_update;

void
pt_update_free (PtUpdate *update)
{
  if (update == NULL)
    return;
  g_free (update->newest);
  g_free (update);
}

static PtUpdate *
make (const char *newest)
{
  PtUpdate *update = g_new0 (PtUpdate, 1);

  update->current = (char *) g_intern_string ("0.2.0");
  update->newest = g_strdup (newest);
  update->date = (char *) g_intern_string ("2027-01-15");
  update->page = (char *) g_intern_string ("https://pteris.example/download");
  update->is_newer = g_strcmp0 (newest, "0.2.0") != 0;
  return update;
}

gboolean
pt_update_is_possible (void)
{
  return fake_update.host != NULL;
}

char *
pt_update_host (void)
{
  return g_strdup (fake_update.host);
}

gint64
pt_update_last_time (void)
{
  return fake_update.known != NULL || g_atomic_int_get (&fake_update.requests) > 0 ? 1800000000 : 0;
}

gboolean
pt_update_is_due (void)
{
  return fake_update.due;
}

PtUpdate *
pt_update_known (GError **error)
{
  return fake_update.known != NULL ? make (fake_update.known) : NULL;
}

PtUpdate *
pt_update_look (GCancellable *cancellable, GError **error)
{
  while (g_atomic_int_get (&fake_update.held) != 0)
    g_usleep (1000);
  fake_update.due = FALSE;
  g_atomic_int_inc (&fake_update.requests);
  if (fake_update.newest != NULL)
    return make (fake_update.newest);
  g_set_error_literal (error, PT_ERROR, PT_ERROR_NETWORK, "The server cannot be reached.");
  return NULL;
}
