#!/usr/bin/python3
"""Complains of a file of pictures where one is no XML, holds a number that is none, or draws outside its own frame."""
import re
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {SVG + name for name in ("svg", "title", "desc", "path", "text", "image", "g")}
SLACK = 3.0  # px: the width of lines, boxes of values at the frame


def numbers(text):
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)]


def points_of(data):
    """The corners of path data whose commands are M, L, H, V, h, v and z."""
    x = y = 0.0
    for command, arguments in re.findall(r"([A-Za-z])([^A-Za-z]*)", data):
        values = numbers(arguments)
        if command in "ML":
            x, y = values
        elif command in "Hh":
            x = values[0] + (x if command == "h" else 0.0)
        elif command in "Vv":
            y = values[0] + (y if command == "v" else 0.0)
        elif command != "z":
            raise ValueError(f"path command {command}")
        yield x, y


def transform_of(element):
    """Shift and scale; a turned text has its anchor at the shift."""
    text = element.get("transform", "")
    shift = numbers(re.search(r"translate\(([^)]*)\)", text)[1]) if "translate" in text else (0.0, 0.0)
    scale = numbers(re.search(r"scale\(([^)]*)\)", text)[1]) if "scale" in text else (1.0, 1.0)
    return shift, scale


def drawn(element):
    (dx, dy), (sx, sy) = transform_of(element)
    if element.tag == SVG + "path":
        for x, y in points_of(element.get("d")):
            yield dx + sx * x, dy + sy * y
    elif element.tag == SVG + "text":
        yield dx + float(element.get("x", 0)), dy + float(element.get("y", 0))
    elif element.tag == SVG + "image":
        x, y = float(element.get("x")), float(element.get("y"))
        yield x, y
        yield x + float(element.get("width")), y + float(element.get("height"))


def check(root):
    if root.tag != SVG + "svg" or root.get("role") != "img" or root[0].tag != SVG + "title":
        raise ValueError("no picture with a title")
    _, _, width, height = numbers(root.get("viewBox"))
    for element in root.iter():
        if element.tag not in ALLOWED:
            raise ValueError(f"element {element.tag}")
        for name, value in element.attrib.items():
            if name != "href" and re.search(r"\b-?(nan|inf)", value, re.IGNORECASE):
                raise ValueError(f"{name}={value[:80]}")
        for x, y in drawn(element):
            if not (-SLACK <= x <= width + SLACK and -SLACK <= y <= height + SLACK):
                raise ValueError(f"{element.tag} at {x}, {y} in a picture of {width} x {height}")


try:
    with open(sys.argv[1], encoding="utf-8") as pictures:
        for picture in ElementTree.fromstring(f"<all>{pictures.read()}</all>"):
            check(picture)
except (ValueError, TypeError, ElementTree.ParseError) as error:
    sys.exit(f"{sys.argv[1]}: {error}")
