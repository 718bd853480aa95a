/* SPDX-License-Identifier: BSD-3-Clause */
#define COBJMACROS
#include "ui/window/taskbar.h"

#include <windows.h>

#include <initguid.h>
#include <propkey.h>
#include <propvarutil.h>
#include <shlobj.h>
#include <gdk/win32/gdkwin32.h>

#include "ui/i18n.h"
#include "ui/window/notify-icon-win32.h"

/* The installer gives the same to the entry in the start menu. */
#define APPLICATION_ID L"org.pteris.Pteris"
/* Steps of the progress. */
#define STEPS 1000
/* A title is cut here; Windows shows about 40. */
#define MAX_TITLE 200

/* ---- the button ---- */

static HWND
handle_of (GtkWindow *window)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (window));

  return surface != NULL ? (HWND) gdk_win32_surface_get_handle (surface) : NULL;
}

/* Made at the first use; NULL where Windows has no task bar. */
static ITaskbarList3 *
get_list (void)
{
  static ITaskbarList3 *list;
  static gboolean tried;

  if (tried)
    return list;
  tried = TRUE;
  CoInitializeEx (NULL, COINIT_APARTMENTTHREADED);
  if (FAILED (CoCreateInstance (&CLSID_TaskbarList, NULL, CLSCTX_INPROC_SERVER, &IID_ITaskbarList3,
                                (void **) &list)))
    return NULL;
  if (FAILED (ITaskbarList3_HrInit (list))) {
    ITaskbarList3_Release (list);
    list = NULL;
  }
  return list;
}

void
pteris_taskbar_init (void)
{
  SetCurrentProcessExplicitAppUserModelID (APPLICATION_ID);
}

void
pteris_taskbar_set_progress (GtkWindow *window, double fraction)
{
  HWND handle = handle_of (window);
  ITaskbarList3 *list = handle != NULL ? get_list () : NULL;

  if (list == NULL)
    return;
  if (fraction < 0)
    ITaskbarList3_SetProgressState (
        list, handle, fraction == PTERIS_TASKBAR_UNKNOWN ? TBPF_INDETERMINATE : TBPF_NOPROGRESS);
  else
    ITaskbarList3_SetProgressValue (list, handle, (ULONGLONG) (MIN (fraction, 1) * STEPS), STEPS);
}

static void
set_badge (HWND handle, gboolean shown)
{
  SHSTOCKICONINFO info = { .cbSize = sizeof info };
  ITaskbarList3 *list = get_list ();

  if (list == NULL)
    return;
  if (shown && FAILED (SHGetStockIconInfo (SIID_INFO, SHGSI_ICON | SHGSI_SMALLICON, &info)))
    return;
  /* The list copies the icon. */
  ITaskbarList3_SetOverlayIcon (list, handle, info.hIcon, shown ? L"!" : NULL);
  if (info.hIcon != NULL)
    DestroyIcon (info.hIcon);
}

/* ---- notifications ---- */

static void
on_active (GtkWindow *window, GParamSpec *pspec, gpointer user_data)
{
  if (!gtk_window_is_active (window))
    return;
  g_signal_handlers_disconnect_by_func (window, on_active, user_data);
  set_badge (handle_of (window), FALSE);
  pteris_notify_icon_hide ();
}

void
pteris_taskbar_notify (GtkWindow *window, const char *title, const char *body, const char *page)
{
  HWND handle = handle_of (window);
  FLASHWINFO flash = {
    .cbSize = sizeof flash, .hwnd = handle, .dwFlags = FLASHW_TRAY | FLASHW_TIMERNOFG, .uCount = 3
  };

  if (handle == NULL)
    return;
  FlashWindowEx (&flash);
  set_badge (handle, TRUE);
  pteris_notify_icon_show (title, body, page);
  g_signal_handlers_disconnect_by_func (window, on_active, NULL);
  g_signal_connect (window, "notify::is-active", G_CALLBACK (on_active), NULL);
}

/* ---- recent chats ---- */

static wchar_t *
widen (const char *text)
{
  return (wchar_t *) g_utf8_to_utf16 (text, -1, NULL, NULL, NULL);
}

static void
set_title (IShellLinkW *link, const char *title)
{
  g_autofree char *cut = g_utf8_substring (title, 0, MIN (g_utf8_strlen (title, -1), MAX_TITLE));
  g_autofree wchar_t *wide = widen (cut);
  IPropertyStore *store;
  PROPVARIANT value;

  if (wide == NULL ||
      FAILED (IShellLinkW_QueryInterface (link, &IID_IPropertyStore, (void **) &store)))
    return;
  value.vt = VT_LPWSTR;
  value.pwszVal = wide;
  IPropertyStore_SetValue (store, &PKEY_Title, &value);
  IPropertyStore_Commit (store);
  IPropertyStore_Release (store);
}

/* A link to this program that opens @chat. NULL: out of memory. */
static IShellLinkW *
make_link (const PterisTaskbarChat *chat, const wchar_t *program)
{
  g_autofree char *arguments = g_strdup_printf ("--chat=%" G_GINT64_FORMAT, chat->id);
  g_autofree wchar_t *wide = widen (arguments);
  IShellLinkW *link;

  if (FAILED (CoCreateInstance (&CLSID_ShellLink, NULL, CLSCTX_INPROC_SERVER, &IID_IShellLinkW,
                                (void **) &link)))
    return NULL;
  IShellLinkW_SetPath (link, program);
  IShellLinkW_SetArguments (link, wide);
  IShellLinkW_SetIconLocation (link, program, 0);
  set_title (link, chat->title);
  return link;
}

static HRESULT
fill (IObjectCollection *links, GPtrArray *chats, guint n)
{
  g_autofree wchar_t *program = g_new (wchar_t, G_MAXINT16);
  DWORD length = GetModuleFileNameW (NULL, program, G_MAXINT16);
  HRESULT result = length > 0 && length < G_MAXINT16 ? S_OK : E_FAIL;

  for (guint i = 0; SUCCEEDED (result) && i < MIN (n, chats->len); i++) {
    IShellLinkW *link = make_link (g_ptr_array_index (chats, i), program);

    result = link != NULL ? IObjectCollection_AddObject (links, (IUnknown *) link) : E_OUTOFMEMORY;
    if (link != NULL)
      IShellLinkW_Release (link);
  }
  return result;
}

/* Windows refuses the category where its user wants no recent items; that is no error of ours. */
static HRESULT
append (ICustomDestinationList *list, GPtrArray *chats, guint n)
{
  g_autofree wchar_t *title = widen (_ ("Recent Chats"));
  IObjectCollection *links;
  IObjectArray *array;
  HRESULT result = CoCreateInstance (&CLSID_EnumerableObjectCollection, NULL, CLSCTX_INPROC_SERVER,
                                     &IID_IObjectCollection, (void **) &links);

  if (FAILED (result))
    return result;
  result = fill (links, chats, n);
  if (SUCCEEDED (result))
    result = IObjectCollection_QueryInterface (links, &IID_IObjectArray, (void **) &array);
  if (SUCCEEDED (result)) {
    if (n > 0 && chats->len > 0)
      result = ICustomDestinationList_AppendCategory (list, title, array);
    IObjectArray_Release (array);
  }
  IObjectCollection_Release (links);
  return result;
}

static HRESULT
write_list (GPtrArray *chats)
{
  ICustomDestinationList *list;
  IObjectArray *removed = NULL;
  UINT n = 0;
  HRESULT result = CoCreateInstance (&CLSID_DestinationList, NULL, CLSCTX_INPROC_SERVER,
                                     &IID_ICustomDestinationList, (void **) &list);

  if (FAILED (result))
    return result;
  ICustomDestinationList_SetAppID (list, APPLICATION_ID);
  result = ICustomDestinationList_BeginList (list, &n, &IID_IObjectArray, (void **) &removed);
  if (SUCCEEDED (result))
    result = append (list, chats, n);
  if (SUCCEEDED (result))
    result = ICustomDestinationList_CommitList (list);
  if (removed != NULL)
    IObjectArray_Release (removed);
  ICustomDestinationList_Release (list);
  return result;
}

static void
write_in_thread (GTask *task, gpointer source, gpointer chats, GCancellable *cancellable)
{
  HRESULT com = CoInitializeEx (NULL, COINIT_APARTMENTTHREADED);
  HRESULT result = write_list (chats);

  if (FAILED (result))
    g_debug ("The list of recent chats: error %08lx.", (gulong) result);
  if (SUCCEEDED (com))
    CoUninitialize ();
  g_task_return_boolean (task, SUCCEEDED (result));
}

void
pteris_taskbar_set_chats (GPtrArray *chats)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, NULL, NULL);

  g_task_set_task_data (task, chats, (GDestroyNotify) g_ptr_array_unref);
  g_task_run_in_thread (task, write_in_thread);
}
