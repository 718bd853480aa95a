/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * pteris-shortcut.exe FILE.lnk: gives the shortcut the application ID of the window
 * (ui/window/taskbar-win32.c), so that the button in the task bar, what is pinned there and the
 * entry in the start menu are one. For the installer, whose own language cannot. Exit status: 0
 * done, 1 not, 2 wrong usage. Wine takes the property without keeping it.
 */

#define COBJMACROS
#include <windows.h>

#include <initguid.h>
#include <propkey.h>
#include <shlobj.h>

static wchar_t application[] = L"org.pteris.Pteris";

static HRESULT
set_application (IShellLinkW *link)
{
  PROPVARIANT value = { .vt = VT_LPWSTR };
  IPropertyStore *store;
  HRESULT code = IShellLinkW_QueryInterface (link, &IID_IPropertyStore, (void **) &store);

  if (FAILED (code))
    return code;
  value.pwszVal = application;
  code = IPropertyStore_SetValue (store, &PKEY_AppUserModel_ID, &value);
  if (SUCCEEDED (code))
    code = IPropertyStore_Commit (store);
  IPropertyStore_Release (store);
  return code;
}

static HRESULT
edit (const wchar_t *path)
{
  IShellLinkW *link;
  IPersistFile *file;
  HRESULT code = CoCreateInstance (&CLSID_ShellLink, NULL, CLSCTX_INPROC_SERVER, &IID_IShellLinkW,
                                   (void **) &link);

  if (FAILED (code))
    return code;
  code = IShellLinkW_QueryInterface (link, &IID_IPersistFile, (void **) &file);
  if (SUCCEEDED (code)) {
    code = IPersistFile_Load (file, path, STGM_READWRITE);
    if (SUCCEEDED (code))
      code = set_application (link);
    if (SUCCEEDED (code))
      code = IPersistFile_Save (file, path, TRUE);
    IPersistFile_Release (file);
  }
  IShellLinkW_Release (link);
  return code;
}

int wmain (int argc, wchar_t **argv);

int
wmain (int argc, wchar_t **argv)
{
  HRESULT code;

  if (argc != 2)
    return 2;
  code = CoInitializeEx (NULL, COINIT_APARTMENTTHREADED);
  if (SUCCEEDED (code))
    code = edit (argv[1]);
  return FAILED (code);
}
