"""The page that everything is put into, with its style and scripts inside it."""

import base64
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from string import Template

from rbhmc.report.markup import Markup

# In this order: each uses what the ones before it define.
SCRIPTS = "base panel tip tree icicle search level scatter map uncertain traces report".split()


def page(parts: Mapping[str, Markup]) -> bytes:
    """Fill the page.

    Parameters
    ----------
    parts : mapping of str to Markup
        What stands at each place of the template, but for style and script.

    Returns
    -------
    bytes
        HTML, whose policy lets the browser run its own script alone and fetch nothing.
    """
    here = files("rbhmc.report")
    scripts = [(here / "scripts" / f"{name}.js").read_text("utf-8") for name in SCRIPTS]
    script = "(() => {\n'use strict';\n" + "\n".join(scripts) + "})();"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    filled = Template((here / "report.html").read_text("utf-8")).substitute(
        parts,
        style=(here / "report.css").read_text("utf-8"),
        script=script,
        digest=digest,
    )
    return filled.encode()
