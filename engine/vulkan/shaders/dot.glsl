// SPDX-License-Identifier: BSD-3-Clause
// The product of four signed bytes with four others, as an instruction where the GPU has it.
#ifdef HAS_DOT
#extension GL_EXT_spirv_intrinsics : require
// OpSDot; format 0: four bytes in a word
spirv_instruction (extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4450)
int signed_dot (int a, int b, spirv_literal int format);

int dot4 (int a, int b) { return signed_dot (a, b, 0); }
#else
int dot4 (int a, int b)
{
  return bitfieldExtract (a, 0, 8) * bitfieldExtract (b, 0, 8)
         + bitfieldExtract (a, 8, 8) * bitfieldExtract (b, 8, 8)
         + bitfieldExtract (a, 16, 8) * bitfieldExtract (b, 16, 8)
         + bitfieldExtract (a, 24, 8) * bitfieldExtract (b, 24, 8);
}
#endif
