/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

/**
 * Whether the test for another processor runs under qemu (packaging/arm64/qemu). It accepts advice
 * on memory without following it, tells of each signal that ends a program, and lets no program
 * confine itself (seccomp, Landlock).
 */
static inline gboolean
under_qemu (void)
{
  return g_getenv ("PTERIS_UNDER_QEMU") != NULL;
}
