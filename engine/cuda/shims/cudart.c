/* SPDX-License-Identifier: BSD-3-Clause */

/* Everything in this library is a forward of cudart.def; a linker wants something to link. */
const int pt_cudart_is_forward = 1;
