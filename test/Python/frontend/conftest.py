"""The tests of the Python front end; they run where the package is built, with a cache of their own."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os

import pytest

try:
    import tilus._compiler  # noqa: F401
except ImportError:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Keeps what tests compile out of the user's cache."""
    before = os.environ.get("TILUS_CACHE_DIR")
    os.environ["TILUS_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["TILUS_CACHE_DIR"]
    else:
        os.environ["TILUS_CACHE_DIR"] = before
