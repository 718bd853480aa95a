/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tools/starter/run-program.h"

G_BEGIN_DECLS

/** The index of wheels, and the programs that download and unpack them. */
typedef struct {
  const char *index; /* has NAME/VERSION/json, as https://pypi.org/pypi does */
  const char *curl;
  const char *tar; /* one that knows zip archives */
} WheelTools;

/** The name of a downloaded wheel in its folder. */
#define WHEEL_NAME "wheel.zip"

/**
 * Download the wheel of @requirement ("name==version") to @folder/wheel.zip, without Python; a
 * partial download is continued. Its SHA-256 is checked. Blocks; needs the network.
 */
gboolean wheel_download (const char *requirement, const char *folder, const WheelTools *tools,
                         const RunWatch *watch, GError **error);

/** Unpack @wheel, a path that may be relative to @folder, in @folder. Blocks. */
gboolean wheel_unpack (const char *wheel, const char *folder, const WheelTools *tools,
                       GError **error);

G_END_DECLS
