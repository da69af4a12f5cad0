"""The owner's form: what a box says is typed, checked at its field, and becomes a catalogue that a server takes."""

import re
from urllib.parse import unquote

from playwright.sync_api import Locator, Page, expect

from clerestory.engine.duel.catalogue import DuelCatalogue

SHIPPED = DuelCatalogue.load()


def opened(page: Page) -> Page:
    page.get_by_role("link", name="You own a box of Builders Duel?").click()
    expect(page.get_by_role("heading", name="What your cards say")).to_be_visible()
    return page


def card(page: Page, name: str) -> Locator:
    return page.locator(f".boxed-card[aria-label={name!r}]")


def file_of(page: Page) -> DuelCatalogue:
    """The catalogue file that the form offers, as the engine reads it."""
    link = page.get_by_role("link", name="Save the catalogue file")
    content = unquote((link.get_attribute("href") or "").partition(",")[2])
    return DuelCatalogue.parse(content)


def test_untouched_the_form_offers_the_shipped_cards(page: Page) -> None:
    opened(page)
    assert file_of(page).content_hash() == SHIPPED.content_hash()
    expect(page.locator(".send textarea")).to_have_value(re.compile(r"Nothing differs\."))


def test_what_is_typed_is_in_the_file_with_its_source(page: Page) -> None:
    opened(page)
    card(page, "Bell-founder").get_by_label("Price in gold").fill("5")
    card(page, "Aliena").get_by_label("Name on the card").fill("Aliena of Shiring")
    found = file_of(page)
    assert found.cards["bell_founder"].effect.price == 5  # type: ignore[union-attr]
    assert found.cards["bell_founder"].sources["effect"] == "stated BOX"
    assert found.cards["mason"].sources == SHIPPED.cards["mason"].sources
    assert found.cards["aliena"].name == "Aliena of Shiring"
    expect(page.locator(".send textarea")).to_have_value(re.compile("bell_founder  effect.price: 4 -> 5"))
    page.reload()  # what was typed is kept in the browser
    assert file_of(page).content_hash() == found.content_hash() != SHIPPED.content_hash()
    page.get_by_label("I have compared every card").check()
    assert set(file_of(page).cards["mason"].sources.values()) == {"stated BOX"}


MISTAKES = [
    ("Bell-founder", "Price in gold", "31", "A whole number from 1 to 30"),
    ("Wool", "How many", "12", "A whole number from 1 to 11"),
    ("Wool", "How many", "99999999999", "A whole number from 1 to 11"),
    ("Influence", "Copies in deck A", "", "A whole number from 0 to 27"),
    ("Storming the Castle", "Copies in deck A", "2", "There is one copy of a 1x card"),
]


def test_each_mistake_is_told_at_its_field(page: Page) -> None:
    opened(page)
    file = page.get_by_role("link", name="Save the catalogue file")
    for name, label, value, mistake in MISTAKES:
        field = card(page, name).get_by_label(label)
        before = field.input_value()
        field.fill(value)
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(card(page, name).get_by_role("alert")).to_have_text(mistake)
        expect(file).to_have_count(0)
        field.fill(before)
        expect(file).to_have_count(1)


def test_decks_that_do_not_add_up_are_told(page: Page) -> None:
    opened(page)
    card(page, "Wood").get_by_label("Copies in deck A").fill("2")
    expect(page.get_by_text("Deck A has 28 of 27 cards")).to_be_visible()
    expect(page.get_by_role("link", name="Save the catalogue file")).to_have_count(0)
    card(page, "Sand").get_by_label("Copies in deck A").fill("0")
    assert file_of(page).cards["wood"].a == 2


def test_the_form_speaks_the_language_of_the_page(page: Page) -> None:
    opened(page)
    page.evaluate("localStorage.setItem('language', 'it')")
    page.reload()
    expect(page.get_by_role("heading", name="Che cosa dicono le tue carte")).to_be_visible()
    page.locator(".boxed-card:has-text('Aliena')").get_by_label("Nome sulla carta").fill("Aliena di Shiring")
    link = page.get_by_role("link", name="Salva il file delle carte")
    found = DuelCatalogue.parse(unquote((link.get_attribute("href") or "").partition(",")[2]))
    assert found.cards["aliena"].names == {"it": "Aliena di Shiring"}
    assert found.cards["aliena"].name == SHIPPED.cards["aliena"].name
