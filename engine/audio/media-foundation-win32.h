/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <windows.h>

#include <mfapi.h>
#include <mfidl.h>
#include <mfreadwrite.h>

#include <glib.h>

G_BEGIN_DECLS

/**
 * The functions of Media Foundation that decode recordings. They are looked up at run time, because
 * the editions of Windows for Europe and Korea that are called N lack them.
 */
typedef struct {
  HRESULT (WINAPI *create_file)
  (MF_FILE_ACCESSMODE access, MF_FILE_OPENMODE open, MF_FILE_FLAGS flags, LPCWSTR path,
   IMFByteStream **stream);
  HRESULT (WINAPI *create_attributes) (IMFAttributes **attributes, UINT32 n);
  HRESULT (WINAPI *create_type) (IMFMediaType **type);
  HRESULT (WINAPI *create_reader)
  (IMFByteStream *stream, IMFAttributes *attributes, IMFSourceReader **reader);
} PtMediaFoundation;

/** Load and start it at the first call. NULL: Windows has none, and @error says what to do. Any
 * thread. */
const PtMediaFoundation *pt_media_foundation (GError **error);

/** For tests: use @replacement; NULL: Windows' own again. */
void _pt_media_foundation_replace (const PtMediaFoundation *replacement);

G_END_DECLS
