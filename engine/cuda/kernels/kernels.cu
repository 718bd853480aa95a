/* SPDX-License-Identifier: BSD-3-Clause */

/* All kernels, as one module. */

#include "attention.cuh"
#include "copy.cuh"
#include "gate.cuh"
#include "int4-rows.cuh"
#include "int4-many.cuh"
#include "norm.cuh"
#include "plain.cuh"
#include "random.cuh"
#include "rotary.cuh"
#include "row.cuh"
#include "sample.cuh"
#include "sort.cuh"
