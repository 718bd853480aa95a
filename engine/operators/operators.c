/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/operators/operators.h"

#include "engine/operators/families.h"

void
pt_operators_register_all (void)
{
  static const PtOperatorFamily *const families[] = {
    &pt_resample_family,
    &pt_distance_family,
    &pt_convolution_backward_family,
    &pt_recurrent_family,
    &pt_quantized_math_family,
    &pt_unary_family,
    &pt_binary_family,
    &pt_compare_family,
    &pt_select_family,
    &pt_copy_family,
    &pt_shape_family,
    &pt_join_family,
    &pt_pad_family,
    &pt_index_family,
    &pt_create_family,
    &pt_reduce_family,
    &pt_advanced_index_family,
    &pt_extremum_family,
    &pt_rows_family,
    &pt_norm_family,
    &pt_matmul_family,
    &pt_pool_family,
    &pt_convolution_family,
    &pt_fft_family,
    &pt_llm_family,
    &pt_quantized_family,
    &pt_quantized_embedding_family,
    &pt_torchao_family,
    &pt_moe_family,
  };

  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    pt_operators_register (families[i]->operators, families[i]->n_operators);
}
