/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/program-file.h"

G_BEGIN_DECLS

/**
 * PtCudaStateNames: the names in the original module of the buffers that a program changes. The
 * method get_mutable_buffer_metadata of the program returns the list (docs/formats/cuda.md, section
 * 5.6): {"version":1,"mutable_buffers":["name", ...]}
 */
typedef struct _PtCudaStateNames PtCudaStateNames;

/**
 * Read the list. @names: set to NULL when the program has no such method. FALSE with an error when
 * the list is damaged.
 */
gboolean pt_cuda_state_names_find (const PtProgram *program, PtCudaStateNames **names,
                                   GError **error);
void pt_cuda_state_names_free (PtCudaStateNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaStateNames, pt_cuda_state_names_free)

gboolean pt_cuda_state_names_contain (const PtCudaStateNames *names, const char *name);

G_END_DECLS
