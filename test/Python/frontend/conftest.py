"""The tests of the Python front end; they run where the package is built."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

try:
    import tilus._native  # noqa: F401
except ImportError:
    collect_ignore_glob = ["test_*.py"]
