/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/context.h"
#include "engine/cuda/cuda-memory-pool.h"
#include "engine/cuda/graph-edges.h"
#include "tests/fakes/fake-cuda.h"

/*
 * Small programs on a fake driver, captured as graphs. Whatever is done to the edges and nodes of
 * such a graph, it computes what its calls do one after the other.
 */

#define N_BUFFERS 12
#define MAX_LAUNCHES 40
/* Blocks from this one on hold nothing before a graph nor after it. */
#define FIRST_PASSING 8
#define SPARE_SIZE 4096

extern const FakeCuda *fake;

typedef struct {
  PtCudaContext *context;
  const PtCuda *cu;
  PtCuModule module;
  PtCuFunction mix, keep, put, twice;
  PtCudaPool *pool;
  PtCuPointer buffers[N_BUFFERS], spare;
  gsize spare_size;
  gboolean may_drop, starts_early, combines, has_weights;
  guint64 combined[8]; /* arguments of "twice" */
} Fixture;

typedef struct {
  enum { CALL_MIX, CALL_KEEP, CALL_COPY, CALL_SET, CALL_PUT } kind;
  PtCuPointer pointers[3];
  guint64 scalar;
} Call;

typedef struct {
  const char *path;
  void (*function) (Fixture *f, gconstpointer data);
} GraphTest;

/** Runs the tests, each with a fixture. Returns the exit status. */
int run_graph_tests (int *argc, char ***argv, const GraphTest *tests, guint n);

/** The kernels of the fake driver, which forgets them when it is reset. */
void set_kernels (void);

/** @n random calls, of which @n_odd are none of "mix". */
void make_program (const Fixture *f, Call *calls, guint n, guint n_odd);

/** A call with the pointers of buffers @a, @b and @c. */
Call put (const Fixture *f, guint a, guint b, guint c);
Call mix (const Fixture *f, guint a, guint b, guint c);

PtCuGraph capture (Fixture *f, Call *calls, guint n);

/** By what the fixture says is known and allowed. */
gboolean replace_edges (Fixture *f, PtCuGraph graph, PtCudaGraphEdges *result);

/** Checks that @graph, in any order that its edges allow, computes what @calls do in a row. */
void check_results (Fixture *f, PtCuGraph graph, Call *calls, guint n);
