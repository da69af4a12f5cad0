"""The parts of pictures of positions."""

from clerestory.engine.picture import PictureTexts, aligned


def test_things_are_called_as_the_telling_says_and_what_says_nothing_is_left_out() -> None:
    texts = PictureTexts("cathedral")
    assert texts.row(["sand", "", "wood"]) == "sand, wood"
    assert list(texts.lines([("event", "flood"), ("tax", ""), ("stall", "3")])) == ["event: flood", "stall: 3"]
    assert texts.names("card", ["mason_1", ""]) == ["mason_1"]
    texts = PictureTexts("duel", "de", lambda kind, name: f"{kind} {name}")
    assert texts.names("card", ["wood"]) == ["card wood"]
    assert list(texts.lines([("bank", "3")])) != ["bank: 3"]


def test_columns_are_as_wide_as_their_widest_cell_in_either_direction_of_writing() -> None:
    assert aligned([["", "red", "blue"], ["gold", "4", "30"]]) == ["      red  blue", "gold  4    30"]
    assert aligned([["זהב", "4"], ["gold", "30"]]) == ["\u2068זהב\u2069   4", "gold  30"]
