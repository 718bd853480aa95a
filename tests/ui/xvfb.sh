#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run a test on a display of its own; skip it where there is none to be had.
command -v xvfb-run >/dev/null || exit 77
exec xvfb-run -a -s "-screen 0 1280x900x24" "$@"
