"""Pictures for articles: server-made HTML with inline SVG, complete in one answer."""
