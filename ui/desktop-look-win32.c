/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/desktop-look.h"

#include <windows.h>

/* A change of the theme writes several values; they are read when it is over. */
#define SETTLE_MS 200
/* The size of Segoe UI in messages, in points, and what the setting goes up to, in percent. */
#define MESSAGE_POINTS 9.0
#define MAX_PERCENT 225

#define THEME_KEY L"Software\\Microsoft\\Windows\\CurrentVersion\\Themes\\Personalize"
#define COLOUR_KEY L"Software\\Microsoft\\Windows\\DWM"
#define TEXT_KEY L"Software\\Microsoft\\Accessibility"

static gboolean
read_number (const wchar_t *key, const wchar_t *name, DWORD *value)
{
  DWORD size = sizeof *value;

  return RegGetValueW (HKEY_CURRENT_USER, key, name, RRF_RT_REG_DWORD, NULL, value, &size) ==
         ERROR_SUCCESS;
}

double
_pteris_desktop_look_text_scale (guint percent, double points)
{
  double wanted = CLAMP (percent, 100, MAX_PERCENT) / 100.0;
  double grown = points > MESSAGE_POINTS ? points / MESSAGE_POINTS : 1;

  /* Some builds let the message font grow with the setting, and GTK takes that font. */
  return MAX (wanted / grown, 1);
}

double
_pteris_desktop_look_rest (guint dpi)
{
  guint whole = MAX (dpi / USER_DEFAULT_SCREEN_DPI, 1);

  return MAX ((double) dpi / (whole * USER_DEFAULT_SCREEN_DPI), 1);
}

/* Of the monitor with the active window; before the first one, of the whole system. */
static guint
get_dpi (void)
{
  HWND window = GetActiveWindow ();

  return window != NULL ? GetDpiForWindow (window) : GetDpiForSystem ();
}

/* The size in points of the font that GTK takes from Windows. */
static double
message_points (void)
{
  NONCLIENTMETRICSW metrics = { .cbSize = sizeof metrics };
  HDC screen = GetDC (NULL);
  int dpi = screen != NULL ? GetDeviceCaps (screen, LOGPIXELSY) : 96;

  if (screen != NULL)
    ReleaseDC (NULL, screen);
  if (dpi <= 0 || !SystemParametersInfoW (SPI_GETNONCLIENTMETRICS, sizeof metrics, &metrics, 0))
    return MESSAGE_POINTS;
  return ABS (metrics.lfMessageFont.lfHeight) * 72.0 / dpi;
}

void
pteris_desktop_look_read (PterisDesktopLook *look)
{
  DWORD value;

  *look = (PterisDesktopLook){ .text_scale = 1 };
  if (read_number (THEME_KEY, L"AppsUseLightTheme", &value))
    look->dark = value == 0;
  /* 0xAABBGGRR */
  if (read_number (COLOUR_KEY, L"AccentColor", &value)) {
    look->has_accent = TRUE;
    look->accent = (value & 0xff) << 16 | (value & 0xff00) | (value >> 16 & 0xff);
  }
  if (read_number (TEXT_KEY, L"TextScaleFactor", &value))
    look->text_scale = _pteris_desktop_look_text_scale (value, message_points ());
  look->text_scale *= _pteris_desktop_look_rest (get_dpi ());
}

/* ---- changes ---- */

typedef struct {
  GSource parent;
  HKEY key;
  GPollFD changed; /* the handle of an event */
} WatchSource;

static void
expect_change (WatchSource *watch)
{
  RegNotifyChangeKeyValue (watch->key, TRUE, REG_NOTIFY_CHANGE_LAST_SET | REG_NOTIFY_CHANGE_NAME,
                           (HANDLE) watch->changed.fd, TRUE);
}

static gboolean
watch_dispatch (GSource *source, GSourceFunc func, gpointer user_data)
{
  WatchSource *watch = (WatchSource *) source;

  expect_change (watch);
  func (user_data);
  return G_SOURCE_CONTINUE;
}

static gboolean
watch_check (GSource *source)
{
  return (((WatchSource *) source)->changed.revents & G_IO_IN) != 0;
}

static void
watch_finalize (GSource *source)
{
  WatchSource *watch = (WatchSource *) source;

  RegCloseKey (watch->key);
  CloseHandle ((HANDLE) watch->changed.fd);
}

typedef struct {
  void (*func) (gpointer object);
  GWeakRef object;
  guint settling; /* a timeout's id, or 0 */
} Listener;

static void
listener_free (gpointer data)
{
  Listener *listener = data;

  g_clear_handle_id (&listener->settling, g_source_remove);
  g_weak_ref_clear (&listener->object);
  g_free (listener);
}

static gboolean
on_settled (gpointer data)
{
  Listener *listener = data;
  g_autoptr (GObject) object = g_weak_ref_get (&listener->object);

  listener->settling = 0;
  if (object != NULL)
    listener->func (object);
  return G_SOURCE_REMOVE;
}

static gboolean
on_changed (gpointer data)
{
  Listener *listener = data;

  if (listener->settling == 0)
    listener->settling = g_timeout_add (SETTLE_MS, on_settled, listener);
  return G_SOURCE_CONTINUE;
}

/* @name: of the object's data that ends the watch. */
static void
watch_key (const wchar_t *path, const char *name, void (*func) (gpointer), gpointer object)
{
  static GSourceFuncs funcs = { NULL, watch_check, watch_dispatch, watch_finalize };
  Listener *listener;
  WatchSource *watch;
  GSource *source;
  HKEY key;

  if (RegOpenKeyExW (HKEY_CURRENT_USER, path, 0, KEY_NOTIFY, &key) != ERROR_SUCCESS)
    return;
  source = g_source_new (&funcs, sizeof (WatchSource));
  watch = (WatchSource *) source;
  watch->key = key;
  watch->changed.fd = (gint64) CreateEventW (NULL, FALSE, FALSE, NULL);
  watch->changed.events = G_IO_IN;
  g_source_add_poll (source, &watch->changed);
  listener = g_new0 (Listener, 1);
  listener->func = func;
  g_weak_ref_init (&listener->object, object);
  g_source_set_callback (source, on_changed, listener, listener_free);
  expect_change (watch);
  g_object_set_data_full (object, name, source, (GDestroyNotify) g_source_destroy);
  g_source_attach (source, NULL);
  g_source_unref (source);
}

void
pteris_desktop_look_watch (void (*func) (gpointer object), gpointer object)
{
  watch_key (THEME_KEY, "pteris-watch-theme", func, object);
  watch_key (COLOUR_KEY, "pteris-watch-colour", func, object);
  watch_key (TEXT_KEY, "pteris-watch-text", func, object);
}
