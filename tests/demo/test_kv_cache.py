"""Tiers evict the least recently used prefix from its tail."""

from explorer.demo.kv_cache import Tier


def test_eviction_shortens_the_oldest_prefix_first() -> None:
    tier = Tier(1000 * 64)
    for stream in (1, 2, 3):
        tier.put(stream, 400 * 64)
    assert [tier.length(stream) // 64 for stream in (1, 2, 3)] == [200, 400, 400]


def test_a_touched_prefix_outlives_an_older_one() -> None:
    tier = Tier(800 * 64)
    tier.put(1, 400 * 64)
    tier.put(2, 400 * 64)
    tier.touch(1)
    tier.put(3, 400 * 64)
    assert (tier.length(1), tier.length(2)) == (400 * 64, 0)


def test_pinned_tokens_displace_cached_ones_and_are_the_usage() -> None:
    tier = Tier(1000 * 64)
    tier.put(1, 900 * 64)
    tier.pin(500 * 64)
    assert tier.length(1) == 500 * 64
    assert tier.usage_ratio() == 0.5
    assert not tier.fits(501 * 64)


def test_what_a_compaction_drops_is_evicted_first() -> None:
    tier = Tier(1000 * 64)
    tier.put(1, 600 * 64)
    tier.put(2, 300 * 64)
    assert tier.take(1, keep=100 * 64) == 100 * 64
    tier.pin(200 * 64)
    tier.put(3, 450 * 64)
    assert tier.length(2) == 300 * 64
