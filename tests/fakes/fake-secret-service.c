/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include <gio/gio.h>

/*
 * secret-service [OPTION...]: a Secret Service on the session's bus, for tests. It says "ready"
 * when it has its name, and ends with its standard input.
 *
 *   --locked           everything is locked; a dialog that somebody accepts at once unlocks it
 *   --dismissed        dialogs are dismissed
 *   --no-collection    there is no default collection before one is made, with a dialog
 *   --item HUB=SECRET  is kept from the start
 *   --damaged          answers have the wrong types
 */

#define PATH "/org/freedesktop/secrets"
#define SESSION PATH "/session/1"
#define DEFAULT PATH "/collection/default"
#define DIALOG PATH "/prompt/"

static const char XML[] =
    "<node>"
    "<interface name='org.freedesktop.Secret.Service'>"
    "<method name='OpenSession'><arg type='s' direction='in'/><arg type='v' direction='in'/>"
    "<arg type='v' direction='out'/><arg type='o' direction='out'/></method>"
    "<method name='SearchItems'><arg type='a{ss}' direction='in'/>"
    "<arg type='ao' direction='out'/><arg type='ao' direction='out'/></method>"
    "<method name='Unlock'><arg type='ao' direction='in'/>"
    "<arg type='ao' direction='out'/><arg type='o' direction='out'/></method>"
    "<method name='ReadAlias'><arg type='s' direction='in'/><arg type='o' "
    "direction='out'/></method>"
    "<method name='CreateCollection'><arg type='a{sv}' direction='in'/><arg type='s' "
    "direction='in'/>"
    "<arg type='o' direction='out'/><arg type='o' direction='out'/></method>"
    "</interface>"
    "<interface name='org.freedesktop.Secret.Session'><method name='Close'/></interface>"
    "<interface name='org.freedesktop.Secret.Collection'>"
    "<method name='CreateItem'><arg type='a{sv}' direction='in'/><arg type='(oayays)' "
    "direction='in'/>"
    "<arg type='b' direction='in'/><arg type='o' direction='out'/><arg type='o' direction='out'/>"
    "</method></interface>"
    "<interface name='org.freedesktop.Secret.Item'>"
    "<method name='GetSecret'><arg type='o' direction='in'/><arg type='(oayays)' direction='out'/>"
    "</method>"
    "<method name='Delete'><arg type='o' direction='out'/></method>"
    "<property name='Attributes' type='a{ss}' access='read'/></interface>"
    "<interface name='org.freedesktop.Secret.Prompt'>"
    "<method name='Prompt'><arg type='s' direction='in'/></method>"
    "<signal name='Completed'><arg type='b'/><arg type='v'/></signal></interface>"
    "</node>";

typedef struct {
  char *hub, *path;
  GBytes *secret;
  guint id;
} Item;

static gboolean locked, dismissed, no_collection, damaged;
static char **first_items;
static GDBusNodeInfo *node;
static GPtrArray *items;
static guint n_made, n_dialogs;
static GMainLoop *loop;

/* What the next dialog does when somebody accepts it. */
static gboolean dialog_makes_collection;

static void add_item (GDBusConnection *bus, const char *hub, gconstpointer bytes, gsize length);

/* A dialog that is answered when it is shown. */
static char *
new_dialog (void)
{
  return g_strdup_printf (DIALOG "%u", ++n_dialogs);
}

static void
show_dialog (GDBusConnection *bus, const char *path)
{
  GVariant *result = g_variant_new_string ("");

  if (!dismissed && dialog_makes_collection) {
    no_collection = FALSE;
    result = g_variant_new_object_path (DEFAULT);
  }
  locked = locked && dismissed;
  dialog_makes_collection = FALSE;
  g_dbus_connection_emit_signal (bus, NULL, path, "org.freedesktop.Secret.Prompt", "Completed",
                                 g_variant_new ("(bv)", dismissed, result), NULL);
}

static GVariant *
search (GVariant *arguments)
{
  g_autoptr (GVariant) wanted = g_variant_get_child_value (arguments, 0);
  GVariantBuilder found, none;
  const char *hub = NULL;

  g_variant_lookup (wanted, "hub", "&s", &hub);
  g_variant_builder_init (&found, G_VARIANT_TYPE ("ao"));
  g_variant_builder_init (&none, G_VARIANT_TYPE ("ao"));
  for (guint i = 0; i < items->len; i++) {
    const Item *item = items->pdata[i];

    if (hub == NULL || g_str_equal (hub, item->hub))
      g_variant_builder_add (&found, "o", item->path);
  }
  return g_variant_new ("(aoao)", locked ? &none : &found, locked ? &found : &none);
}

static GVariant *
unlock (GVariant *arguments)
{
  g_autoptr (GVariant) paths = g_variant_get_child_value (arguments, 0);
  g_autofree char *dialog = locked ? new_dialog () : g_strdup ("/");

  return g_variant_new ("(@aoo)", locked ? g_variant_new ("ao", NULL) : paths, dialog);
}

static GVariant *
make_collection (void)
{
  g_autofree char *dialog = new_dialog ();

  dialog_makes_collection = TRUE;
  return g_variant_new ("(oo)", "/", dialog);
}

static GVariant *
make_item (GDBusConnection *bus, GVariant *arguments)
{
  g_autoptr (GVariant) properties = NULL, attributes = NULL, bytes = NULL;
  const char *hub = "";
  gconstpointer data;
  gsize length;

  g_variant_get (arguments, "(@a{sv}(oay@ays)b)", &properties, NULL, NULL, &bytes, NULL, NULL);
  attributes = g_variant_lookup_value (properties, "org.freedesktop.Secret.Item.Attributes",
                                       G_VARIANT_TYPE ("a{ss}"));
  g_variant_lookup (attributes, "hub", "&s", &hub);
  data = g_variant_get_fixed_array (bytes, &length, 1);
  for (guint i = 0; i < items->len; i++) {
    Item *item = items->pdata[i];

    if (g_str_equal (item->hub, hub)) {
      g_bytes_unref (item->secret);
      item->secret = g_bytes_new (data, length);
      return g_variant_new ("(oo)", item->path, "/");
    }
  }
  add_item (bus, hub, data, length);
  return g_variant_new ("(oo)", ((Item *) g_ptr_array_index (items, items->len - 1))->path, "/");
}

static GVariant *
give_secret (const Item *item)
{
  gsize length;
  gconstpointer data = g_bytes_get_data (item->secret, &length);

  return g_variant_new (
      "((o@ay@ays))", SESSION, g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, "", 0, 1),
      g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, data, length, 1), "text/plain");
}

static GVariant *
delete_item (GDBusConnection *bus, Item *item)
{
  g_dbus_connection_unregister_object (bus, item->id);
  g_ptr_array_remove (items, item);
  return g_variant_new ("(o)", "/");
}

static GVariant *
answer (GDBusConnection *bus, const char *path, const char *method, GVariant *arguments, Item *item)
{
  if (g_str_equal (method, "OpenSession"))
    return g_variant_new ("(vo)", g_variant_new_string (""), SESSION);
  if (g_str_equal (method, "SearchItems"))
    return search (arguments);
  if (g_str_equal (method, "Unlock"))
    return unlock (arguments);
  if (g_str_equal (method, "ReadAlias"))
    return g_variant_new ("(o)", no_collection ? "/" : DEFAULT);
  if (g_str_equal (method, "CreateCollection"))
    return make_collection ();
  if (locked && !g_str_equal (method, "Close") && !g_str_equal (method, "Prompt"))
    return NULL;
  if (g_str_equal (method, "CreateItem"))
    return make_item (bus, arguments);
  if (g_str_equal (method, "GetSecret"))
    return give_secret (item);
  if (g_str_equal (method, "Delete"))
    return delete_item (bus, item);
  if (g_str_equal (method, "Prompt"))
    show_dialog (bus, path);
  return g_variant_new ("()");
}

static void
on_call (GDBusConnection *bus, const char *sender, const char *path, const char *interface,
         const char *method, GVariant *arguments, GDBusMethodInvocation *call, gpointer user_data)
{
  GVariant *value;

  if (damaged && !g_str_equal (method, "OpenSession")) {
    /* GDBus checks what is returned in the usual way. */
    g_autoptr (GDBusMessage) message =
        g_dbus_message_new_method_reply (g_dbus_method_invocation_get_message (call));

    g_dbus_message_set_body (message, g_variant_new ("(u)", 7u));
    g_dbus_connection_send_message (bus, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, NULL, NULL);
    g_object_unref (call);
    return;
  }
  value = answer (bus, path, method, arguments, user_data);
  if (value != NULL)
    g_dbus_method_invocation_return_value (call, value);
  else
    g_dbus_method_invocation_return_dbus_error (call, "org.freedesktop.Secret.Error.IsLocked", "");
}

static GVariant *
on_get (GDBusConnection *bus, const char *sender, const char *path, const char *interface,
        const char *property, GError **error, gpointer user_data)
{
  const Item *item = user_data;
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{ss}"));
  g_variant_builder_add (&builder, "{ss}", "hub", item->hub);
  return g_variant_builder_end (&builder);
}

static guint
put (GDBusConnection *bus, const char *path, const char *interface, gpointer user_data)
{
  static const GDBusInterfaceVTable TABLE = { on_call, on_get, NULL, { NULL } };

  return g_dbus_connection_register_object (bus, path,
                                            g_dbus_node_info_lookup_interface (node, interface),
                                            &TABLE, user_data, NULL, NULL);
}

static void
add_item (GDBusConnection *bus, const char *hub, gconstpointer bytes, gsize length)
{
  Item *item = g_new0 (Item, 1);

  item->hub = g_strdup (hub);
  item->path = g_strdup_printf (DEFAULT "/%u", ++n_made);
  item->secret = g_bytes_new (bytes, length);
  item->id = put (bus, item->path, "org.freedesktop.Secret.Item", item);
  g_ptr_array_add (items, item);
}

static void
on_bus (GDBusConnection *bus, const char *name, gpointer user_data)
{
  put (bus, PATH, "org.freedesktop.Secret.Service", NULL);
  put (bus, SESSION, "org.freedesktop.Secret.Session", NULL);
  put (bus, DEFAULT, "org.freedesktop.Secret.Collection", NULL);
  for (guint i = 1; i <= 20; i++) {
    g_autofree char *path = g_strdup_printf (DIALOG "%u", i);

    put (bus, path, "org.freedesktop.Secret.Prompt", NULL);
  }
  for (char **at = first_items; at != NULL && *at != NULL; at++) {
    g_auto (GStrv) parts = g_strsplit (*at, "=", 2);

    add_item (bus, parts[0], parts[1], strlen (parts[1]));
  }
}

static void
on_name (GDBusConnection *bus, const char *name, gpointer user_data)
{
  puts ("ready");
  fflush (stdout);
}

static void
on_lost (GDBusConnection *bus, const char *name, gpointer user_data)
{
  g_main_loop_quit (loop);
}

static gboolean
on_end (GIOChannel *channel, GIOCondition condition, gpointer user_data)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  const GOptionEntry entries[] = {
    { "locked", 0, 0, G_OPTION_ARG_NONE, &locked, NULL, NULL },
    { "dismissed", 0, 0, G_OPTION_ARG_NONE, &dismissed, NULL, NULL },
    { "no-collection", 0, 0, G_OPTION_ARG_NONE, &no_collection, NULL, NULL },
    { "damaged", 0, 0, G_OPTION_ARG_NONE, &damaged, NULL, NULL },
    { "item", 0, 0, G_OPTION_ARG_STRING_ARRAY, &first_items, NULL, NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GIOChannel) input = g_io_channel_unix_new (0);

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, NULL))
    return 2;
  items = g_ptr_array_new ();
  node = g_dbus_node_info_new_for_xml (XML, NULL);
  loop = g_main_loop_new (NULL, FALSE);
  g_io_add_watch (input, G_IO_HUP | G_IO_ERR | G_IO_IN, on_end, NULL);
  g_bus_own_name (G_BUS_TYPE_SESSION, "org.freedesktop.secrets", G_BUS_NAME_OWNER_FLAGS_NONE,
                  on_bus, on_name, on_lost, NULL, NULL);
  g_main_loop_run (loop);
  return 0;
}
