/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/** Where wheels are asked for, what fetches and what unpacks them. */
typedef struct {
  const char *index; /* has NAME/VERSION/json, as https://pypi.org/pypi does */
  const char *curl;
  const char *tar; /* one that knows zip archives */
} WheelTools;

/**
 * Unpack the wheel of @requirement ("name==version") below @folder, without Python. Its SHA-256 is
 * checked. Blocks; needs the network.
 */
gboolean wheel_unpack (const char *requirement, const char *folder, const WheelTools *tools,
                       GError **error);

G_END_DECLS
