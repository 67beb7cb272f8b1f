# The logger of the package.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logging: the logger `tilus`, which is silent below warnings unless asked."""

from __future__ import annotations

import logging

LOGGER_NAME = "tilus"


def get_logger() -> logging.Logger:
    """The package's logger."""
    return logging.getLogger(LOGGER_NAME)


def init_logging(level: str = "INFO") -> None:
    """Sends the package's messages to the standard error, once, from a level on."""
    logger = get_logger()
    logger.propagate = False
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s - %(name)s - %(levelname)s - %(message)s"))
        logger.addHandler(handler)
    set_logging_level(level)


def set_logging_level(level: str) -> None:
    """Changes the level: DEBUG, INFO, WARNING, ERROR or CRITICAL."""
    names = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
    if level.upper() not in names:
        raise ValueError(f"expected one of {', '.join(names)} as a level, but got {level!r}")
    get_logger().setLevel(level.upper())
