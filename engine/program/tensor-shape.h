/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/dtype.h"
#include "engine/program/flatbuffer.h"

G_BEGIN_DECLS

/**
 * Check the shape of a tensor in a program, data file or bundled program, and count its elements
 * and bytes (docs/formats/program.md, sections 10.1 and 10.2).
 *
 * Returns: NULL when the shape is valid; otherwise the fault as the end of a sentence ("has a
 * negative size")
 */
const char *pt_shape_check (int dtype, PtFbVec sizes, PtFbVec dim_order, gsize *numel,
                            gsize *nbytes);

/** The alignment of a tensor's data, in bytes. */
gsize pt_shape_alignment (int dtype);

G_END_DECLS
