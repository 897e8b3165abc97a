"""What can go wrong."""


class BourseError(Exception):
    """A call that the exchange has refused, with its code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code


class BourseNotFound(Exception):
    """There is no exchange, or it does not start; the message says what to do."""
