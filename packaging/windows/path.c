/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * pteris-path add|remove FOLDER [machine]: a folder on the PATH that the registry keeps for this
 * user or for all of them. NSIS cannot: its texts end at 1024 characters. What else is on PATH
 * stays as it is, to the character.
 */

#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

#define USER L"Environment"
#define MACHINE L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment"

/* PATH as it is written: variables in it are not replaced. An empty one if there is none; NULL on
 * failure. */
static wchar_t *
read_path (HKEY key, DWORD *type)
{
  DWORD size = 0;
  LSTATUS status = RegQueryValueExW (key, L"Path", NULL, type, NULL, &size);
  wchar_t *path;

  if (status == ERROR_FILE_NOT_FOUND) {
    *type = REG_EXPAND_SZ;
    return calloc (1, sizeof *path);
  }
  if (status != ERROR_SUCCESS || (*type != REG_SZ && *type != REG_EXPAND_SZ))
    return NULL;
  /* It may lack the end. */
  path = calloc (size / sizeof *path + 2, sizeof *path);
  if (path != NULL &&
      RegQueryValueExW (key, L"Path", NULL, type, (BYTE *) path, &size) == ERROR_SUCCESS)
    return path;
  free (path);
  return NULL;
}

static LSTATUS
write_path (HKEY key, DWORD type, const wchar_t *path)
{
  DWORD_PTR result;
  LSTATUS status;

  status = path[0] == 0 ? RegDeleteValueW (key, L"Path")
                        : RegSetValueExW (key, L"Path", 0, type, (const BYTE *) path,
                                          (DWORD) ((wcslen (path) + 1) * sizeof *path));
  /* Terminals that are opened from now on see it. */
  SendMessageTimeoutW (HWND_BROADCAST, WM_SETTINGCHANGE, 0, (LPARAM) L"Environment",
                       SMTO_ABORTIFHUNG, 1000, &result);
  return status;
}

/* How long the entry at @at is: to a semicolon that is not between quotes. */
static size_t
entry_length (const wchar_t *at)
{
  BOOL quoted = FALSE;
  size_t n = 0;

  for (; at[n] != 0 && (quoted || at[n] != L';'); n++)
    if (at[n] == L'"')
      quoted = !quoted;
  return n;
}

/* Quotes around it and a separator at its end make no other folder. */
static BOOL
is_folder (const wchar_t *entry, size_t n, const wchar_t *folder)
{
  size_t length = wcslen (folder);

  if (n >= 2 && entry[0] == L'"' && entry[n - 1] == L'"') {
    entry++;
    n -= 2;
  }
  while (n > 0 && (entry[n - 1] == L'\\' || entry[n - 1] == L'/'))
    n--;
  while (length > 0 && (folder[length - 1] == L'\\' || folder[length - 1] == L'/'))
    length--;
  return n == length &&
         CompareStringOrdinal (entry, (int) n, folder, (int) length, TRUE) == CSTR_EQUAL;
}

static BOOL
has_folder (const wchar_t *path, const wchar_t *folder)
{
  for (const wchar_t *at = path;; at++) {
    size_t n = entry_length (at);

    if (is_folder (at, n, folder))
      return TRUE;
    at += n;
    if (*at == 0)
      return FALSE;
  }
}

static LSTATUS
add_folder (HKEY key, DWORD type, const wchar_t *path, const wchar_t *folder)
{
  size_t n = wcslen (path);
  wchar_t *longer;
  LSTATUS status;

  if (has_folder (path, folder))
    return ERROR_SUCCESS;
  longer = calloc (n + wcslen (folder) + 2, sizeof *longer);
  if (longer == NULL)
    return ERROR_OUTOFMEMORY;
  wcscpy (longer, path);
  if (n > 0 && path[n - 1] != L';')
    wcscat (longer, L";");
  wcscat (longer, folder);
  status = write_path (key, type, longer);
  free (longer);
  return status;
}

static LSTATUS
remove_folder (HKEY key, DWORD type, wchar_t *path, const wchar_t *folder)
{
  wchar_t *at = path;

  if (!has_folder (path, folder))
    return ERROR_SUCCESS;
  while (*at != 0) {
    size_t n = entry_length (at);

    if (!is_folder (at, n, folder)) {
      at += n;
      at += *at == L';';
    } else if (at[n] == L';') {
      wmemmove (at, at + n + 1, wcslen (at + n + 1) + 1);
    } else {
      /* The last one takes the semicolon before it along. */
      at -= at > path;
      *at = 0;
    }
  }
  return write_path (key, type, path);
}

int wmain (int argc, wchar_t **argv);

int
wmain (int argc, wchar_t **argv)
{
  BOOL machine = argc > 3 && wcscmp (argv[3], L"machine") == 0;
  wchar_t *path = NULL;
  DWORD type = REG_EXPAND_SZ;
  LSTATUS status;
  HKEY key;

  if (argc < 3)
    return 2;
  status =
      RegCreateKeyExW (machine ? HKEY_LOCAL_MACHINE : HKEY_CURRENT_USER, machine ? MACHINE : USER,
                       0, NULL, 0, KEY_QUERY_VALUE | KEY_SET_VALUE, NULL, &key, NULL);
  if (status != ERROR_SUCCESS)
    return 1;
  path = read_path (key, &type);
  if (path == NULL)
    status = ERROR_INVALID_DATA;
  else if (wcscmp (argv[1], L"add") == 0)
    status = add_folder (key, type, path, argv[2]);
  else
    status = remove_folder (key, type, path, argv[2]);
  free (path);
  RegCloseKey (key);
  return status == ERROR_SUCCESS ? 0 : 1;
}
