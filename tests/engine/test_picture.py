"""What the pictures of positions are made of."""

from clerestory.engine.picture import aligned, headline, named, words


def test_what_says_nothing_is_left_out() -> None:
    assert words(["sand", "", "wood"]) == "sand, wood"
    assert named([("event", "flood"), ("tax", ""), ("stall", "3")]) == ["event: flood", "stall: 3"]


def test_the_headline_says_who_acts_if_anybody_does() -> None:
    assert headline("round 2", {"step": "draw", "to_act": ""}, "cost 7") == "round 2, draw; cost 7"
    assert headline("round 2", {"step": "draft", "to_act": "red"}, "cost 7") == "round 2, draft, red to act; cost 7"


def test_columns_are_as_wide_as_their_widest_cell_and_lines_end_with_words() -> None:
    assert aligned([["", "red", "blue"], ["gold", "4", "30"]]) == ["      red  blue", "gold  4    30"]
