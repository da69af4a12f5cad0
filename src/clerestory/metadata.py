"""Names of the metadata of calls that are ours."""

ON_BEHALF = "x-on-behalf-of"  # for whom a client asks that acts for many: each of them is a caller
SEAT = "x-clerestory-seat"  # `GAME_ID TOKEN` of whoever sits at a kept game: each seat is a part of its caller
VIA = ("x-clerestory-via", "web")  # marks calls that come through the door for browsers, in logs and metrics
