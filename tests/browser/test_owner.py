"""The owner's form: values from a box are typed, checked at their field, and become a catalogue for a server."""

import re
from urllib.parse import unquote

import pytest
from playwright.sync_api import Locator, Page, expect

from clerestory.engine.duel.data.catalogue import DuelCatalogue

SHIPPED = DuelCatalogue.load()


@pytest.fixture
def form(page: Page) -> Page:
    page.get_by_role("link", name="Do you own Builders Duel?").click()
    expect(page.get_by_role("heading", name="What your cards say")).to_be_visible()
    return page


def card(page: Page, name: str) -> Locator:
    return page.locator(f".boxed-card[aria-label={name!r}]")


def file_of(page: Page, name: str = "Save the catalogue file") -> DuelCatalogue:
    """Return the catalogue file that the form offers, as the engine reads it."""
    link = page.get_by_role("link", name=name)
    content = unquote((link.get_attribute("href") or "").partition(",")[2])
    return DuelCatalogue.parse(content)


def test_typed_values_are_in_the_file_with_their_source(form: Page) -> None:
    assert file_of(form).content_hash() == SHIPPED.content_hash()
    differs = form.locator(".send textarea")
    expect(differs).to_have_value(re.compile(r"Nothing differs\."))
    card(form, "Bell-founder").get_by_label("Price in gold").fill("5")
    card(form, "Aliena").get_by_label("Name on the card").fill("Aliena of Shiring")
    expect(differs).to_have_value(re.compile("bell_founder  effect.price: 4 -> 5"))
    found = file_of(form)
    assert found.cards["bell_founder"].effect.price == 5  # type: ignore[union-attr]
    assert found.cards["bell_founder"].sources["effect"] == "stated BOX"
    assert found.cards["mason"].sources == SHIPPED.cards["mason"].sources
    assert found.cards["aliena"].name == "Aliena of Shiring"
    form.reload()  # the browser keeps the input
    assert file_of(form).content_hash() == found.content_hash() != SHIPPED.content_hash()
    form.get_by_label("I have compared every card").check()
    assert set(file_of(form).cards["mason"].sources.values()) == {"stated BOX"}


MISTAKES = [
    ("Bell-founder", "Price in gold", "31", "A whole number from 1 to 30"),
    ("Wool", "How many", "12", "A whole number from 1 to 11"),
    ("Wool", "How many", "99999999999", "A whole number from 1 to 11"),
    ("Influence", "Copies in deck A", "", "A whole number from 0 to 27"),
    ("Storming the Castle", "Copies in deck A", "2", "There is one copy of a 1x card"),
]


def test_each_mistake_is_shown_at_its_field(form: Page) -> None:
    file = form.get_by_role("link", name="Save the catalogue file")
    for name, label, value, mistake in MISTAKES:
        field = card(form, name).get_by_label(label)
        before = field.input_value()
        field.fill(value)
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(card(form, name).get_by_role("alert")).to_have_text(mistake)
        expect(file).to_have_count(0)
        field.fill(before)
        expect(file).to_have_count(1)
    card(form, "Wood").get_by_label("Copies in deck A").fill("2")
    expect(form.get_by_text("Deck A has 28 of 27 cards")).to_be_visible()
    expect(file).to_have_count(0)
    card(form, "Sand").get_by_label("Copies in deck A").fill("0")
    assert file_of(form).cards["wood"].a == 2


def test_the_form_speaks_the_language_of_the_page(form: Page) -> None:
    form.evaluate("localStorage.setItem('language', 'it')")
    form.reload()
    expect(form.get_by_role("heading", name="Che cosa dicono le tue carte")).to_be_visible()
    form.locator(".boxed-card:has-text('Aliena')").get_by_label("Nome sulla carta").fill("Aliena di Shiring")
    found = file_of(form, "Salva il file delle carte")
    assert found.cards["aliena"].names == {"it": "Aliena di Shiring"}
    assert found.cards["aliena"].name == SHIPPED.cards["aliena"].name
