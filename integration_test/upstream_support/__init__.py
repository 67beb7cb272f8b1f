"""What integration_test/upstream.py is made of."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
