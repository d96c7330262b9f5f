"""The partitioning rules of Acme."""

from acme_rules.acme101_no_identity import no_identity

__all__ = ["no_identity"]
