# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of the package: all data types are there, and reading a name gives what it stands for."""

import tilus
from tilus import dtypes


def test_all_data_types_are_names_of_the_package():
    kinds = (dtypes.DataType, dtypes.PointerType)
    for name, value in vars(dtypes).items():
        if isinstance(value, kinds) and not name.startswith("default_"):
            assert getattr(tilus, name) is value, name


def test_every_listed_name_can_be_read():
    for name in tilus.__all__:
        assert getattr(tilus, name) is not None, name
