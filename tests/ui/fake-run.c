/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-engine.h"

/* The report that the real engine made of a run of MobileNet v2. */

#define STEP(number, operator, total, part)                                            \
  {                                                                                    \
    .index = number, .name = operator, .delegate = - 1, .calls = 20, .total_s = total, \
    .share = part                                                                      \
  }
#define TOTAL(operator, n, times, total, part)                                           \
  {                                                                                      \
    .name = operator, .instructions = n, .calls = times, .total_s = total, .share = part \
  }

/* clang-format off: a line for each */
static const PtRunInstruction INSTRUCTIONS[] = {
  STEP (11, "aten::hardtanh.out", 0.01097, 0.1172),
  STEP (54, "aten::hardtanh.out", 0.008832, 0.0944),
  STEP (115, "aten::hardtanh.out", 0.005626, 0.0601),
  STEP (0, "aten::convolution.out", 0.003138, 0.0335),
  STEP (12, "aten::convolution.out", 0.003048, 0.0326),
  STEP (14, "aten::hardtanh.out", 0.002654, 0.0284),
  STEP (19, "aten::hardtanh.out", 0.002628, 0.0281),
  STEP (22, "aten::hardtanh.out", 0.002379, 0.0254),
  STEP (28, "aten::hardtanh.out", 0.002291, 0.0245),
  STEP (10, "aten::_native_batch_norm_legit_no_training.out", 0.002157, 0.0230),
  STEP (5, "aten::hardtanh.out", 0.001895, 0.0202),
  STEP (2, "aten::hardtanh.out", 0.001732, 0.0185),
  STEP (20, "aten::convolution.out", 0.001677, 0.0179),
  STEP (3, "aten::convolution.out", 0.001536, 0.0164),
  STEP (7, "aten::_native_batch_norm_legit_no_training.out", 0.001391, 0.0149),
  STEP (9, "aten::convolution.out", 0.001257, 0.0134),
  STEP (1, "aten::_native_batch_norm_legit_no_training.out", 0.001252, 0.0134),
  STEP (147, "aten::convolution.out", 0.001191, 0.0127),
  STEP (4, "aten::_native_batch_norm_legit_no_training.out", 0.00111, 0.0119),
  STEP (149, "aten::hardtanh.out", 0.001093, 0.0117),
  STEP (29, "aten::convolution.out", 0.001014, 0.0108),
  STEP (6, "aten::convolution.out", 0.000945, 0.0101),
  STEP (81, "aten::convolution.out", 0.00092, 0.0098),
  STEP (98, "aten::convolution.out", 0.000893, 0.0095),
  STEP (63, "aten::convolution.out", 0.000867, 0.0093),
  STEP (124, "aten::convolution.out", 0.000857, 0.0092),
  STEP (107, "aten::convolution.out", 0.000855, 0.0091),
  STEP (72, "aten::convolution.out", 0.000836, 0.0089),
  STEP (55, "aten::convolution.out", 0.000819, 0.0087),
  STEP (90, "aten::convolution.out", 0.000794, 0.0085),
  STEP (46, "aten::convolution.out", 0.000787, 0.0084),
  STEP (133, "aten::convolution.out", 0.000785, 0.0084),
  STEP (116, "aten::convolution.out", 0.000783, 0.0084),
  STEP (13, "aten::_native_batch_norm_legit_no_training.out", 0.000751, 0.0080),
  STEP (142, "aten::convolution.out", 0.000729, 0.0078),
  STEP (37, "aten::convolution.out", 0.000723, 0.0077),
  STEP (18, "aten::_native_batch_norm_legit_no_training.out", 0.000698, 0.0075),
  STEP (48, "aten::hardtanh.out", 0.000689, 0.0074),
  STEP (45, "aten::hardtanh.out", 0.00067, 0.0072),
  STEP (39, "aten::hardtanh.out", 0.000656, 0.0070),
  STEP (15, "aten::convolution.out", 0.000636, 0.0068),
  STEP (31, "aten::hardtanh.out", 0.000629, 0.0067),
  STEP (36, "aten::hardtanh.out", 0.000623, 0.0067),
  STEP (21, "aten::_native_batch_norm_legit_no_training.out", 0.000598, 0.0064),
  STEP (27, "aten::_native_batch_norm_legit_no_training.out", 0.000585, 0.0063),
  STEP (100, "aten::hardtanh.out", 0.000579, 0.0062),
  STEP (95, "aten::convolution.out", 0.000552, 0.0059),
  STEP (93, "aten::convolution.out", 0.000544, 0.0058),
  STEP (113, "aten::convolution.out", 0.000523, 0.0056),
  STEP (101, "aten::convolution.out", 0.000504, 0.0054),
  STEP (106, "aten::hardtanh.out", 0.000503, 0.0054),
  STEP (121, "aten::convolution.out", 0.000492, 0.0053),
  STEP (97, "aten::hardtanh.out", 0.000491, 0.0052),
  STEP (130, "aten::convolution.out", 0.000486, 0.0052),
  STEP (109, "aten::hardtanh.out", 0.000479, 0.0051),
  STEP (17, "aten::convolution.out", 0.000448, 0.0048),
  STEP (145, "aten::convolution.out", 0.000444, 0.0047),
  STEP (104, "aten::convolution.out", 0.000441, 0.0047),
  STEP (110, "aten::convolution.out", 0.000405, 0.0043),
  STEP (139, "aten::convolution.out", 0.00037, 0.0040),
};

static const PtRunTotal TOTALS[] = {
  TOTAL ("aten::hardtanh.out", 35, 700, 0.049484, 0.5288),
  TOTAL ("aten::convolution.out", 52, 1040, 0.031992, 0.3418),
  TOTAL ("aten::_native_batch_norm_legit_no_training.out", 52, 1040, 0.011399, 0.1218),
  TOTAL ("aten::permute_copy.out", 1, 20, 0.000314, 0.0034),
  TOTAL ("aten::mean.out", 1, 20, 0.000203, 0.0022),
  TOTAL ("aten::add.out", 11, 220, 0.000112, 0.0012),
  TOTAL ("aten::addmm.out", 1, 20, 5.7e-05, 0.0006),
  TOTAL ("dim_order_ops::_clone_dim_order.out", 1, 20, 2.3e-05, 0.0003),
};
/* clang-format on */

static const PtRunProfile PROFILE = { .calls = 20,
                                      .calls_s = 0.094534,
                                      .total_s = 0.09358523,
                                      .instructions = INSTRUCTIONS,
                                      .n_instructions = G_N_ELEMENTS (INSTRUCTIONS),
                                      .totals = TOTALS,
                                      .n_totals = G_N_ELEMENTS (TOTALS) };

static const gint64 IN[] = { 1, 3, 96, 96 }, OUT[] = { 1, 20 };

static const PtArgument INPUT = {
  .kind = PT_ARGUMENT_TENSOR, .dtype = "float32", .shape = IN, .rank = G_N_ELEMENTS (IN)
};

static const PtRunOutput OUTPUT = { .value = { .kind = PT_ARGUMENT_TENSOR,
                                               .dtype = "float32",
                                               .shape = OUT,
                                               .rank = G_N_ELEMENTS (OUT) },
                                    .valid = PT_RUN_OUTPUT_NUMBERS | PT_RUN_OUTPUT_TOP,
                                    .min = -2.85138726,
                                    .max = 3.47233748,
                                    .mean = -1.08077017,
                                    .deviation = 1.62893313,
                                    .values = { -2.44420743, -2.85138726, 0.887357414, -2.59569335,
                                                -1.58147061, 1.80126381, -1.62090385, -2.64301395 },
                                    .n_values = 8,
                                    .top = { { 9, 3.47233748, 0.701593092 },
                                             { 5, 1.80126381, 0.131931114 },
                                             { 2, 0.887357414, 0.0528984228 },
                                             { 19, 0.0156013072, 0.0221229917 },
                                             { 14, -0.270629466, 0.0166163416 } },
                                    .n_top = 5,
                                    .file = "/tmp/out0.npy" };

const PtRunReport fake_run_report = { .kind = PT_RUN_METHOD,
                                      .model = "/models/mobilenet-v2/model.pte",
                                      .method = "forward",
                                      .load_s = 0.000682,
                                      .planned_bytes = 884736,
                                      .repeat = 20,
                                      .first_s = 0.013067,
                                      .median_s = 0.003927,
                                      .min_s = 0.003338,
                                      .inputs = &INPUT,
                                      .n_inputs = 1,
                                      .outputs = &OUTPUT,
                                      .n_outputs = 1,
                                      .profile = &PROFILE };
