"""A Python program lives by the time of an exchange on a driven clock.

Python imports this file before the program when its directory is on PYTHONPATH. It replaces the functions of `time`, `datetime.now`
and the clock of asyncio's loops. While the program has anything to do, time stands still; when it only sleeps, or its loop
has nothing ready, it waits in the exchange (POST /lab/clock/wait). Needs nothing but the standard library, 3.9 or newer, and does
nothing unless BOURSE_TIMEWARP_URL is set.
"""

import os
import sys

#: Sleeps end on this grid, as on a busy machine: some libraries look every millisecond whether they may go on.
GRAIN_MS = 10


def _install(url, token, start_ms):
    import http.client
    import json
    import threading
    import time
    import urllib.parse

    parts = urllib.parse.urlsplit(url)
    real_sleep = time.sleep
    real_monotonic = time.monotonic
    base_monotonic = 1_000.0
    state = {"ms": float(start_ms)}
    local = threading.local()
    headers = {"authorization": "Bearer " + token, "content-type": "application/json"}

    def wait(until_ms):
        """Waits in the exchange; returns when time has come there, or when there is something to read."""
        if not hasattr(local, "session"):
            local.session = f"python-{os.getpid()}-{threading.get_ident()}"
            local.connection = None
        body = {"session": local.session}
        if until_ms is not None:
            body["idleUntil"] = int(start_ms - (start_ms - until_ms) // GRAIN_MS * GRAIN_MS)
        while True:
            if local.connection is None:
                local.connection = http.client.HTTPConnection(parts.hostname, parts.port)
            try:
                local.connection.request("POST", "/lab/clock/wait", json.dumps(body), headers)
                response = local.connection.getresponse()
                text = response.read()
            except (OSError, http.client.HTTPException) as error:
                raise SystemExit(f"timewarp: the exchange has ended: {error}") from None
            if response.status == 409:
                real_sleep(0.005)
                continue
            if response.status != 200:
                raise SystemExit(f"timewarp: the exchange refuses to wait: {text.decode()}")
            state["ms"] = max(state["ms"], float(json.loads(text)["time"]))
            return

    def sleep(seconds):
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        until = state["ms"] + seconds * 1000
        if seconds == 0:
            real_sleep(0)
        while state["ms"] < until:
            wait(until)

    def passed():
        return (state["ms"] - start_ms) / 1000

    time.sleep = sleep
    time.time = lambda: state["ms"] / 1000
    time.time_ns = lambda: int(state["ms"] * 1_000_000)
    time.monotonic = lambda: base_monotonic + passed()
    time.monotonic_ns = lambda: int((base_monotonic + passed()) * 1_000_000_000)
    time.perf_counter = time.monotonic
    time.perf_counter_ns = time.monotonic_ns
    for name, convert in (("gmtime", time.gmtime), ("localtime", time.localtime)):
        setattr(time, name, lambda seconds=None, convert=convert: convert(time.time() if seconds is None else seconds))
    real_strftime = time.strftime
    time.strftime = lambda form, at=None: real_strftime(form, time.localtime() if at is None else at)
    _warp_datetime(lambda: state["ms"] / 1000)
    _warp_asyncio(lambda: state["ms"], wait, real_monotonic)


def _warp_datetime(now):
    import datetime

    class Kind(type):
        """Values that others have made are of the class as well."""

        def __instancecheck__(cls, value):
            return isinstance(value, cls.original)

        def __subclasscheck__(cls, other):
            return issubclass(other, cls.original)

    class Moment(datetime.datetime, metaclass=Kind):
        original = datetime.datetime

        @classmethod
        def now(cls, tz=None):
            return cls.original.fromtimestamp(now(), tz)

        @classmethod
        def utcnow(cls):
            return cls.original.fromtimestamp(now(), datetime.timezone.utc).replace(tzinfo=None)

        @classmethod
        def today(cls):
            return cls.original.fromtimestamp(now())

        def __new__(cls, *args, **named):
            return cls.original.__new__(cls.original, *args, **named)

    class Day(datetime.date, metaclass=Kind):
        original = datetime.date

        @classmethod
        def today(cls):
            return cls.original.fromtimestamp(now())

        def __new__(cls, *args, **named):
            return cls.original.__new__(cls.original, *args, **named)

    Moment.__name__ = Moment.__qualname__ = "datetime"
    Day.__name__ = Day.__qualname__ = "date"
    datetime.datetime = Moment
    datetime.date = Day


def _warp_asyncio(now_ms, wait, real_monotonic):
    """Loops ask `time.monotonic`, which is warped already; what is left is the place where they sleep.

    asyncio is not imported here: most programs do without it, and it takes a while.
    """
    import importlib.abc
    import importlib.util

    def warp(module):
        loop_class = module.BaseSelectorEventLoop
        original_init = loop_class.__init__
        original_executor = loop_class.run_in_executor

        class IdleSelector:
            def __init__(self, selector, loop):
                self._selector = selector
                self._loop = loop

            def __getattr__(self, name):
                return getattr(self._selector, name)

            def select(self, timeout=None):
                ready = self._selector.select(0)
                if ready or (timeout is not None and timeout <= 0):
                    return ready
                # Threads of the program work by real time.
                if self._loop._bourse_threads > 0:
                    return self._selector.select(0.005)
                wait(None if timeout is None else now_ms() + timeout * 1000)
                return self._selector.select(0)

        def init(self, *args, **named):
            original_init(self, *args, **named)
            self._bourse_threads = 0
            self._selector = IdleSelector(self._selector, self)

        def run_in_executor(self, executor, function, *args):
            future = original_executor(self, executor, function, *args)
            self._bourse_threads += 1

            def done(_):
                self._bourse_threads -= 1

            future.add_done_callback(done)
            return future

        loop_class.__init__ = init
        loop_class.run_in_executor = run_in_executor

    class Finder(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path, target=None):
            if name != "asyncio.selector_events":
                return None
            sys.meta_path.remove(self)
            spec = importlib.util.find_spec(name)
            if spec is None or spec.loader is None:
                return spec
            original = spec.loader.exec_module

            def exec_module(module):
                original(module)
                warp(module)

            spec.loader.exec_module = exec_module
            return spec

    if "asyncio.selector_events" in sys.modules:
        warp(sys.modules["asyncio.selector_events"])
    else:
        sys.meta_path.insert(0, Finder())


def _next_sitecustomize():
    """The one that this file stands in front of."""
    import importlib.machinery

    here = os.path.dirname(os.path.abspath(__file__))
    others = [path for path in sys.path if os.path.abspath(path or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    import importlib.util

    spec.loader.exec_module(importlib.util.module_from_spec(spec))


_next_sitecustomize()
if os.environ.get("BOURSE_TIMEWARP_URL"):
    _install(
        os.environ["BOURSE_TIMEWARP_URL"],
        os.environ.get("BOURSE_TIMEWARP_TOKEN", ""),
        float(os.environ.get("BOURSE_TIMEWARP_TIME") or __import__("time").time() * 1000),
    )
