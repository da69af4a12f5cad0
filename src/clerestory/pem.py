"""Certificates and keys in PEM, checked before gRPC has them: it would refuse each connection, and not say why."""

from pathlib import Path


def holds_certificates(content: bytes) -> bool:
    """Whether a file has certificates; comments around them may be of any encoding."""
    import ssl

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=content.decode("ascii", "ignore"))
    except (ssl.SSLError, ValueError):
        return False
    return True


def is_pair(certificate: str | Path, key: str | Path) -> bool:
    """Whether two files hold a certificate and its key, not encrypted. Raises OSError."""
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_ciphers("DEFAULT:@SECLEVEL=0")  # a key may be as short as gRPC lets it be
    try:
        context.load_cert_chain(certificate, key, password="")
    except (ssl.SSLError, ValueError):
        return False
    return True
