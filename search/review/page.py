"""The HTML files of reviews: self-contained, with one style sheet."""

from html import escape
from importlib.resources import files
from string import Template

from clerestory.i18n.languages import RIGHT_TO_LEFT


def page(body: str, language: str, title: str, texts: dict[str, str]) -> str:
    """Return a page.

    Args:
        body: name of the template of its body in this package.
        language: one of LANGUAGES.
        title: its title, as text.
        texts: HTML for the names in the template.
    """
    return template("page.html").substitute(
        language=language,
        direction="rtl" if language in RIGHT_TO_LEFT else "ltr",
        title=escape(title),
        body=template(body).substitute(texts),
    )


def template(name: str) -> Template:
    """Return a template of this package."""
    return Template(files(__package__).joinpath(name).read_text(encoding="utf-8"))
