"""Fields read from certificates."""

import math
import ssl
from datetime import UTC, datetime

import pytest
import trustme

from clerestory.pem import end_of


@pytest.mark.parametrize("year", [1999, 2026, 2049, 2050, 2100, 9999])
def test_the_end_of_a_certificate(year: int) -> None:
    """Of the first certificate in a file, after comments; times have two formats."""
    end, authority = datetime(year, 3, 4, 5, 6, 7, tzinfo=UTC), trustme.CA()
    issued = authority.issue_cert("example.org", not_before=datetime(1990, 1, 1, tzinfo=UTC), not_after=end)
    chain = b"".join(one.bytes() for one in [*issued.cert_chain_pems, authority.cert_pem])
    assert end_of("für alle\n".encode() + chain) == end.timestamp()


@pytest.mark.parametrize("content", [b"", b"\x30", b"\x30\x03\x30\x80", b"\x30\x02\x30\x00", b"\x30\x82\xff\xff"])
def test_the_end_of_what_is_no_certificate(content: bytes) -> None:
    assert math.isnan(end_of(content))
    assert math.isnan(end_of(ssl.DER_cert_to_PEM_cert(content).encode()))
