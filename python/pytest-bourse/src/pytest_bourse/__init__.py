"""An exchange in every test: fixtures for pytest, and `start_bourse` for everything else."""

from .account import Account
from .bourse import Bourse, Fault, Happened
from .errors import BourseError, BourseNotFound
from .server import Options, start_bourse

__all__ = ["Account", "Bourse", "BourseError", "BourseNotFound", "Fault", "Happened", "Options", "start_bourse"]
