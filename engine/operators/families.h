/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/operators/view.h"

G_BEGIN_DECLS

/* The tables of operators, one for each file. */
extern const PtOperatorFamily pt_unary_family;
extern const PtOperatorFamily pt_binary_family;
extern const PtOperatorFamily pt_compare_family;
extern const PtOperatorFamily pt_select_family;
extern const PtOperatorFamily pt_copy_family;
extern const PtOperatorFamily pt_shape_family;
extern const PtOperatorFamily pt_join_family;
extern const PtOperatorFamily pt_pad_family;
extern const PtOperatorFamily pt_index_family;
extern const PtOperatorFamily pt_advanced_index_family;
extern const PtOperatorFamily pt_create_family;
extern const PtOperatorFamily pt_reduce_family;
extern const PtOperatorFamily pt_extremum_family;
extern const PtOperatorFamily pt_rows_family;
extern const PtOperatorFamily pt_norm_family;
extern const PtOperatorFamily pt_matmul_family;
extern const PtOperatorFamily pt_convolution_family;
extern const PtOperatorFamily pt_pool_family;
extern const PtOperatorFamily pt_resample_family;
extern const PtOperatorFamily pt_distance_family;
extern const PtOperatorFamily pt_convolution_backward_family;
extern const PtOperatorFamily pt_recurrent_family;
extern const PtOperatorFamily pt_quantized_math_family;
extern const PtOperatorFamily pt_fft_family;
extern const PtOperatorFamily pt_quantized_family;
extern const PtOperatorFamily pt_quantized_embedding_family;
extern const PtOperatorFamily pt_llm_family;
extern const PtOperatorFamily pt_torchao_family;
extern const PtOperatorFamily pt_moe_family;

G_END_DECLS
