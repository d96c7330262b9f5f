"""Migrations: in which order they run, and what their tools put into them."""
