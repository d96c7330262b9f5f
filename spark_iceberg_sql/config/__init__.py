"""The settings: their keys, and where their values come from."""
