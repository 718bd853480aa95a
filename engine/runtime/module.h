/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/method.h"

G_BEGIN_DECLS

/**
 * PtModule: a program with its data files and the methods loaded from it so far.
 * Tasks use modules rather than methods. Belongs to one thread at a time.
 */
typedef struct _PtModule PtModule;

/** @data_paths: NULL-terminated, or NULL. @options: copied; may be NULL. */
PtModule *pt_module_open (const char *path, const char *const *data_paths,
                          const PtMethodOptions *options, GError **error);
/** The same for a program that is open already; the module keeps a reference. */
PtModule *pt_module_new (PtProgram *program, const char *const *data_paths,
                         const PtMethodOptions *options, GError **error);
/** The same with data files that are open already, too, or NULL. */
PtModule *pt_module_new_for_data (PtProgram *program, PtDataMap *data,
                                  const PtMethodOptions *options, GError **error);
void pt_module_free (PtModule *module);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtModule, pt_module_free)

PtProgram *pt_module_program (PtModule *module);
PtDataMap *pt_module_data (PtModule *module);

gboolean pt_module_has_method (PtModule *module, const char *name);

/** Method @name, loaded at first use. Owned by the module. */
PtMethod *pt_module_method (PtModule *module, const char *name, GError **error);

/**
 * Let the methods that are loaded from now on share planned buffers 1 and 2, as
 * PtMethodOptions.share_state does from the start.
 */
gboolean pt_module_share_state (PtModule *module, GError **error);

/**
 * Choose the method that tasks with one method call instead of the usual one; NULL: the usual one.
 * FALSE when there is no method @name that takes anything.
 */
gboolean pt_module_choose_method (PtModule *module, const char *name, GError **error);
/** NULL: none was chosen. */
const char *pt_module_chosen_method (PtModule *module);

/** Unload method @name; a later pt_module_method() loads it afresh. */
void pt_module_unload (PtModule *module, const char *name);

/*
 * Constant methods (docs/formats/program.md, section 15): metadata of the model. FALSE when there
 * is no such method or it is of another kind. Bools and numbers convert into each other;
 * one-element tensors count as numbers.
 */
gboolean pt_module_constant_int (PtModule *module, const char *name, gint64 *out);
gboolean pt_module_constant_double (PtModule *module, const char *name, double *out);
/** The first outputs of @name, at most @most, and how many there were; 0: not all are numbers. */
guint pt_module_constant_doubles (PtModule *module, const char *name, double *out, guint most);
/** A newly allocated array of all outputs of @name as integers, or NULL. */
gint64 *pt_module_constant_ints (PtModule *module, const char *name, guint *count);

G_END_DECLS
