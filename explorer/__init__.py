"""Explorer: read, check, compare and publish LLM-inference benchmark results."""

__version__ = "0.1.0"
