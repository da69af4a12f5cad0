"""The generator is the published one, and its draws are fair."""

import pytest

from clerestory.engine import Rng

MASK = (1 << 64) - 1


def rotl(x: int, k: int) -> int:
    return ((x << k) | (x >> (64 - k))) & MASK


def splitmix64(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def xoshiro(s: list[int]) -> int:
    """Take one step of xoshiro256++, written from its description."""
    out = (rotl((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
    t = s[1] << 17 & MASK
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = rotl(s[3], 45)
    return out


def test_the_plain_generator_gives_the_published_numbers() -> None:
    """From the state 1, 2, 3, 4: the first outputs in the test of the rand_xoshiro crate."""
    state = [1, 2, 3, 4]
    assert [xoshiro(state) for _ in range(4)] == [41943041, 58720359, 3588806011781223, 3591011842654386]


@pytest.mark.parametrize("seed", [0, 1, 12345, MASK])
def test_it_equals_the_plain_generator(seed: int) -> None:
    rng = Rng(seed)
    state = [splitmix64((seed + i * 0x9E3779B97F4A7C15) & MASK) for i in range(1, 5)]
    assert rng.state == tuple(state)
    assert [rng.next() for _ in range(100)] == [xoshiro(state) for _ in range(100)]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000])
def test_below_is_the_high_part_of_the_product(n: int) -> None:
    rng, twin = Rng(7), Rng(7)
    assert [rng.below(n) for _ in range(200)] == [twin.next() * n >> 64 for _ in range(200)]


def test_a_copy_goes_on_alike_and_apart() -> None:
    rng = Rng(3)
    rng.next()
    copy = rng.copy()
    assert [rng.next(), rng.next()] == [copy.next(), copy.next()]
    rng.next()
    assert rng.state != copy.state


@pytest.mark.parametrize("seed", [-1, 1 << 64, "1", None])
def test_a_seed_outside_64_bits_is_rejected(seed: object) -> None:
    with pytest.raises(ValueError, match="seed"):
        Rng(seed)  # type: ignore[arg-type]


def test_nothing_to_choose_from_is_rejected() -> None:
    for n in (0, -1, 1 << 32):
        with pytest.raises(ValueError, match=f"n: {n} is not a whole number from 1 to 4294967295"):
            Rng(1).below(n)
