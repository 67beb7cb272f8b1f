# The module paths under which scripts import data types.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Module paths of data types that scripts use; the types themselves are in `tilus.dtypes`."""
