/* SPDX-License-Identifier: BSD-3-Clause */

/* What the window takes from the desktop, and shows outside of itself. */

#include <string.h>

#include <glib-object.h>

#include "ui/accent.h"
#include "ui/desktop-look.h"
#include "ui/window/taskbar.h"

#ifdef G_OS_WIN32
#include <windows.h>

#include "ui/window/notify-icon-win32.h"
#endif

static void
test_contrast (void)
{
  g_assert_cmpfloat_with_epsilon (pteris_accent_contrast (0, 0xffffff), 21, 1e-9);
  g_assert_cmpfloat_with_epsilon (pteris_accent_contrast (0xffffff, 0), 21, 1e-9);
  g_assert_cmpfloat_with_epsilon (pteris_accent_contrast (0x808080, 0x808080), 1, 1e-9);
  /* An example of the WCAG's working group. */
  g_assert_cmpfloat_with_epsilon (pteris_accent_contrast (0x767676, 0xffffff), 4.54, 0.005);
}

/* Every accent, in steps that end in neither 00 nor ff. */
static void
test_every_accent_can_be_read (void)
{
  for (guint r = 0; r < 256; r += 15)
    for (guint g = 0; g < 256; g += 15)
      for (guint b = 0; b < 256; b += 15) {
        guint32 accent = r << 16 | g << 8 | b;

        g_assert_cmpfloat (pteris_accent_contrast (pteris_accent_text (accent, FALSE), 0xffffff),
                           >=, 4.5);
        g_assert_cmpfloat (pteris_accent_contrast (pteris_accent_text (accent, TRUE), 0x383838), >=,
                           4.5);
        g_assert_cmpfloat (pteris_accent_contrast (pteris_accent_label (accent), accent), >=, 4.5);
      }
}

static void
test_accent_that_can_be_read_stays (void)
{
  g_autofree char *css = pteris_accent_css (0x0067c0, FALSE);

  /* Windows 11's own. */
  g_assert_cmphex (pteris_accent_text (0x0067c0, FALSE), ==, 0x0067c0);
  g_assert_cmphex (pteris_accent_label (0x0067c0), ==, 0xffffff);
  g_assert_cmphex (pteris_accent_label (0xffb900), ==, 0x000000);
  g_assert_nonnull (strstr (css, "accent_bg_color #0067c0;"));
  g_assert_nonnull (strstr (css, "accent_fg_color #ffffff;"));
  g_assert_nonnull (strstr (css, "accent_color #0067c0;"));
}

static void
test_progress (void)
{
  static const double some[] = { 0.25, 0.75 }, more[] = { 0.5, 2 }, unknown[] = { 0.5, -1, 0.5 };

  g_assert_cmpfloat (pteris_taskbar_combine (NULL, 0), ==, PTERIS_TASKBAR_IDLE);
  g_assert_cmpfloat (pteris_taskbar_combine (some, 2), ==, 0.5);
  g_assert_cmpfloat (pteris_taskbar_combine (more, 2), ==, 0.75);
  g_assert_cmpfloat (pteris_taskbar_combine (unknown, 3), ==, PTERIS_TASKBAR_UNKNOWN);
}

#ifdef G_OS_WIN32

/* ---- Windows: over a registry of its own ---- */

typedef struct {
  HKEY root;
} Registry;

#define ROOT L"Software\\Pteris-test-desktop"

static void
begin (Registry *registry, gconstpointer data)
{
  RegDeleteTreeW (HKEY_CURRENT_USER, ROOT);
  g_assert_cmpint (RegCreateKeyExW (HKEY_CURRENT_USER, ROOT, 0, NULL, 0, KEY_ALL_ACCESS, NULL,
                                    &registry->root, NULL),
                   ==, ERROR_SUCCESS);
  g_assert_cmpint (RegOverridePredefKey (HKEY_CURRENT_USER, registry->root), ==, ERROR_SUCCESS);
}

static void
end (Registry *registry, gconstpointer data)
{
  RegOverridePredefKey (HKEY_CURRENT_USER, NULL);
  RegCloseKey (registry->root);
  RegDeleteTreeW (HKEY_CURRENT_USER, ROOT);
}

static void
set (const wchar_t *key, const wchar_t *name, DWORD value)
{
  HKEY handle;

  g_assert_cmpint (
      RegCreateKeyExW (HKEY_CURRENT_USER, key, 0, NULL, 0, KEY_ALL_ACCESS, NULL, &handle, NULL), ==,
      ERROR_SUCCESS);
  g_assert_cmpint (RegSetValueExW (handle, name, 0, REG_DWORD, (const BYTE *) &value, sizeof value),
                   ==, ERROR_SUCCESS);
  RegCloseKey (handle);
}

#define THEME L"Software\\Microsoft\\Windows\\CurrentVersion\\Themes\\Personalize"

static void
test_nothing_set (Registry *registry, gconstpointer data)
{
  PterisDesktopLook look = { TRUE, TRUE, 1, 5 };

  pteris_desktop_look_read (&look);
  g_assert_false (look.dark);
  g_assert_false (look.has_accent);
  g_assert_cmpfloat (look.text_scale, ==, _pteris_desktop_look_rest (GetDpiForSystem ()));
}

static void
test_all_set (Registry *registry, gconstpointer data)
{
  PterisDesktopLook look;

  set (THEME, L"AppsUseLightTheme", 0);
  set (L"Software\\Microsoft\\Windows\\DWM", L"AccentColor", 0xff112233);
  set (L"Software\\Microsoft\\Accessibility", L"TextScaleFactor", 150);
  pteris_desktop_look_read (&look);
  g_assert_true (look.dark);
  g_assert_true (look.has_accent);
  /* The registry has red last. */
  g_assert_cmphex (look.accent, ==, 0x332211);
  g_assert_cmpfloat (look.text_scale, >, 1);
  g_assert_cmpfloat (look.text_scale, <=, 1.5 * _pteris_desktop_look_rest (GetDpiForSystem ()));
  set (THEME, L"AppsUseLightTheme", 1);
  pteris_desktop_look_read (&look);
  g_assert_false (look.dark);
}

static void
count (gpointer object)
{
  guint *n = g_object_get_data (object, "count");

  (*n)++;
}

static void
test_change (Registry *registry, gconstpointer data)
{
  GObject *object = g_object_new (G_TYPE_OBJECT, NULL);
  guint n = 0;

  g_object_set_data (object, "count", &n);
  set (THEME, L"AppsUseLightTheme", 1);
  pteris_desktop_look_watch (count, object);
  set (THEME, L"AppsUseLightTheme", 0);
  while (n == 0)
    g_main_context_iteration (NULL, TRUE);
  set (THEME, L"AppsUseLightTheme", 1);
  while (n < 2)
    g_main_context_iteration (NULL, TRUE);
  /* Nothing is called for an object that is gone. */
  g_object_unref (object);
  set (THEME, L"AppsUseLightTheme", 0);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (n, ==, 2);
}

static void
test_text_scale (void)
{
  g_assert_cmpfloat (_pteris_desktop_look_text_scale (0, 9), ==, 1);
  g_assert_cmpfloat (_pteris_desktop_look_text_scale (100, 9), ==, 1);
  g_assert_cmpfloat (_pteris_desktop_look_text_scale (150, 9), ==, 1.5);
  /* The font has grown already, in part or enough. */
  g_assert_cmpfloat (_pteris_desktop_look_text_scale (150, 12), ==, 1.125);
  g_assert_cmpfloat (_pteris_desktop_look_text_scale (150, 13.5), ==, 1);
  g_assert_cmpfloat (_pteris_desktop_look_text_scale (150, 20), ==, 1);
  /* Nonsense of the registry. */
  g_assert_cmpfloat (_pteris_desktop_look_text_scale (100000, 9), ==, 2.25);
  g_assert_cmpfloat (_pteris_desktop_look_text_scale (150, 0), ==, 1.5);
}

static void
test_monitor_scale (void)
{
  g_assert_cmpfloat (_pteris_desktop_look_rest (0), ==, 1);
  g_assert_cmpfloat (_pteris_desktop_look_rest (96), ==, 1);
  g_assert_cmpfloat (_pteris_desktop_look_rest (120), ==, 1.25);
  g_assert_cmpfloat (_pteris_desktop_look_rest (144), ==, 1.5);
  g_assert_cmpfloat (_pteris_desktop_look_rest (192), ==, 1);
  g_assert_cmpfloat (_pteris_desktop_look_rest (240), ==, 1.25);
}

/* Titles are cut, and an icon that is not there is not removed. */
static void
test_notification (void)
{
  g_autofree char *longest = g_strnfill (1000, 'x');
  GString *emoji = g_string_new ("x");

  for (guint i = 0; i < 200; i++)
    g_string_append (emoji, "🌿");
  pteris_notify_icon_hide ();
  g_assert_false (pteris_notify_icon_is_shown ());
  pteris_notify_icon_show ("Answer finished", NULL, "chat");
  pteris_notify_icon_show (longest, longest, "chat");
  pteris_notify_icon_show (emoji->str, emoji->str, "chat");
  pteris_notify_icon_hide ();
  g_assert_false (pteris_notify_icon_is_shown ());
  g_string_free (emoji, TRUE);
}

static gint n_freed;

static void
free_chat (gpointer chat)
{
  pteris_taskbar_chat_free (chat);
  g_atomic_int_inc (&n_freed);
}

/* Windows may refuse the list, as Wine does: what it was made of is freed anyway. */
static void
test_chats (void)
{
  GPtrArray *chats = g_ptr_array_new_with_free_func (free_chat);

  g_ptr_array_add (chats, pteris_taskbar_chat_new (1, "Ольга 🌿"));
  g_ptr_array_add (chats, pteris_taskbar_chat_new (G_MAXINT64, ""));
  pteris_taskbar_init ();
  pteris_taskbar_set_chats (chats);
  /* The thread may be the last to let go, of which the loop hears nothing. */
  while (g_atomic_int_get (&n_freed) < 2) {
    g_main_context_iteration (NULL, FALSE);
    g_usleep (1000);
  }
}

#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/desktop/contrast", test_contrast);
  g_test_add_func ("/desktop/accents", test_every_accent_can_be_read);
  g_test_add_func ("/desktop/accent", test_accent_that_can_be_read_stays);
  g_test_add_func ("/desktop/progress", test_progress);
#ifdef G_OS_WIN32
  g_test_add ("/desktop/nothing-set", Registry, NULL, begin, test_nothing_set, end);
  g_test_add ("/desktop/all-set", Registry, NULL, begin, test_all_set, end);
  g_test_add ("/desktop/change", Registry, NULL, begin, test_change, end);
  g_test_add_func ("/desktop/text-scale", test_text_scale);
  g_test_add_func ("/desktop/monitor-scale", test_monitor_scale);
  g_test_add_func ("/desktop/notification", test_notification);
  g_test_add_func ("/desktop/chats", test_chats);
#endif
  return g_test_run ();
}
