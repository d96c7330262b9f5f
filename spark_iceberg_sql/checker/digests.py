"""Digests of the inputs that a cached result depends on."""

from __future__ import annotations


def digest(*values: str | bytes) -> str:
    """A hash of a sequence of values. Each is preceded by its length, so that ("a", "b") and ("ab",) differ."""
    from hashlib import blake2b  # the command starts sooner

    hasher = blake2b(digest_size=16)
    for value in values:
        raw = value if isinstance(value, bytes) else value.encode(errors="surrogatepass")
        hasher.update(b"%d:" % len(raw))
        hasher.update(raw)
    return hasher.hexdigest()


def digest_if_known(*values: str | None) -> str | None:
    """A hash of a sequence of values; None if one is unknown."""
    known_values = [value for value in values if value is not None]
    return digest(*known_values) if len(known_values) == len(values) else None
