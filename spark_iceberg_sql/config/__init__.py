"""The settings: their keys and the sources of their values."""
