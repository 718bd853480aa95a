# SPDX-License-Identifier: BSD-3-Clause
"""Calls of CPU operators with the results they must have; see make-operator-fixtures.py."""
