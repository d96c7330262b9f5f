"""Digests of the inputs that a cached result depends on."""

from __future__ import annotations


def digest(*words: str | bytes) -> str:
    """A hash of a sequence of values. Each is preceded by its length, so that ("a", "b") and ("ab",) differ."""
    from hashlib import blake2b  # the command starts sooner

    made = blake2b(digest_size=16)
    for word in words:
        raw = word if isinstance(word, bytes) else word.encode(errors="surrogatepass")
        made.update(b"%d:" % len(raw))
        made.update(raw)
    return made.hexdigest()
