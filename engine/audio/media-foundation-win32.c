/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/audio/media-foundation-win32.h"

#include <string.h>

#include "engine/base/set-error.h"

static const PtMediaFoundation *replaced;

/* Sets *@function, of any type. */
static gboolean
find (HMODULE library, const char *name, gpointer function)
{
  FARPROC address = library != NULL ? GetProcAddress (library, name) : NULL;

  memcpy (function, &address, sizeof address);
  return address != NULL;
}

/* Windows' own functions; FALSE: it lacks them, or does not start them. */
static gboolean
load (PtMediaFoundation *functions)
{
  HMODULE platform = LoadLibraryExW (L"mfplat.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
  HMODULE reader = LoadLibraryExW (L"mfreadwrite.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
  HRESULT (WINAPI * start) (ULONG version, DWORD flags);
  HRESULT (WINAPI * keep_apartment) (PVOID * cookie);
  PVOID cookie;

  /* Threads that did not initialise COM are in its multithreaded apartment as long as it exists. */
  if (find (GetModuleHandleW (L"ole32.dll"), "CoIncrementMTAUsage", &keep_apartment))
    keep_apartment (&cookie);
  return find (platform, "MFStartup", &start) &&
         find (platform, "MFCreateFile", &functions->create_file) &&
         find (platform, "MFCreateAttributes", &functions->create_attributes) &&
         find (platform, "MFCreateMediaType", &functions->create_type) &&
         find (reader, "MFCreateSourceReaderFromByteStream", &functions->create_reader) &&
         SUCCEEDED (start (MF_VERSION, MFSTARTUP_LITE));
}

const PtMediaFoundation *
pt_media_foundation (GError **error)
{
  static PtMediaFoundation functions;
  static gsize loaded; /* 1: yes, 2: there is none */

  if (replaced != NULL)
    return replaced;
  if (g_once_init_enter (&loaded))
    g_once_init_leave (&loaded, load (&functions) ? 1 : 2);
  if (loaded == 1)
    return &functions;
  pt_fail (
      error, PT_ERROR_UNSUPPORTED,
      "Windows' decoders (Media Foundation) are missing. Install the Media Feature Pack in the "
      "Settings under Optional features, or convert the file, for example with: ffmpeg -i FILE "
      "new.flac");
  return NULL;
}

void
_pt_media_foundation_replace (const PtMediaFoundation *replacement)
{
  replaced = replacement;
}
