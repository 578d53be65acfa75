"""What every picture is drawn on: SVG text that needs nothing else, in light and in dark.

Idea: elements carry the colours of light paper as attributes, so any reader shows them; a style in
the picture answers `prefers-color-scheme: dark` with one darker or lighter colour for each.  The
colours are those that colour-blind readers tell apart (Okabe and Ito), and none is needed to tell
two things apart: shapes, dashes and words say it too.
"""

from __future__ import annotations

import unicodedata
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from panewise.plan.labels import printable

TEXT = 12
LETTER = 7.2
"""Pixels for a letter of that size, generously: fonts differ."""

INK, PAPER = "#000000", "#FFFFFF"
QUIET, FAINT, HAIR = "#444444", "#999999", "#CCCCCC"
BLUE, PALE_BLUE = "#0072B2", "#E4F0F8"
GREEN, PALE_GREEN = "#009E73", "#E3F4EE"
ORANGE, PALE_ORANGE = "#E69F00", "#FDF4DF"
PURPLE, PALE_PURPLE = "#CC79A7", "#F9EDF3"
VERMILION = "#D55E00"
SKY = "#56B4E9"

DARK = {
    INK: "#E8EAED",
    PAPER: "#16191D",
    QUIET: "#BCC2C9",
    FAINT: "#878E97",
    HAIR: "#454C55",
    BLUE: "#5BB8EE",
    PALE_BLUE: "#123650",
    GREEN: "#34C79C",
    PALE_GREEN: "#0F3B2F",
    ORANGE: "#F0B53A",
    PALE_ORANGE: "#40310B",
    PURPLE: "#E3A3C5",
    PALE_PURPLE: "#402637",
    VERMILION: "#FF8B42",
    SKY: "#8FD0F5",
}
"""The colour that takes the place of each where the reader's screen is dark."""

LINES = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION)
"""Colours of lines side by side, in the order in which they are taken."""


def paper(title: str) -> Element:
    """An empty picture with its title and background; `sized` ends it."""
    root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img"})
    root.set("class", "panewise")
    SubElement(root, "title").text = printable(title)
    SubElement(root, "style").text = _dark_style()
    SubElement(root, "rect", {"width": "100%", "height": "100%", "fill": PAPER})
    return root


def sized(root: Element, width: float, height: float) -> str:
    """The picture as text, once it is known how large it is."""
    root.set("width", f"{width:g}")
    root.set("height", f"{height:g}")
    root.set("viewBox", f"0 0 {width:g} {height:g}")
    return tostring(root, encoding="unicode")


def _dark_style() -> str:
    # an attribute yields to a rule, and rules stay within pictures of this class
    rules = [
        f'svg.panewise [{what}="{light}"]{{{what}:{dark}}}'
        for light, dark in DARK.items()
        for what in ("fill", "stroke")
    ]
    return f"@media (prefers-color-scheme: dark){{{''.join(rules)}}}"


def shape(parent: Element, kind: str, title: str = "", /, **attributes: Any) -> Element:
    """An element with its attributes; `stroke_width=2` is written stroke-width="2"."""
    spelled = {
        name.replace("_", "-"): value if isinstance(value, str) else f"{value:.6g}"
        for name, value in attributes.items()
        if value is not None
    }
    made = SubElement(parent, kind, spelled)
    if title:
        SubElement(made, "title").text = printable(title)
    return made


def write(
    parent: Element,
    x: float,
    y: float,
    text: str,
    *,
    size: int = TEXT,
    colour: str = INK,
    bold: bool = False,
    anchor: str = "start",
    halo: bool = False,
    then: str = "",
) -> None:
    """Text at a place; user's text is safe here.

    A `halo` keeps lines behind it away; `then` follows in a quieter voice.
    """
    style = {"x": f"{x:g}", "y": f"{y:g}", "font-size": str(size), "fill": colour}
    style["font-family"] = "sans-serif"
    if bold:
        style["font-weight"] = "bold"
    if anchor != "start":
        style["text-anchor"] = anchor
    if halo:
        style |= {"stroke": PAPER, "stroke-width": "4", "paint-order": "stroke"}
    made = SubElement(parent, "text", style)
    made.text = printable(text)
    if then:
        quiet = {"font-weight": "normal", "fill": QUIET, "dx": "8"}
        SubElement(made, "tspan", quiet).text = printable(then)


def columns(text: str) -> int:
    """Widths of letters; those of East Asian scripts count twice."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def width_of(text: str, size: int = TEXT) -> float:
    """Pixels that a text takes, at most."""
    return columns(text) * LETTER * size / TEXT


def short(text: str, most: int) -> str:
    """A text that fits so many columns, cut where it does not.

    >>> short("tumbling(10m)", 20), short("tumbling(10m)", 8)
    ('tumbling(10m)', 'tumblin…')
    """
    if columns(text) <= most:
        return text
    while text and columns(text) > most - 1:
        text = text[:-1]
    return text + "…"
