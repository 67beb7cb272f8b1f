"""What scripts run with: arguments, compilation, the CPU reference, launches."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
