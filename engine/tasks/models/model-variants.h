/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/models/model-set.h"
#include "engine/tasks/models/model-tree.h"

G_BEGIN_DECLS

/*
 * Which program of a folder a model is. Programs with the same key are variants of one model, or
 * its parts; of variants the best that runs here is chosen (docs/formats/protocols.md, section
 * 1.5).
 */

/**
 * Choose the program in the folder @query->path for @set, and list its variants there. NULL with
 * PT_ERROR_MISSING_FILE (no program) or PT_ERROR_ARGUMENT (several models, or no such variant).
 * Free with g_free().
 */
char *pt_model_choose_in_folder (PtModelSet *set, const PtModelQuery *query, GError **error);

/** The same for a program: it is chosen itself, unless @query names a variant or asks for the best
 * one. */
char *pt_model_choose_for_file (PtModelSet *set, const PtModelQuery *query, GError **error);

/** Paths of programs in @folder and those below it, one of each model; companions may be among
 * them. Free with g_ptr_array_unref(). Blocking; any thread. */
GPtrArray *pt_model_list_models (const char *folder);

void pt_model_variant_free (PtModelVariant *variant);

G_END_DECLS
