"""Validates PEM certificates and keys before gRPC uses them, because gRPC rejects connections without a reason."""

from collections.abc import Iterator
from datetime import UTC, datetime
from math import nan
from pathlib import Path

VERSION = 0xA0  # tag of the optional first field of a certificate
TIMES = {0x17: "%y%m%d%H%M%SZ", 0x18: "%Y%m%d%H%M%SZ"}  # date formats by tag
CENTURY = 100  # years; dates with two-digit years are before 2050 (RFC 5280, 4.1.2.5.1)


def holds_certificates(content: bytes) -> bool:
    """Return whether a file contains certificates; comments may be in any encoding."""
    import ssl

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=content.decode("ascii", "ignore"))
    except (ssl.SSLError, ValueError):
        return False
    return True


def is_pair(certificate: str | Path, key: str | Path) -> bool:
    """Return whether two files are a certificate and its unencrypted key. Raises OSError."""
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_ciphers("DEFAULT:@SECLEVEL=0")  # accept keys as short as gRPC does
    try:
        context.load_cert_chain(certificate, key, password="")
    except (ssl.SSLError, ValueError):
        return False
    return True


def end_of(content: bytes) -> float:
    """Return when the first certificate of a file expires, in seconds since 1970; NaN if that cannot be read."""
    import ssl

    text = content.decode("ascii", "ignore")
    try:
        begin = text.index(ssl.PEM_HEADER)
        end = text.index(ssl.PEM_FOOTER, begin) + len(ssl.PEM_FOOTER)
        ((_, certificate),) = values(ssl.PEM_cert_to_DER_cert(text[begin:end]))
        (_, signed), *_ = values(certificate)
        _serial, _algorithm, _issuer, validity, *_ = (value for tag, value in values(signed) if tag != VERSION)
        _, (tag, date) = values(validity)
        return moment(tag, date.decode("ascii")).timestamp()
    except (ValueError, IndexError, KeyError):
        return nan


def moment(tag: int, date: str) -> datetime:
    """Return a date of a certificate."""
    found = datetime.strptime(date, TIMES[tag]).replace(tzinfo=UTC)
    return (
        found.replace(year=found.year - CENTURY) if len(date) == len("yymmddhhmmssZ") and found.year > 2049 else found
    )


def values(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the tag and content of consecutive values (X.690, DER)."""
    at = 0
    while at < len(content):
        tag, length, at = content[at], content[at + 1], at + 2
        if length & 0x80:
            size = length & 0x7F
            length, at = int.from_bytes(content[at : at + size]), at + size
        yield tag, content[at : at + length]
        at += length
