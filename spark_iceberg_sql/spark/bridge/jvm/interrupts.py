"""An interrupt (Ctrl-C) of the main thread while it works in the JVM.

PySpark's own handler calls the JVM on the connection on which the thread may be waiting for an answer: py4j then closes
it and calls again, and the interrupt is lost.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_EVERY = 0.5  # seconds
_pending = threading.Event()


@contextmanager
def kept(cancel: Callable[[], None]) -> Iterator[None]:
    """Keep an interrupt until the next `check`, or the end; a second one is handled as without this.

    cancel: called in another thread, again and again: what it is to end may begin after a call. What it makes fail ends
    in the interrupt.
    """
    previous = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or previous is None:
        yield
        return

    left = threading.Event()

    def cancel_until_left() -> None:
        cancel()
        while not left.wait(_EVERY):
            cancel()

    def keep(*_: object) -> None:
        _pending.set()
        signal.signal(signal.SIGINT, previous)
        threading.Thread(target=cancel_until_left, daemon=True).start()

    signal.signal(signal.SIGINT, keep)
    try:
        yield
        check()
    except Exception:
        check()
        raise
    finally:
        left.set()
        _pending.clear()
        signal.signal(signal.SIGINT, previous)


def check() -> None:
    """Raise KeyboardInterrupt if an interrupt has been kept."""
    if _pending.is_set():
        raise KeyboardInterrupt
