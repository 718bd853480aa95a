/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

/*
 * Programs with a delegate for CUDA around one of the libraries of fake-model.h, and their data
 * files, as the exporters of each version write them (docs/formats/cuda.md, sections 2 and 3).
 *
 * Every method takes x, float32 [n, 8] with n up to 16, and returns the outputs of the library.
 */

#define FAKE_PROGRAM_ROWS 16
#define FAKE_PROGRAM_VOCABULARY 40

typedef enum {
  FAKE_PROGRAM_HOST,   /* 1.2: inputs of the caller's, outputs planned, all on the host */
  FAKE_PROGRAM_COPIES, /* 1.4: copies from and to a buffer that is planned on the device */
  FAKE_PROGRAM_DEVICE, /* 1.5: inputs and outputs on the device, of the caller's */
} FakeProgramForm;

typedef struct {
  FakeProgramForm form;
  const char *library;        /* path of a fake model; NULL: four bytes that are none */
  const char *const *methods; /* NULL-terminated; NULL: forward */
  guint n_outputs;            /* of the library: 3 or 1 */
  gboolean named;             /* constants by name; FALSE: in a blob by method */
  gboolean has_constants;
  gboolean is_text; /* instead: ids [1, n] and positions [n], int64, to logits; "decode": of one */
  gboolean chooses; /* with that: takes a temperature [1], too, and gives a token, float32 [1, 1] */
  gboolean shifted; /* the first constant is said to have another element type */
  const char *metadata; /* of get_mutable_buffer_metadata; NULL: no such method */
  gint64 max_length;    /* of get_max_seq_len; 0: no such method */
} FakeProgram;

/** A .pte. */
GBytes *fake_program_new (const FakeProgram *program);

/**
 * A .ptd with the constants for all methods of @program. Element k of the weight's storage is k +
 * 1, the state is made of 100 + k, the flag is false.
 *
 * @mode: of FakeModelMode
 */
GBytes *fake_program_data (const FakeProgram *program, gint64 mode);
