/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

/**
 * Whether the test for another processor runs under qemu (packaging/arm64/qemu). It accepts advice
 * on memory without following it, and tells of each signal that ends a program.
 */
static inline gboolean
under_qemu (void)
{
  return g_getenv ("PTERIS_UNDER_QEMU") != NULL;
}
