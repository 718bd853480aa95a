/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/settings.h"

static GSettings *
get (void)
{
  static GSettings *settings;
  static gboolean opened;

  if (!opened)
    settings = _pteris_settings_open ();
  opened = TRUE;
  return settings;
}

char *
pteris_settings_get_string (const char *key)
{
  GSettings *settings = get ();
  g_autofree char *value = settings != NULL ? g_settings_get_string (settings, key) : NULL;

  return value != NULL && *value != '\0' ? g_steal_pointer (&value) : NULL;
}

void
pteris_settings_set_string (const char *key, const char *value)
{
  g_autofree char *old = pteris_settings_get_string (key);

  if (get () != NULL && g_strcmp0 (old, value) != 0)
    g_settings_set_string (get (), key, value != NULL ? value : "");
}

char **
pteris_settings_get_list (const char *key)
{
  return get () != NULL ? g_settings_get_strv (get (), key) : g_new0 (char *, 1);
}

static void
set_list (const char *key, GStrvBuilder *builder)
{
  g_auto (GStrv) list = g_strv_builder_end (builder);

  if (get () != NULL)
    g_settings_set_strv (get (), key, (const char *const *) list);
}

void
pteris_settings_set_list (const char *key, const char *const *values)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  g_strv_builder_addv (builder, (const char **) values);
  set_list (key, builder);
}

void
pteris_settings_add_to_list (const char *key, const char *value)
{
  g_auto (GStrv) list = pteris_settings_get_list (key);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (g_strv_contains ((const char *const *) list, value))
    return;
  g_strv_builder_addv (builder, (const char **) list);
  g_strv_builder_add (builder, value);
  set_list (key, builder);
}

void
pteris_settings_remove_from_list (const char *key, const char *value)
{
  g_auto (GStrv) list = pteris_settings_get_list (key);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (!g_strv_contains ((const char *const *) list, value))
    return;
  for (guint i = 0; list[i] != NULL; i++)
    if (g_strcmp0 (list[i], value) != 0)
      g_strv_builder_add (builder, list[i]);
  set_list (key, builder);
}

int
pteris_settings_get_int (const char *key)
{
  return get () != NULL ? g_settings_get_int (get (), key) : 0;
}

void
pteris_settings_set_int (const char *key, int value)
{
  if (get () != NULL && g_settings_get_int (get (), key) != value)
    g_settings_set_int (get (), key, value);
}

gboolean
pteris_settings_get_boolean (const char *key)
{
  return get () != NULL && g_settings_get_boolean (get (), key);
}

void
pteris_settings_set_boolean (const char *key, gboolean value)
{
  if (get () != NULL && g_settings_get_boolean (get (), key) != value)
    g_settings_set_boolean (get (), key, value);
}

int
pteris_settings_get_enum (const char *key)
{
  return get () != NULL ? g_settings_get_enum (get (), key) : 0;
}

void
pteris_settings_set_enum (const char *key, int value)
{
  if (get () != NULL && g_settings_get_enum (get (), key) != value)
    g_settings_set_enum (get (), key, value);
}

void
pteris_settings_bind (const char *key, gpointer object, const char *property)
{
  if (get () != NULL)
    g_settings_bind (get (), key, object, property, G_SETTINGS_BIND_DEFAULT);
}

void
pteris_settings_watch (const char *key, void (*func) (gpointer object), gpointer object)
{
  g_autofree char *signal = g_strconcat ("changed::", key, NULL);

  if (get () == NULL)
    return;
  /* GSettings only emits changes of keys that have been read. */
  g_variant_unref (g_settings_get_value (get (), key));
  g_signal_connect_object (get (), signal, G_CALLBACK (func), object, G_CONNECT_SWAPPED);
}
