"""Functions of a session: their registries, their calls, and table functions whose rows Python computes."""
