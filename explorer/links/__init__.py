"""What leads in from outside: share links, cards, oEmbed, sitemap, and the heads of pages."""
