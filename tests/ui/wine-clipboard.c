/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Under Wine GDK begins with a warning where the clipboard has something in it, which ends a test:
 * each empties what it and others have left there.
 */

#include <windows.h>

static void __attribute__ ((constructor, destructor)) empty_clipboard (void)
{
  if (OpenClipboard (NULL)) {
    EmptyClipboard ();
    CloseClipboard ();
  }
}
