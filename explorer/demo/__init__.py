"""The simulated corpus: sessions, an engine model, a replay, and the files they leave.

Nothing in the product imports this package; deleting it takes away only ``explorer demo``.
Everything it writes says ``source: simulated`` and reaches the lake through the ordinary ingest.
"""
