"""The SQL statements of the PostgreSQL store."""

from typing import Any, LiteralString

from clerestory.server.games.store import TARGET, Batch, Summary, untold

LIVES: LiteralString = (
    "EXISTS (SELECT FROM server WHERE server.id = game.owner AND seen > clock_timestamp() - %(lease)s * interval '1 s')"
)

# Accessible games: the ID of a damaged row may not be valid text. It is compared as bytes, with those beyond ASCII
# escaped, because text functions read past the end of a truncated character.
NAMED: LiteralString = r"encode(textsend(id), 'escape') !~ '\\'"

INSERT_GAME: LiteralString = """
    INSERT INTO game (id, name, created, touched, maker, head, bytes, owner, status, shown, due, bots_only)
    VALUES (%(id)s, %(name)s, %(created)s, %(touched)s, %(maker)s, %(head)s, %(bytes)s, %(owner)s,
        %(status)s, %(shown)s, %(due)s, %(bots_only)s)
"""
UPDATE_GAME: LiteralString = f"""
    UPDATE game SET status = %(status)s, shown = %(shown)s, due = %(due)s, bots_only = %(bots_only)s,
        bytes = bytes + %(bytes)s,
        touched = CASE WHEN %(owned)s THEN touched ELSE greatest(touched, %(now)s) END,
        owner = CASE WHEN %(due)s::BIGINT IS NULL OR {LIVES} THEN owner ELSE %(me)s END
    WHERE id = %(id)s AND NOT (%(owned)s AND owner IS DISTINCT FROM %(me)s)
        AND (%(number)s = 0 OR EXISTS (SELECT FROM entry WHERE game = %(id)s AND entry.number = %(number)s - 1))
"""
INSERT_ENTRIES: LiteralString = """
    INSERT INTO entry SELECT changed.id, entry.* FROM changed, unnest(
        %(numbers)s::INTEGER[], %(kinds)s::TEXT[], %(seats)s::INTEGER[], %(texts)s::TEXT[], %(moments)s::BIGINT[]
    ) AS entry
"""
INSERT_KEYS: LiteralString = """
    INSERT INTO key SELECT digest, changed.id, key.seat, request, %(now)s FROM changed,
        unnest(%(digests)s::TEXT[], %(key_seats)s::INTEGER[], %(requests)s::BOOLEAN[]) AS key (digest, seat, request)
"""


def storing(change: LiteralString, message: LiteralString) -> LiteralString:
    """Return a statement that changes a game, adds entries and keys to it, and notifies other servers.

    It returns one row, or none if `change` found no game. It is a single statement because no timeout of the database
    applies to the time between two, so that a server that is suspended there would lock the game until it resumes.

    Args:
        change: a statement that changes one game and returns its `id` and `owner`.
        message: the text of the notification.
    """
    return f"""
        WITH changed AS ({change} RETURNING id, owner), entries AS ({INSERT_ENTRIES}), keys AS ({INSERT_KEYS})
        SELECT pg_notify(%(channel)s, {message}) FROM changed
    """


CREATE = storing(INSERT_GAME, "concat_ws(' ', %(me)s::TEXT, %(maker)s::TEXT, id)")
APPEND = storing(
    UPDATE_GAME, "concat_ws(' ', %(me)s::TEXT, coalesce(owner, 0), (%(due)s::BIGINT IS NOT NULL)::INTEGER, id)"
)
TALLY: LiteralString = """
    SELECT maker, count(*) FILTER (WHERE status <> 'over'), count(*), sum(bytes)::BIGINT FROM game GROUP BY maker
"""
UNTOUCHED: LiteralString = f"""
    SELECT id FROM game WHERE touched < %(before)s AND id IN (
        SELECT id FROM (
            SELECT id, bytes, sum(bytes) OVER (ORDER BY touched ROWS UNBOUNDED PRECEDING) AS total FROM game
            WHERE touched < %(before)s AND {NAMED} ORDER BY touched LIMIT %(most)s
        ) AS oldest WHERE total - bytes < %(bytes)s
    ) ORDER BY touched FOR UPDATE SKIP LOCKED
"""
OLD_REVIEWS: LiteralString = """
    DELETE FROM review WHERE game = %s AND plan IN (
        SELECT plan FROM review WHERE game = %s GROUP BY plan ORDER BY max(moment) DESC OFFSET %s
    ) RETURNING octet_length(message)
"""
OLD_REQUESTS: LiteralString = """
    DELETE FROM key WHERE digest IN (
        SELECT digest FROM key WHERE request AND moment < %s LIMIT %s FOR UPDATE SKIP LOCKED
    ) RETURNING 1
"""
FORMER_TARGETS: LiteralString = """
    DELETE FROM notice_target WHERE game = %(game)s AND seat = %(seat)s AND holder <> %(holder)s
"""
KEEP_TARGET: LiteralString = """
    INSERT INTO notice_target (game, seat, url, holder, keys, told)
    SELECT %(game)s, %(seat)s, %(url)s, %(holder)s, %(keys)s, %(told)s
    WHERE (
        SELECT count(*) FROM notice_target WHERE game = %(game)s AND seat = %(seat)s AND url <> %(url)s
    ) < %(most)s
    ON CONFLICT (game, seat, url) DO UPDATE SET keys = excluded.keys
    RETURNING 1
"""
CLAIM_LIVES: LiteralString = (
    "EXISTS (SELECT FROM server WHERE id = claimant AND seen > clock_timestamp() - %(lease)s * interval '1 s')"
)
CLAIM_TARGETS: LiteralString = f"""
    UPDATE notice_target SET claimed = %(version)s, claimant = %(me)s
    WHERE game = %(game)s AND seat = %(seat)s AND holder = %(holder)s AND {untold("%(version)s")}
        AND claimed <= %(version)s AND NOT (claimed = %(version)s AND claimant <> %(me)s AND {CLAIM_LIVES})
    RETURNING {TARGET}
"""
LEFT_GAMES: LiteralString = f"""
    UPDATE notice_target SET claimant = %(me)s FROM game
    WHERE game.id = notice_target.game AND status = 'running' AND told < claimed AND NOT {CLAIM_LIVES}
    RETURNING game.id
"""
TELL_TARGET: LiteralString = """
    UPDATE notice_target SET told = greatest(told, %s) WHERE game = %s AND seat = %s AND url = %s RETURNING 1
"""
MINE: LiteralString = f"(owner = %(me)s OR NOT {LIVES})"
DUE: LiteralString = f"""
    SELECT id, maker, due, owner, row_number() OVER (PARTITION BY maker ORDER BY due) AS turn, due AS place FROM (
        SELECT id, maker, owner, due FROM game
        WHERE due IS NOT NULL AND NOT bots_only AND due < %(before)s AND NOT id = ANY(%(skip)s) AND {MINE}
            AND {NAMED}
        ORDER BY due LIMIT %(all)s
    ) AS game ORDER BY turn, place LIMIT %(most)s
"""


def waiting(following: LiteralString) -> LiteralString:
    """Return the query for each maker's longest due game of bots only, given a condition for the first maker.

    It skips from maker to maker by an index, and stops as early as possible.
    """
    maker: LiteralString = "SELECT min(maker) FROM game WHERE due IS NOT NULL AND bots_only"
    return f"""
        WITH RECURSIVE makers (maker, place) AS (
            SELECT ({maker} {following}), 1
            UNION ALL
            SELECT ({maker} AND maker > makers.maker), place + 1 FROM makers
            WHERE makers.maker IS NOT NULL AND place < %(makers)s
        )
        SELECT id, maker, due, owner, 1 AS turn, place FROM makers JOIN LATERAL (
            SELECT id, due, owner FROM game
            WHERE game.maker = makers.maker AND due IS NOT NULL AND bots_only AND due < %(before)s
                AND NOT id = ANY(%(skip)s) AND {MINE} AND {NAMED}
            ORDER BY due LIMIT 1
        ) AS own ON TRUE LIMIT %(most)s
    """


WAITING = (waiting(""), waiting("AND maker > %(after)s"))


def fields_of(summary: Summary) -> dict[str, Any]:
    """Return a summary as values of columns."""
    return {
        "status": summary.status,
        "shown": summary.shown,
        "due": summary.due,
        "bots_only": summary.bots_only,
    }


def rows_of(number: int, batch: Batch, now: int) -> dict[str, Any]:
    """Return the entries of a batch, beginning with a number, and its keys, as lists of the values of each column."""
    entries, keys = batch.entries, batch.keys
    return {
        "numbers": [*range(number, number + len(entries))],
        "kinds": [one.kind.value for one in entries],
        "seats": [one.seat for one in entries],
        "texts": [one.text for one in entries],
        "moments": [one.moment for one in entries],
        "digests": [one.digest for one in keys],
        "key_seats": [one.seat for one in keys],
        "requests": [one.request for one in keys],
        "now": now,
    }
