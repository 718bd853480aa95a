/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

struct _PtFolder {
  DIR *directory;
  struct dirent *entry; /* the last one that was returned */
};

PtFolder *
pt_folder_open (const char *path)
{
  DIR *directory = opendir (path);
  PtFolder *self;

  if (directory == NULL)
    return NULL;
  self = g_new0 (PtFolder, 1);
  self->directory = directory;
  return self;
}

const char *
pt_folder_next (PtFolder *self)
{
  if (self == NULL)
    return NULL;
  do
    self->entry = readdir (self->directory);
  while (self->entry != NULL &&
         (strcmp (self->entry->d_name, ".") == 0 || strcmp (self->entry->d_name, "..") == 0));
  return self->entry != NULL ? self->entry->d_name : NULL;
}

PtEntryKind
pt_folder_kind (PtFolder *self)
{
  struct stat status;

  switch (self->entry->d_type) {
  case DT_LNK: return PT_ENTRY_LINK;
  case DT_DIR: return PT_ENTRY_FOLDER;
  case DT_UNKNOWN: break;
  default: return PT_ENTRY_FILE;
  }
  if (fstatat (dirfd (self->directory), self->entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return PT_ENTRY_FILE;
  return S_ISLNK (status.st_mode)   ? PT_ENTRY_LINK
         : S_ISDIR (status.st_mode) ? PT_ENTRY_FOLDER
                                    : PT_ENTRY_FILE;
}

void
pt_folder_close (PtFolder *self)
{
  closedir (self->directory);
  g_free (self);
}
