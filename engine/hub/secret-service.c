/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/secret.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/stop-call.h"

/*
 * The Secret Service of the session (org.freedesktop.secrets), asked over D-Bus directly, so that
 * no library is needed where nobody has such a service. Secrets cross the bus of the session as
 * they are (session "plain"): who can listen there can ask the service itself.
 */

#define NAME "org.freedesktop.secrets"
#define PATH "/org/freedesktop/secrets"
#define SERVICE "org.freedesktop.Secret.Service"
#define COLLECTION "org.freedesktop.Secret.Collection"
#define ITEM "org.freedesktop.Secret.Item"
#define PROMPT "org.freedesktop.Secret.Prompt"
#define SCHEMA "org.pteris.Pteris.HubToken"
/* Of an answer that no person has to give, and of one that a person gives. */
#define CALL_MS (10 * 1000)
#define PERSON_S (5 * 60)
#define NOTHING "/"

typedef struct {
  GDBusConnection *bus;
  char *session;
  GMainContext *context; /* of this call: signals of dialogs arrive here */
  GCancellable *cancellable;
} Store;

static void
store_close (Store *self)
{
  if (self->bus != NULL && self->session != NULL)
    g_dbus_connection_call (self->bus, NAME, self->session, "org.freedesktop.Secret.Session",
                            "Close", NULL, NULL, G_DBUS_CALL_FLAGS_NO_AUTO_START, CALL_MS, NULL,
                            NULL, NULL);
  g_clear_object (&self->bus);
  g_free (self->session);
  g_main_context_pop_thread_default (self->context);
  g_main_context_unref (self->context);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Store, store_close)

/* ---- calls ---- */

/* Messages of the bus are about the bus; none holds a secret. */
static void
fail_call (const GError *cause, GError **error)
{
  g_autofree char *name = g_dbus_error_get_remote_error (cause);

  if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
  else if (g_error_matches (cause, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN) ||
           g_error_matches (cause, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER))
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "This session has no secret store. GNOME Keyring, KWallet or KeePassXC are such.");
  else
    pt_fail (error, PT_ERROR_FILE,
             "The secret store of this session does not answer as it should "
             "(%s). Try again, or restart the store.",
             name != NULL ? name : "no connection");
}

static GVariant *
call (Store *self, const char *path, const char *interface, const char *method, GVariant *arguments,
      const char *type, GError **error)
{
  g_autoptr (GError) cause = NULL;
  GVariant *answer = g_dbus_connection_call_sync (
      self->bus, NAME, path, interface, method, arguments, G_VARIANT_TYPE (type),
      G_DBUS_CALL_FLAGS_NONE, CALL_MS, self->cancellable, &cause);

  if (answer == NULL)
    fail_call (cause, error);
  return answer;
}

/* Without an address GLib may start a bus of its own, which nobody else knows. */
static gboolean
has_bus (void)
{
  g_autofree char *socket = g_build_filename (g_get_user_runtime_dir (), "bus", NULL);

  return g_getenv ("DBUS_SESSION_BUS_ADDRESS") != NULL || g_file_test (socket, G_FILE_TEST_EXISTS);
}

static Store *
store_open (GCancellable *cancellable, GError **error)
{
  g_autoptr (Store) self = g_new0 (Store, 1);
  g_autoptr (GVariant) answer = NULL;
  g_autoptr (GError) cause = NULL;

  self->context = g_main_context_new ();
  self->cancellable = cancellable;
  g_main_context_push_thread_default (self->context);
  if (has_bus ())
    self->bus = g_bus_get_sync (G_BUS_TYPE_SESSION, cancellable, &cause);
  if (self->bus == NULL) {
    pt_fail (error, PT_ERROR_UNSUPPORTED, "This session has no D-Bus, and so no secret store.");
    return NULL;
  }
  answer = call (self, PATH, SERVICE, "OpenSession",
                 g_variant_new ("(sv)", "plain", g_variant_new_string ("")), "(vo)", error);
  if (answer == NULL)
    return NULL;
  g_variant_get (answer, "(vo)", NULL, &self->session);
  return g_steal_pointer (&self);
}

/* ---- dialogs ---- */

typedef struct {
  gboolean is_done, is_dismissed;
  GVariant *result;
} Answer;

static void
on_completed (GDBusConnection *bus, const char *sender, const char *path, const char *interface,
              const char *signal, GVariant *parameters, gpointer user_data)
{
  Answer *answer = user_data;

  if (answer->is_done || !g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(bv)")))
    return;
  g_variant_get (parameters, "(bv)", &answer->is_dismissed, &answer->result);
  answer->is_done = TRUE;
}

static gboolean
dismiss (gpointer user_data)
{
  Answer *answer = user_data;

  answer->is_done = answer->is_dismissed = TRUE;
  return G_SOURCE_REMOVE;
}

/* Wait until a person answered the dialog @path of the store. @result (or NULL) gets its answer. */
static gboolean
ask_person (Store *self, const char *path, GVariant **result, GError **error)
{
  Answer answer = { FALSE };
  GSource *too_long = g_timeout_source_new_seconds (PERSON_S);
  g_autoptr (GVariant) begun = NULL;
  gulong stopped = pt_stop_call (self->cancellable, self->context, dismiss, &answer);
  guint id =
      g_dbus_connection_signal_subscribe (self->bus, NAME, PROMPT, "Completed", path, NULL,
                                          G_DBUS_SIGNAL_FLAGS_NONE, on_completed, &answer, NULL);

  g_source_set_callback (too_long, dismiss, &answer, NULL);
  g_source_attach (too_long, self->context);
  begun = call (self, path, PROMPT, "Prompt", g_variant_new ("(s)", ""), "()", error);
  while (begun != NULL && !answer.is_done)
    g_main_context_iteration (self->context, TRUE);
  g_dbus_connection_signal_unsubscribe (self->bus, id);
  g_cancellable_disconnect (self->cancellable, stopped);
  g_source_destroy (too_long);
  g_source_unref (too_long);
  if (begun != NULL && answer.is_dismissed)
    pt_fail (error, PT_ERROR_CANCELLED, "The secret store was not unlocked.");
  if (begun != NULL && !answer.is_dismissed && result != NULL)
    *result = g_variant_ref (answer.result);
  g_clear_pointer (&answer.result, g_variant_unref);
  return begun != NULL && !answer.is_dismissed;
}

/* Unlock the collection or the item @path, which may ask a person. */
static gboolean
unlock (Store *self, const char *path, GError **error)
{
  const char *const paths[] = { path, NULL };
  g_autoptr (GVariant) answer =
      call (self, PATH, SERVICE, "Unlock", g_variant_new ("(^ao)", paths), "(aoo)", error);
  const char *prompt;

  if (answer == NULL)
    return FALSE;
  g_variant_get (answer, "(ao&o)", NULL, &prompt);
  return g_str_equal (prompt, NOTHING) || ask_person (self, prompt, NULL, error);
}

/* ---- items ---- */

/* Attributes of the item for @origin; NULL: of all items. */
static GVariant *
attributes_of (const char *origin)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{ss}"));
  g_variant_builder_add (&builder, "{ss}", "xdg:schema", SCHEMA);
  if (origin != NULL)
    g_variant_builder_add (&builder, "{ss}", "hub", origin);
  return g_variant_builder_end (&builder);
}

/* Paths of items, those that are not locked first; @n_open (or NULL): how many those are. */
static GPtrArray *
search (Store *self, const char *origin, guint *n_open, GError **error)
{
  g_autoptr (GVariant) answer =
      call (self, PATH, SERVICE, "SearchItems", g_variant_new ("(@a{ss})", attributes_of (origin)),
            "(aoao)", error);
  g_autofree const char **open = NULL, **locked = NULL;
  GPtrArray *paths;

  if (answer == NULL)
    return NULL;
  g_variant_get (answer, "(^a&o^a&o)", &open, &locked);
  paths = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; open[i] != NULL; i++)
    g_ptr_array_add (paths, g_strdup (open[i]));
  if (n_open != NULL)
    *n_open = paths->len;
  for (guint i = 0; locked[i] != NULL; i++)
    g_ptr_array_add (paths, g_strdup (locked[i]));
  return paths;
}

static char *
read_secret (Store *self, const char *path, GError **error)
{
  g_autoptr (GVariant) answer = call (self, path, ITEM, "GetSecret",
                                      g_variant_new ("(o)", self->session), "((oayays))", error);
  g_autoptr (GVariant) value = NULL;
  gconstpointer bytes;
  gsize length = 0;

  if (answer == NULL)
    return NULL;
  g_variant_get (answer, "((oay@ays))", NULL, NULL, &value, NULL);
  bytes = g_variant_get_fixed_array (value, &length, 1);
  return g_strndup (bytes != NULL ? bytes : "", MIN (length, PT_MAX_TOKEN + 1));
}

/* The collection that new items belong to. Free with g_free(). */
static char *
default_collection (Store *self, GError **error)
{
  g_autoptr (GVariant) answer =
      call (self, PATH, SERVICE, "ReadAlias", g_variant_new ("(s)", "default"), "(o)", error);
  g_autoptr (GVariant) made = NULL, result = NULL;
  GVariantBuilder builder;
  char *path = NULL;
  const char *prompt;

  if (answer == NULL)
    return NULL;
  g_variant_get (answer, "(o)", &path);
  if (!g_str_equal (path, NOTHING))
    return path;
  g_free (path);
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{sv}"));
  g_variant_builder_add (&builder, "{sv}", COLLECTION ".Label", g_variant_new_string ("Default"));
  made = call (self, PATH, SERVICE, "CreateCollection",
               g_variant_new ("(a{sv}s)", &builder, "default"), "(oo)", error);
  if (made == NULL)
    return NULL;
  g_variant_get (made, "(o&o)", &path, &prompt);
  if (g_str_equal (prompt, NOTHING))
    return path;
  g_free (path);
  if (!ask_person (self, prompt, &result, error))
    return NULL;
  if (g_variant_is_of_type (result, G_VARIANT_TYPE_OBJECT_PATH))
    return g_variant_dup_string (result, NULL);
  pt_fail (error, PT_ERROR_FILE, "The secret store made no place for secrets. Restart it.");
  return NULL;
}

/* ---- what others call ---- */

gboolean
pt_secret_has_store (GCancellable *cancellable)
{
  g_autoptr (Store) store = store_open (cancellable, NULL);

  return store != NULL;
}

char *
pt_secret_load (const char *origin, gboolean may_ask, GCancellable *cancellable, GError **error)
{
  g_autoptr (Store) store = store_open (cancellable, error);
  guint n_open = 0;
  g_autoptr (GPtrArray) paths = store != NULL ? search (store, origin, &n_open, error) : NULL;

  if (paths == NULL || paths->len == 0 || (n_open == 0 && !may_ask))
    return NULL;
  if (n_open == 0 && !unlock (store, paths->pdata[0], error))
    return NULL;
  return read_secret (store, paths->pdata[0], error);
}

static GVariant *
new_item (Store *store, const char *origin, const char *secret)
{
  g_autofree char *label = strcmp (origin, PT_SECRET_OF_SERVER) == 0
                               ? g_strdup ("Pteris: key of the server")
                               : g_strdup_printf ("Pteris: access token of %s", origin);
  GVariant *bytes = g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, secret, strlen (secret), 1);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{sv}"));
  g_variant_builder_add (&builder, "{sv}", ITEM ".Label", g_variant_new_string (label));
  g_variant_builder_add (&builder, "{sv}", ITEM ".Attributes", attributes_of (origin));
  return g_variant_new ("(a{sv}(o@ay@ays)b)", &builder, store->session,
                        g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, "", 0, 1), bytes,
                        "text/plain", TRUE);
}

gboolean
pt_secret_keep (const char *origin, const char *secret, GCancellable *cancellable, GError **error)
{
  g_autoptr (Store) store = store_open (cancellable, error);
  g_autofree char *collection = store != NULL ? default_collection (store, error) : NULL;
  g_autoptr (GVariant) answer = NULL;
  const char *prompt;

  if (collection == NULL || !unlock (store, collection, error))
    return FALSE;
  answer = call (store, collection, COLLECTION, "CreateItem", new_item (store, origin, secret),
                 "(oo)", error);
  if (answer == NULL)
    return FALSE;
  g_variant_get (answer, "(o&o)", NULL, &prompt);
  return g_str_equal (prompt, NOTHING) || ask_person (store, prompt, NULL, error);
}

static gboolean
delete_item (Store *store, const char *path, GError **error)
{
  g_autoptr (GVariant) answer = call (store, path, ITEM, "Delete", NULL, "(o)", error);
  const char *prompt;

  if (answer == NULL)
    return FALSE;
  g_variant_get (answer, "(&o)", &prompt);
  return g_str_equal (prompt, NOTHING) || ask_person (store, prompt, NULL, error);
}

gboolean
pt_secret_forget (const char *origin, GCancellable *cancellable, GError **error)
{
  g_autoptr (Store) store = store_open (cancellable, error);
  guint n_open = 0;
  g_autoptr (GPtrArray) paths = store != NULL ? search (store, origin, &n_open, error) : NULL;

  for (guint i = 0; paths != NULL && i < paths->len; i++)
    if ((i >= n_open && !unlock (store, paths->pdata[i], error)) ||
        !delete_item (store, paths->pdata[i], error))
      return FALSE;
  return paths != NULL;
}

/* The origin that the item @path belongs to; free with g_free(). NULL: it is gone, or has none. */
static char *
origin_of (Store *store, const char *path)
{
  g_autoptr (GVariant) answer = call (store, path, "org.freedesktop.DBus.Properties", "Get",
                                      g_variant_new ("(ss)", ITEM, "Attributes"), "(v)", NULL);
  g_autoptr (GVariant) value = NULL;
  const char *origin = NULL;

  if (answer == NULL)
    return NULL;
  g_variant_get (answer, "(v)", &value);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE ("a{ss}")))
    g_variant_lookup (value, "hub", "&s", &origin);
  return g_strdup (origin);
}

char **
pt_secret_list (GCancellable *cancellable, GError **error)
{
  g_autoptr (GStrvBuilder) origins = g_strv_builder_new ();
  g_autoptr (Store) store = store_open (cancellable, error);
  g_autoptr (GPtrArray) paths = store != NULL ? search (store, NULL, NULL, error) : NULL;

  if (paths == NULL)
    return NULL;
  for (guint i = 0; i < paths->len; i++) {
    g_autofree char *origin = origin_of (store, paths->pdata[i]);

    if (origin != NULL)
      g_strv_builder_add (origins, origin);
  }
  return g_strv_builder_end (origins);
}
