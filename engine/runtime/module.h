/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/method.h"

G_BEGIN_DECLS

/**
 * PtModule: a program with its data files and the methods loaded from it so far.
 * Tasks use modules rather than methods. Belongs to one thread at a time.
 */
typedef struct _PtModule PtModule;

/**
 * Open a program with its data files. @data_paths: NULL-terminated, or NULL. @options: copied; may
 * be NULL.
 */
PtModule *pt_module_open (const char *path, const char *const *data_paths,
                          const PtMethodOptions *options, GError **error);
/** Make a module of an open program; the module keeps a reference. */
PtModule *pt_module_new (PtProgram *program, const char *const *data_paths,
                         const PtMethodOptions *options, GError **error);
/** Make a module of an open program and open data files (may be NULL). */
PtModule *pt_module_new_for_data (PtProgram *program, PtDataMap *data,
                                  const PtMethodOptions *options, GError **error);
void pt_module_free (PtModule *module);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtModule, pt_module_free)

PtProgram *pt_module_program (PtModule *module);
PtDataMap *pt_module_data (PtModule *module);

gboolean pt_module_has_method (PtModule *module, const char *name);

/** Method @name, loaded at the first request. Owned by the module. NULL with an error. */
PtMethod *pt_module_method (PtModule *module, const char *name, GError **error);

/**
 * Let the methods that are loaded from now on share planned buffers 1 and 2, like
 * PtMethodOptions.share_state.
 */
gboolean pt_module_share_state (PtModule *module, GError **error);

/**
 * Choose the method that tasks with one method call in place of the usual one; NULL: the usual one.
 * FALSE when no method @name with inputs exists.
 */
gboolean pt_module_choose_method (PtModule *module, const char *name, GError **error);
/** The name of the chosen method; NULL: the usual one. */
const char *pt_module_chosen_method (PtModule *module);

/** Unload method @name; a later pt_module_method() loads it again. */
void pt_module_unload (PtModule *module, const char *name);

/*
 * Results of constant methods (docs/formats/program.md, section 15): metadata of the model. FALSE
 * when the method does not exist or has another kind of result. Bools and numbers convert into each
 * other; tensors with one element count as numbers.
 */
gboolean pt_module_constant_int (PtModule *module, const char *name, gint64 *out);
gboolean pt_module_constant_double (PtModule *module, const char *name, double *out);
/**
 * The first @most outputs of @name as doubles. Returns how many were stored; 0 when one is not a
 * number.
 */
guint pt_module_constant_doubles (PtModule *module, const char *name, double *out, guint most);
/** All outputs of @name as integers in a new array, or NULL. Free with g_free(). */
gint64 *pt_module_constant_ints (PtModule *module, const char *name, guint *count);

G_END_DECLS
