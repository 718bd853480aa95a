/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"
#include "tests/fakes/fake-cuda.h"
#include "tests/fakes/fake-model.h"
#include "tests/fakes/fake-program.h"

/*
 * Programs with libraries that behave like generated code, on a fake driver. Their outputs: 0, the
 * input; 1, the state that earlier calls left; 2, a row of a weight.
 */

extern const FakeCuda *fake;
extern const FakeProgram host_blob, copies_named, device_named, device_plain;

/** Before the first test is added; the driver, and a folder for files. */
void start_delegate_tests (int *argc, char ***argv);
/** Runs the tests, removes the files. Returns the exit status. */
int end_delegate_tests (void);

/** The path of a new .ptd with the weights of @spec. */
char *write_data (const FakeProgram *spec, gint64 mode);

/** @mode: how the library behaves (FAKE_MODEL_*). */
PtModule *try_open (const FakeProgram *spec, gint64 mode, GError **error);
PtModule *open_module (const FakeProgram *spec, gint64 mode);
/** The same on GPU @device, of two. */
PtModule *open_module_on (const FakeProgram *spec, gint64 mode, int device);
PtMethod *load (PtModule *module, const char *name);

/** Checks that no GPU memory and no handles are left. */
void assert_all_gone (void);
void close_module (PtModule *module);

/** Row r of call number @base is base + r * 10 + column. */
void fill (float *x, guint rows, float base);
gboolean try_call (PtMethod *method, guint rows, float base, GError **error);
void call (PtMethod *method, guint rows, float base);

/** Output @i of the last call, from where it is; returns its rows. */
guint fetch (PtMethod *method, guint i, float *to);
void assert_row (PtMethod *method, guint output, float base);
void assert_rows (PtMethod *method, guint output, guint rows, float base);
/** Row 0 of the weight is a strided view of a constant: numbers 8, 12, ... of its storage. */
void assert_weight (PtMethod *method);
/** The first state: 100, 101, ...; where there is a flag, zeros until it is set. */
void assert_first_state (const FakeProgram *spec, PtMethod *method);
