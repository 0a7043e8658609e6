"""Open every page of the site on a wide screen and on a phone: `look.py SITE [PICTURES]`.

A page must ask the network for nothing, say nothing on the console, load its images, and be no
wider than the screen. With a second folder, pictures of all pages are left there.
"""

import shutil
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

SCREENS = {1280: 900, 390: 844}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    """Look at all pages, and exit with what is wrong."""
    site, *pictures = [Path(place).resolve() for place in sys.argv[1:]]
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        print("no browser here: the site was built, but not looked at")
        return
    pages = sorted(site.rglob("*.html"))
    wrong = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for width, height in SCREENS.items():
            tab = browser.new_page(viewport={"width": width, "height": height})
            for page in pages:
                name = page.relative_to(site)
                wrong += [f"{name}, {width} wide: {what}" for what in look(tab, page)]
                for folder in pictures:
                    picture = f"{'-'.join(name.with_suffix('').parts)}-{width}.png"
                    tab.screenshot(path=folder / picture, full_page=True)
        browser.close()
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(pages)} pages, each looked at on {len(SCREENS)} screens; open {site}/index.html")


def look(tab: Any, page: Path) -> list[str]:
    """Open one page, and say what is wrong with it."""
    wrong: list[str] = []

    def asked(request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            wrong.append(f"asks for {request.url}")

    def said(message: Any) -> None:
        wrong.append(f"says {message.text}")

    tab.on("request", asked)
    tab.on("console", said)
    tab.goto(page.as_uri())
    wide, broken = tab.evaluate(
        """() => [
            document.documentElement.scrollWidth - innerWidth,
            [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src),
        ]"""
    )
    tab.remove_listener("request", asked)
    tab.remove_listener("console", said)
    if wide > 0:
        wrong.append(f"is {wide} pixels wider than the screen")
    return wrong + [f"lacks the image {source}" for source in broken]


if __name__ == "__main__":
    main()
