/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/flatbuffer.h"

/*
 * Macros for the files that define a schema, one line for each slot. The names are short: do not
 * include this in a header.
 */
/* clang-format off */
#define SCALAR(name, kind) { name, PT_FB_##kind, FALSE, NULL, NULL, 0 }
#define VECTOR(name, kind) { name, PT_FB_##kind, TRUE, NULL, NULL, 0 }
#define TABLE(name, of) { name, PT_FB_TABLE, FALSE, &of, NULL, 0 }
#define TABLES(name, of) { name, PT_FB_TABLE, TRUE, &of, NULL, 0 }
#define UNION(name, of) { name, PT_FB_UNION, FALSE, NULL, of, G_N_ELEMENTS (of) }
#define DEFINE_TABLE(id, name, ...) \
  static const PtFbField id##_fields[] = { __VA_ARGS__ }; \
  static const PtFbTable id = { name, id##_fields, G_N_ELEMENTS (id##_fields) }
/* clang-format on */
