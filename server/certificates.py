"""Loads the server's TLS certificates, and reloads them while it runs."""

import logging
import time
from collections import deque
from datetime import UTC, datetime
from pathlib import Path

import grpc

from clerestory.declared import BadSettings
from clerestory.pem import end_of, holds_certificates, is_pair
from clerestory.server.config import Settings, read_file

SOON = 7 * 86_400.0  # remaining lifetime in seconds below which a certificate should have been renewed

logger = logging.getLogger(__name__)


class Certificates:
    """The TLS files of the settings: certificate, key, and the authority for client certificates.

    A new connection uses the files as last read; open connections are not affected.

    Args:
        settings: with `tls_cert` and `tls_key` set.

    Attributes:
        end: when the certificate expires, in seconds since 1970; NaN if that cannot be read.

    Raises BadSettings for an invalid file.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._first, self.end = read_certificates(settings)
        self._new: deque[grpc.ServerCertificateConfiguration] = deque(maxlen=1)

    def credentials(self) -> grpc.ServerCredentials:
        """Return the credentials of a port."""
        required = self._settings.tls_client_ca is not None
        return grpc.dynamic_ssl_server_credentials(
            self._first,
            self._take_new,  # type: ignore[arg-type]  # None is allowed: it keeps the current one
            require_client_authentication=required,
        )

    def _take_new(self) -> grpc.ServerCertificateConfiguration | None:
        """Return the certificates read since the last connection; None if there are none.

        gRPC calls this for each connection, in its own threads. A returned configuration replaces the one that
        concurrent handshakes are about to use, which can crash the process. So each configuration is returned only
        once.
        """
        try:
            return self._new.pop()
        except IndexError:
            return None

    def reload(self) -> str:
        """Reload the files, and return a message for the log. Raises BadSettings."""
        certificates, self.end = read_certificates(self._settings)
        self._new.append(certificates)
        self.warn()
        return f"certificates read from {self._settings.tls_cert}"

    @property
    def left(self) -> float:
        """Seconds until the certificate expires."""
        return self.end - time.time()

    def in_words(self) -> str:
        """Return a sentence on when the certificate expires."""
        moment = f"{datetime.fromtimestamp(self.end, UTC):%Y-%m-%d %H:%M} UTC"
        return f"the certificate {'ends' if self.left > 0 else 'ended'} at {moment}"

    def warn(self) -> None:
        """Log a warning if the certificate expires soon, or has expired."""
        if self.left < SOON:
            logger.warning("%s: renew %s, and send SIGHUP", self.in_words(), self._settings.tls_cert)


def read_certificates(settings: Settings) -> tuple[grpc.ServerCertificateConfiguration, float]:
    """Return the certificates of the settings, and when the first one expires. Raises BadSettings."""
    assert settings.tls_cert is not None
    assert settings.tls_key is not None
    certificate, key = read_file("tls_cert", settings.tls_cert), read_file("tls_key", settings.tls_key)
    authority = None if settings.tls_client_ca is None else read_file("tls_client_ca", settings.tls_client_ca)
    require_certificates("tls_cert", settings.tls_cert, certificate)
    if not is_pair(settings.tls_cert, settings.tls_key):
        what = f"is not the key of {settings.tls_cert}, in PEM and not encrypted"
        raise BadSettings(f"tls_key: {settings.tls_key} {what}")
    if authority is not None:
        require_certificates("tls_client_ca", settings.tls_client_ca, authority)
    return grpc.ssl_server_certificate_configuration([(key, certificate)], authority), end_of(certificate)


def require_certificates(name: str, path: Path | None, content: bytes) -> None:
    """Raise BadSettings unless a file holds certificates."""
    if not holds_certificates(content):
        raise BadSettings(f"{name}: {path} holds no certificate in PEM")
