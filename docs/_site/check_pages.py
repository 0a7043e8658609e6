"""Check every page of the site at the widths of a desktop and a phone.

`check_pages.py SITE [SCREENSHOTS]` checks that a page requests nothing from the network, writes
nothing to the console, loads its images, and is not wider than the screen. With a second folder,
it saves screenshots of all pages there.
"""

import shutil
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

SCREENS = {1280: 900, 390: 844}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    """Check all pages, and exit with the list of problems."""
    site, *screenshots = [Path(place).resolve() for place in sys.argv[1:]]
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        print(f"the site was built but not checked: none of {', '.join(BROWSERS)} is installed")
        return
    pages = sorted(site.rglob("*.html"))
    problems = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for width, height in SCREENS.items():
            tab = browser.new_page(viewport={"width": width, "height": height})
            for page in pages:
                name = page.relative_to(site)
                problems += [f"{name}, {width} wide: {what}" for what in check_page(tab, page)]
                for folder in screenshots:
                    file = f"{'-'.join(name.with_suffix('').parts)}-{width}.png"
                    tab.screenshot(path=folder / file, full_page=True)
        browser.close()
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(pages)} pages checked at {len(SCREENS)} widths; open {site}/index.html")


def check_page(tab: Any, page: Path) -> list[str]:
    """Open one page, and return its problems."""
    problems: list[str] = []

    def on_request(request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            problems.append(f"requests {request.url}")

    def on_console(message: Any) -> None:
        problems.append(f"writes to the console: {message.text}")

    tab.on("request", on_request)
    tab.on("console", on_console)
    tab.goto(page.as_uri())
    excess, broken = tab.evaluate(
        """() => [
            document.documentElement.scrollWidth - innerWidth,
            [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src),
        ]"""
    )
    tab.remove_listener("request", on_request)
    tab.remove_listener("console", on_console)
    if excess > 0:
        problems.append(f"is {excess} pixels wider than the screen")
    return problems + [f"cannot load the image {source}" for source in broken]


if __name__ == "__main__":
    main()
