/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/folder.h"

#include <windows.h>

#include "engine/base/long-paths.h"

struct _PtFolder {
  HANDLE search;
  WIN32_FIND_DATAW entry;
  gboolean has_entry; /* a name that pt_folder_next() has not returned yet */
  char *name;
};

PtFolder *
pt_folder_open (const char *path)
{
  g_autofree char *all = g_build_filename (path, "*", NULL);
  g_autofree gunichar2 *pattern = pt_long_path (all);
  PtFolder *self;
  WIN32_FIND_DATAW entry;
  HANDLE search;

  if (pattern == NULL)
    return NULL;
  search = FindFirstFileExW ((const wchar_t *) pattern, FindExInfoBasic, &entry,
                             FindExSearchNameMatch, NULL, 0);
  if (search == INVALID_HANDLE_VALUE)
    return NULL;
  self = g_new0 (PtFolder, 1);
  self->search = search;
  self->entry = entry;
  self->has_entry = TRUE;
  return self;
}

static gboolean
is_dots (const wchar_t *name)
{
  return name[0] == L'.' && (name[1] == 0 || (name[1] == L'.' && name[2] == 0));
}

const char *
pt_folder_next (PtFolder *self)
{
  if (self == NULL)
    return NULL;
  while (self->has_entry || FindNextFileW (self->search, &self->entry)) {
    self->has_entry = FALSE;
    if (is_dots (self->entry.cFileName))
      continue;
    g_free (self->name);
    /* GLib cannot open a file whose name is not valid Unicode either. */
    self->name = g_utf16_to_utf8 ((const gunichar2 *) self->entry.cFileName, -1, NULL, NULL, NULL);
    if (self->name != NULL)
      return self->name;
  }
  return NULL;
}

PtEntryKind
pt_folder_kind (PtFolder *self)
{
  DWORD attributes = self->entry.dwFileAttributes;
  DWORD tag = self->entry.dwReserved0;

  /* Files of a cloud drive are reparse points, too. */
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
      (tag == IO_REPARSE_TAG_SYMLINK || tag == IO_REPARSE_TAG_MOUNT_POINT))
    return PT_ENTRY_LINK;
  return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? PT_ENTRY_FOLDER : PT_ENTRY_FILE;
}

void
pt_folder_close (PtFolder *self)
{
  FindClose (self->search);
  g_free (self->name);
  g_free (self);
}
