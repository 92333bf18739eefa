"""Pages: one file per address; registry.py lists them."""
