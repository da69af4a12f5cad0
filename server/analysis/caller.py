"""The identity of a caller, which determines its share of slots and workers, and separates its trees."""

from dataclasses import dataclass, field, replace

DIGEST_SHOWN = 8  # hexadecimal digits of a digest: enough to distinguish callers


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller. Origins share the workers, and the parts of an origin share its share.

    Attributes:
        origin: on a server, the digest of a token or an address with the user that it calls for. A hosted game has the
            origin of its creator.
        part: part of the origin: "" for its own queries, otherwise a seat, the bots of a game, or all games of bots
            only.
        label: its name in logs, which is not unique.
    """

    origin: str
    part: str = ""
    label: str = field(default="", compare=False)

    def at(self, part: str) -> "Caller":
        """Return a part of this origin."""
        return replace(self, part=part, label=f"{self.label} {part}")


HERE = Caller("", label="here")  # a program in the same process, calling for itself
