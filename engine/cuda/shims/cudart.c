/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * cudart.def forwards all functions of this library. This file exists because a linker needs at
 * least one object.
 */
const int pt_cudart_is_forward = 1;
