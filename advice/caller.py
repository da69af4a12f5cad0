"""Whose a search is: callers share places and workers, and none gets trees from another's requests."""

from dataclasses import dataclass, field, replace

DIGEST_SHOWN = 8  # hexadecimal digits of a digest: enough to tell callers apart


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose a search is. Origins share the workers, and the parts of an origin its share.

    Attributes:
        origin: who asks; on a server the digest of a token or an address, with the name that it speaks for. A kept
            game has that of its maker.
        part: of the origin: "" for its own questions, else a seat, the bots of a game, or all games of bots only.
        label: its name in logs; it does not tell callers apart.
    """

    origin: str
    part: str = ""
    label: str = field(default="", compare=False)

    def at(self, part: str) -> "Caller":
        """Return a part of its origin."""
        return replace(self, part=part, label=f"{self.label} {part}")


HERE = Caller("", label="here")  # whoever shares a process with its analyst, and asks for nobody else
