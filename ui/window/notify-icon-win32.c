/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/notify-icon-win32.h"

#include <gio/gio.h>
#include <windows.h>

#include <shellapi.h>

/* What Windows sends about the icon. */
#define WM_ICON (WM_APP + 1)

static struct {
  HWND window; /* gets the messages; never shown */
  gboolean shown;
  char *page;
} icon;

static NOTIFYICONDATAW
describe (void)
{
  return (NOTIFYICONDATAW){ .cbSize = sizeof (NOTIFYICONDATAW), .hWnd = icon.window, .uID = 1 };
}

static void
show_page (void)
{
  GApplication *application = g_application_get_default ();

  if (application != NULL && icon.page != NULL)
    g_action_group_activate_action (G_ACTION_GROUP (application), "show-page",
                                    g_variant_new_string (icon.page));
}

static LRESULT CALLBACK
on_message (HWND window, UINT message, WPARAM wide, LPARAM data)
{
  if (message != WM_ICON)
    return DefWindowProcW (window, message, wide, data);
  switch (LOWORD (data)) {
  case NIN_BALLOONUSERCLICK:
  case WM_LBUTTONUP:
    show_page ();
    pteris_notify_icon_hide ();
    break;
  case NIN_BALLOONTIMEOUT: pteris_notify_icon_hide (); break;
  default: break;
  }
  return 0;
}

static gboolean
make_window (void)
{
  static const wchar_t name[] = L"PterisNotifyIcon";
  WNDCLASSEXW class = { .cbSize = sizeof class,
                        .lpfnWndProc = on_message,
                        .hInstance = GetModuleHandleW (NULL),
                        .lpszClassName = name };

  if (icon.window != NULL)
    return TRUE;
  RegisterClassExW (&class);
  icon.window =
      CreateWindowExW (0, name, L"", 0, 0, 0, 0, 0, HWND_MESSAGE, NULL, class.hInstance, NULL);
  return icon.window != NULL;
}

/* Copies @text to a field of @n characters, cut between two characters where it is too long. */
static void
put (wchar_t *field, gsize n, const char *text)
{
  g_autofree gunichar2 *wide = g_utf8_to_utf16 (text, -1, NULL, NULL, NULL);
  gsize length = 0;

  while (wide != NULL && wide[length] != 0 && length < n - 1)
    length++;
  /* Not between the halves of one. */
  if (length > 0 && wide[length] != 0 && wide[length - 1] >= 0xd800 && wide[length - 1] < 0xdc00)
    length--;
  for (gsize i = 0; i < length; i++)
    field[i] = wide[i];
  field[length] = 0;
}

void
pteris_notify_icon_show (const char *title, const char *body, const char *page)
{
  NOTIFYICONDATAW data;

  if (!make_window ())
    return;
  g_free (icon.page);
  icon.page = g_strdup (page);
  data = describe ();
  data.uFlags = NIF_ICON | NIF_TIP | NIF_MESSAGE | NIF_INFO;
  data.uCallbackMessage = WM_ICON;
  data.hIcon = LoadIconW (GetModuleHandleW (NULL), MAKEINTRESOURCEW (1));
  data.dwInfoFlags = NIIF_USER;
  put (data.szTip, G_N_ELEMENTS (data.szTip), "Pteris");
  put (data.szInfoTitle, G_N_ELEMENTS (data.szInfoTitle), title);
  /* An empty text would show nothing. */
  put (data.szInfo, G_N_ELEMENTS (data.szInfo), body != NULL && body[0] != '\0' ? body : " ");
  icon.shown = Shell_NotifyIconW (icon.shown ? NIM_MODIFY : NIM_ADD, &data) || icon.shown;
}

void
pteris_notify_icon_hide (void)
{
  NOTIFYICONDATAW data = describe ();

  if (icon.shown)
    Shell_NotifyIconW (NIM_DELETE, &data);
  icon.shown = FALSE;
}

gboolean
pteris_notify_icon_is_shown (void)
{
  return icon.shown;
}
