#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cycles.py CYCLES FOLDER VERSION CASES: openvino-cycles over programs of CASES, with OpenVINO VERSION of PyPI."""

import os
import sys

import wheel

program, folder, version, cases = sys.argv[1:5]
os.environ["PTERIS_OPENVINO"] = wheel.install(folder, version)
os.execv(program, [program] + [os.path.join(cases, name, "model.pte") for name in ("linear", "partial", "conv_int8")])
