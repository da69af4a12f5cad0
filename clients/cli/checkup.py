"""The checkup of a machine and of the settings of a server: a finding with advice for each topic."""

import asyncio
import ctypes
import errno
import os
import resource
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any

from clerestory.addresses import is_listening, socket_of
from clerestory.cli.options import variable_name
from clerestory.declared import BadSettings, declarations
from clerestory.server.analysis.machine import free_memory, usable_cores
from clerestory.server.certificates import SOON, Certificates
from clerestory.server.config import LogSettings, Settings, is_local
from clerestory.server.descriptors import MOST, RESERVED
from clerestory.server.games.bounds import LITTLE, MEMORY
from clerestory.server.games.stores.maintenance import require_undamaged
from clerestory.server.games.stores.store_location import StoreLocation, store_location
from clerestory.server.gateway.config import BadGatewaySettings, GatewaySettings
from clerestory.server.memory import STRANGERS, planned_bytes
from clerestory.server.rpc.security import Tokens
from clerestory.sizes import spoken_size

MakeGateway = Callable[..., GatewaySettings | None]

CALL = 0.1  # seconds of search per call, when the capacity of the cores is stated in calls
ROOM = 1 << 30  # bytes free on a disk, below which games may soon fail
DRIFT = 2.0  # seconds that clocks may differ without a note
UNSYNCHRONISED = 5  # result of adjtimex(2) for a clock without synchronization
TIMEX_BYTES = 1024  # larger than its structure
FEW = 20  # connections; fewer make a port useless
PREFIX, ALIKE = "CLERESTORY_", 0.85  # of variables; similarity at which a name counts as misspelt
BUILT = datetime(2026, 1, 1, tzinfo=UTC).timestamp()  # a correct clock is never earlier
PAGE = ("web_name", "web_page", "web_proxy", "web_origin")
RESTS_ON = {  # topic -> the settings that it depends on
    "cores": ("workers",),
    "memory": ("memory", "warm_bytes"),
    "addresses": ("listen", "admin", "metrics", "web"),
    "encryption": ("listen", "tls_cert", "tls_key", "tls_client_ca", "token_file"),
    "page": ("web", *PAGE),
    "metrics": ("metrics",),
}


class Mark(StrEnum):
    """How good something is."""

    GOOD = "good"
    NOTE = "note"  # works, but less well than it could
    WRONG = "wrong"  # no server starts like this, or it soon fails


@dataclass(frozen=True, slots=True)
class Finding:
    """A line of the checkup: the topic, its mark, the finding, and the advice."""

    topic: str
    mark: Mark
    found: str
    advice: str

    def __str__(self) -> str:
        return f"{self.mark:<5}  {self.topic:<11}  {self.found}; {self.advice}"


def checkup(values: Mapping[str, Any], environment: Mapping[str, str], gateway_of: MakeGateway) -> list[Finding]:
    """Return what this machine can serve.

    Args:
        values: of the options of `clerestory serve`, by their names.
        environment: in which misspelt settings are looked for.
        gateway_of: makes the settings of the gateway from those of the server and the options of the page.
    """
    settings, gateway, faults = sound(values, gateway_of)
    there = place_of(settings, faults)
    findings = [
        given(faults, misspelt(environment)),
        cores(settings),
        memory(settings),
        descriptors(gateway),
        store(settings, there),
        clock(there),
        addresses(settings, gateway),
        secrecy(settings),
        page(gateway),
        metrics(settings),
    ]
    wrong = {name_in(fault) for fault in faults}
    return [unless_wrong(finding, wrong) for finding in findings]


def name_in(fault: str) -> str:
    """Return the setting that a fault is about."""
    return fault.partition(":")[0]


def unless_wrong(finding: Finding, wrong: Set[str]) -> Finding:
    """Return a finding, or a note if it depends on settings that are wrong."""
    if missed := [name for name in RESTS_ON.get(finding.topic, ()) if name in wrong]:
        return Finding(finding.topic, Mark.NOTE, f"not known without {' and '.join(missed)}", "correct what is above")
    return finding


# -- the settings ----------------------------------------------------------------------------------


def sound(values: Mapping[str, Any], gateway_of: MakeGateway) -> tuple[Settings, GatewaySettings | None, list[str]]:
    """Return settings that can be used, the defaults in place of those that cannot, and what is wrong with these."""
    own = {field.name: values[field.name] for field in fields(Settings)}
    faults: list[str] = []
    while True:
        try:
            settings = Settings(**own)
            read_files(settings)
            LogSettings(values["log_format"], values["log_level"])
            break
        except BadSettings as error:
            faults.append(str(error))
            if not leave_out(own, name_in(str(error))):
                settings = Settings()
                break
    try:
        chosen = {name: values[name] for name in PAGE}
        return settings, gateway_of(settings, values["web"], **chosen), faults
    except (BadGatewaySettings, BadSettings) as error:
        return settings, None, [*faults, str(error)]


def leave_out(own: dict[str, Any], name: str) -> bool:
    """Leave a wrong setting to its default, with what would be wrong without it; say whether there was one."""
    if name in ("tls_cert", "tls_key"):
        own.update(tls_cert=None, tls_key=None, tls_client_ca=None, insecure=True)
        return True
    return own.pop(name, None) is not None


def read_files(settings: Settings) -> None:
    """Read the files that settings name. Raises BadSettings."""
    if settings.tls_cert is not None:
        Certificates(settings)
    if settings.token_file is not None:
        Tokens(settings.token_file)


def misspelt(environment: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with variables that are nearly the names of settings."""
    names = [
        variable_name(*one) for kind in (Settings, LogSettings, GatewaySettings) for one in declarations(kind).items()
    ]
    for name in sorted({*environment} - {*names}):
        if name.startswith(PREFIX) and (meant := get_close_matches(name, names, 1, ALIKE)):
            yield f"{name} is not a setting (perhaps {meant[0]} is meant)"


def given(faults: list[str], strange: Iterator[str]) -> Finding:
    """Check the settings as a whole."""
    if faults:
        return Finding("settings", Mark.WRONG, ", and ".join(faults), "correct this: `serve` does not start with it")
    if odd := [*strange]:
        return Finding("settings", Mark.NOTE, ", and ".join(odd), "correct the names in the environment")
    return Finding("settings", Mark.GOOD, "all valid", "`clerestory serve --help` lists all settings")


# -- the machine -----------------------------------------------------------------------------------


def cores(settings: Settings) -> Finding:
    """Check the number of workers against the cores."""
    usable, workers = usable_cores(), settings.workers
    found = (
        f"{usable} usable, {workers} workers: {min(usable, workers) / CALL:.0f} calls of {1000 * CALL:.0f} ms a second"
    )
    if workers > usable:
        return Finding("cores", Mark.NOTE, found, f"set --workers {usable}: more only take turns")
    if workers < usable:
        return Finding("cores", Mark.GOOD, found, f"--workers {usable} would use them all")
    return Finding("cores", Mark.GOOD, found, "for more, add cores or servers (docs/operations.md)")


def memory(settings: Settings) -> Finding:
    """Check whether the machine has the memory that the server may use."""
    free, needed, trees = free_memory(Path("/")), planned_bytes(settings), settings.memory + settings.warm_bytes
    found = f"{spoken_size(free)} free, of which the server takes {spoken_size(needed)} at most"
    if needed > free:
        mark = Mark.WRONG if needed - STRANGERS > free else Mark.NOTE
        size = spoken_size(max(free - needed + trees, 0))
        return Finding("memory", mark, found, f"set --memory and --warm-bytes to {size} together, or add memory")
    return Finding("memory", Mark.GOOD, found, "--memory and --warm-bytes change it")


def descriptors(gateway: GatewaySettings | None) -> Finding:
    """Check how many connections the limit on descriptors allows."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    ports = 1 if gateway is None else 2
    each = MOST if most < 0 else max(min((most - RESERVED) // ports, MOST), 0)
    found = (
        f"{'any number' if most < 0 else most}, for {each} connections of {'the port' if ports == 1 else 'each port'}"
    )
    if each < MOST:
        mark = Mark.WRONG if each < FEW else Mark.NOTE
        return Finding("descriptors", mark, found, f"raise the hard limit (`ulimit -Hn`) to {RESERVED + ports * MOST}")
    return Finding("descriptors", Mark.GOOD, found, "the maximum: for more, add servers (docs/operations.md)")


def clock(there: StoreLocation | None) -> Finding:
    """Check whether the clock is right."""
    if time.time() < BUILT:
        return Finding(
            "clock", Mark.WRONG, f"says {datetime.now(UTC):%Y-%m-%d}", "set it: certificates would be refused"
        )
    if there is not None and abs(there.ahead) > DRIFT:
        found = f"{abs(there.ahead):.0f} s {'behind' if there.ahead > 0 else 'ahead of'} the database"
        return Finding("clock", Mark.NOTE, found, "keep both right with chrony or systemd-timesyncd")
    if is_unsynchronised():
        return Finding("clock", Mark.NOTE, "not synchronized", "run chrony or systemd-timesyncd on this machine")
    return Finding("clock", Mark.GOOD, "right as far as the system knows", "keep chrony or systemd-timesyncd running")


def is_unsynchronised() -> bool:
    """Whether the system says that nothing keeps its clock right; only Linux does."""
    if not sys.platform.startswith("linux"):
        return False
    adjtimex = getattr(ctypes.CDLL(None), "adjtimex", None)
    return adjtimex is not None and adjtimex(ctypes.create_string_buffer(TIMEX_BYTES)) == UNSYNCHRONISED


# -- games -----------------------------------------------------------------------------------------


def place_of(settings: Settings, faults: list[str]) -> StoreLocation | None:
    """Return where the games are; None, with a fault more, if the store cannot be opened."""
    try:
        there = asyncio.run(store_location(settings.store))
        if there.folder is not None and not (there.new or there.busy):
            require_undamaged(Path(there.place))
        return there
    except BadSettings as error:
        faults.append(str(error))
        return None


def store(settings: Settings, there: StoreLocation | None) -> Finding:
    """Check the store of games and its free disk space."""
    if there is None:
        return Finding("store", Mark.WRONG, "cannot be opened", "the reason is above: mend it, or name another --store")
    if settings.store == MEMORY:
        return Finding("store", Mark.NOTE, "memory: games end with the server", "`--store user:` or a FILE keeps them")
    found = f"{there.place}{', new' if there.new else ''}"
    if there.disk is None:
        return Finding("store", Mark.GOOD, found, "watch its disk where it runs")
    _, free = there.disk
    found += f", {spoken_size(free)} free"
    found += ", in use" if there.busy else ""
    if free < ROOM:
        return Finding("store", Mark.WRONG if free < LITTLE else Mark.NOTE, found, "make room on that disk")
    if there.busy:
        return Finding("store", Mark.NOTE, found, "a further server needs a --store of its own")
    return Finding("store", Mark.GOOD, found, "back it up: `clerestory store backup` (docs/hosting.md)")


# -- how it is reached -----------------------------------------------------------------------------


def addresses(settings: Settings, gateway: GatewaySettings | None) -> Finding:
    """Check whether the server can listen on its addresses."""
    wanted = [settings.listen, settings.admin, settings.metrics, "" if gateway is None else gateway.listen]
    taken = [f"{address} ({why})" for address in wanted if address and (why := why_taken(address))]
    if taken:
        return Finding(
            "addresses", Mark.NOTE, f"{', '.join(taken)}", "choose others, unless a server of yours runs there"
        )
    return Finding("addresses", Mark.GOOD, f"{', '.join(filter(None, wanted))} available", "clients use the first")


def why_taken(address: str) -> str:
    """Return why an address cannot be listened on; "" if it can."""
    path = socket_of(address)
    if path is not None:
        if not path.parent.is_dir():
            return "there is no such folder"
        return os.strerror(errno.EADDRINUSE) if is_listening(path) else ""
    host, _, port = address.rpartition(":")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, _, _, where = found[0]
        with socket.socket(family, kind) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(where)
    except OSError as error:
        return str(error.strerror)
    return ""


def secrecy(settings: Settings) -> Finding:
    """Check the encryption, and which machines can call."""
    who = "this machine" if is_local("listen", settings.listen) else "any machine that reaches it"
    if settings.tls_cert is not None:
        shown = Certificates(settings)
        found = f"TLS, {who} may call{'' if settings.token_file is None else ' with a token'}"
        if shown.left < SOON:
            mark = Mark.NOTE if shown.left > 0 else Mark.WRONG
            return Finding("encryption", mark, f"{found}, but {shown.in_words()}", "renew it, and send SIGHUP")
        return Finding("encryption", Mark.GOOD, found, "on SIGHUP renewed certificates and tokens are read")
    if not is_local("listen", settings.listen):
        found = f"none, and {who} may call"
        return Finding("encryption", Mark.NOTE, found, "give --tls-cert and --tls-key, unless a proxy encrypts")
    return Finding("encryption", Mark.GOOD, f"none, only {who} may call", "others need --tls-cert and --tls-key")


def page(gateway: GatewaySettings | None) -> Finding:
    """Check whether the server has a page for browsers."""
    if gateway is None:
        return Finding("page", Mark.GOOD, "none", "`--web 127.0.0.1:8080` shows it")
    return Finding("page", Mark.GOOD, f"http://{gateway.listen}/", "other names need --web-name (docs/hosting.md)")


def metrics(settings: Settings) -> Finding:
    """Check whether the server exports metrics."""
    if not settings.metrics:
        return Finding(
            "metrics", Mark.GOOD, "none", "`--metrics 127.0.0.1:9464` serves them to Prometheus (docs/runbook.md)"
        )
    return Finding("metrics", Mark.GOOD, f"http://{settings.metrics}/metrics", "docs/runbook.md has alerts for them")
