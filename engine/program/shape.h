/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/dtype.h"
#include "engine/program/flatbuffer.h"

G_BEGIN_DECLS

/**
 * Check the shape of a tensor in a program, data file or bundled program and count its elements
 * and bytes. Program format, sections 4.3 and 4.6.
 *
 * Returns: what is wrong, as the end of a sentence ("has a negative size"); NULL when nothing is
 */
const char *pt_shape_check (int dtype, PtFbVec sizes, PtFbVec dim_order, gsize *numel,
                            gsize *nbytes);

/** What the address of a tensor's data must be a multiple of. */
gsize pt_shape_alignment (int dtype);

G_END_DECLS
