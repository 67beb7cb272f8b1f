# Pictures of layouts: SVG without scripts, and tables of text.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of layouts, of accesses to shared memory and of conversions."""

from tilus.pictures.conversion import draw_conversion as draw_conversion
from tilus.pictures.register import draw_register_layout as draw_register_layout
from tilus.pictures.shared import draw_shared_access as draw_shared_access, draw_shared_layout as draw_shared_layout
