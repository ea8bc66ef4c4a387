#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""page_test.py [--base-url URL --scene NAME [--password P]] [--pictures] [PART...] - the gateway's own page in headless Chromium.

Without --base-url the gateway is `mock.py` in each of its scenes: what they show (`scenes.py`), what people do there
(`flows.py`), and axe-core over every view, by day and by night, on a phone and on a desktop. With it, one scene of a gateway
that somebody else has brought there: the assertions of `scenes.py` and axe-core alone. --pictures writes
docs/images/page-*.png. Needs `.rig` (Tests/Rig/setup.sh); run it with .rig/venv/bin/python.
"""
import argparse
import contextlib
import pathlib
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "Rig"), str(HERE.parents[1] / "Rig" / "browser"), str(HERE)]
import browser as tool  # noqa: E402
import flows  # noqa: E402
import languages  # noqa: E402
import looking  # noqa: E402
import mock as stand_in  # noqa: E402
import pictures  # noqa: E402
import scenes  # noqa: E402
from harness import ROOT, Failed, check  # noqa: E402

AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"
# What Chromium itself writes of an answer 401, and of a gateway that is away.
NOT_FOUND_BY_MISTAKE = {"gone": ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET"),
                        "signed-out": ("401",), "refused": ("409",), "no-sensor": ("404",)}


@contextlib.contextmanager
def at(browser, address, path="/", size=looking.DESKTOP, dark=False, expected=(), wanted="en-GB"):
    """A page of its own; in the end it may have asked nobody else, and have made no mistake. `wanted`: the reader's languages."""
    page = tool.Page(browser, address + path, size=size, dark=dark, agent=AGENT, languages=wanted)
    try:
        yield page
        looking.nothing_from_elsewhere(page, address, expected)
    except Exception:
        with contextlib.suppress(Exception):
            failed = ROOT / ".build" / "web-failed.png"
            failed.parent.mkdir(exist_ok=True)
            page.picture(failed)
        raise
    finally:
        page.close()


def show(browser, address, scene, password=None):
    """The assertions of one scene, and axe-core over all its views."""
    found = []
    if scene == "locked":
        check(password, "the scene locked needs --password")
        with at(browser, address, size=looking.PHONE) as page:
            page.wait("the form", "document.querySelector('#password') !== null")
            looking.audit(page, "login", found)
            scenes.locked(page, address, password)
        check(not found, "\n".join(found))
        return "the form, a wrong and a right password, out again"
    with at(browser, address) as page:
        scenes.wait_for_status(page)
        said = scenes.SCENES[scene](page)
        scenes.look_at_all_views(page, scene, found, ["overview", "air"] if scene == "many" else scenes.VIEWS)
        if scene == "busy":
            scenes.open_first_sheet(page)
            looking.audit(page, "busy, sheet", found)
            page.key("Escape", 27)
    with at(browser, address, size=looking.PHONE) as page:
        scenes.wait_for_status(page)
        scenes.SCENES[scene](page)
    check(not found, f"{len(found)} findings:\n" + "\n".join(sorted(set(found))[:40]))
    return said or "nothing found"


def with_mock(scene, run, browser, expected=(), **options):
    gateway = stand_in.Mock(scene)
    try:
        found = []
        with at(browser, gateway.address, expected=expected, **options) as page:
            if scene != "locked":
                scenes.wait_for_status(page)
            run(gateway, page, found)
        check(not found, f"{len(found)} findings:\n" + "\n".join(sorted(set(found))[:40]))
        return "as wanted"
    finally:
        gateway.close()


def scene_part(scene):
    def part(browser):
        gateway = stand_in.Mock(scene)
        try:
            return show(browser, gateway.address, scene, stand_in.PASSWORD)
        finally:
            gateway.close()
    return part


def german_part(scene):
    def part(browser):
        gateway = stand_in.Mock(scene)
        try:
            found = []
            # A language that the page does not have comes first, as of a reader of three languages.
            with at(browser, gateway.address, wanted="fr-FR,de-AT,en") as page:
                if scene == "locked":
                    page.wait("the form", "document.querySelector('h1')?.textContent === 'Martlet-Gateway' && document.title.startsWith('Anmelden')")
                    check(not page.run(languages.LEFT), f"left in English: {page.run(languages.LEFT)}")
                    looking.audit(page, "German, login", found)
                else:
                    page.wait("the status", "document.querySelector('.headline:is(.busy, .good, .warn, .bad)') !== null && "
                              "!document.body.innerText.includes('Warten auf das Gateway')")
                    languages.german(page, found, languages.VIEWS, scene, gateway.status["problems"])
                    if scene == "busy":
                        scenes.open_first_sheet(page)
                        page.wait("the chart", "document.querySelector('dialog .chart-line, dialog .chart-dot') !== null")
                        check(not page.run(languages.LEFT), f"left in English: {page.run(languages.LEFT)}")
                        looking.audit(page, "German, sheet", found)
            check(not found, f"{len(found)} findings:\n" + "\n".join(sorted(set(found))[:40]))
            return "nothing found"
        finally:
            gateway.close()
    return part


def phone_part(browser):
    """The set-up page of Sources/PhonePage, as a German browser without Bluetooth shows it."""
    server, found = tool.Server(), []
    try:
        with at(browser, server.address.rstrip("/"), wanted="de-DE,de", size=looking.PHONE) as page:
            languages.phone(page, found)
        check(not found, f"{len(found)} findings:\n" + "\n".join(found[:40]))
        return "each text is in both"
    finally:
        server.close()


def flow_part(scene, run, expected=(), **options):
    return lambda browser: with_mock(scene, run, browser, expected, **options)


PARTS = {
    **{f"scene.{scene}": scene_part(scene) for scene in stand_in.SCENES},
    "languages": flow_part("well", lambda gateway, page, _: languages.complete(page)),
    "languages.problems": flow_part("well", lambda gateway, page, _: languages.said(page, gateway), NOT_FOUND_BY_MISTAKE["refused"],
                                    wanted="de-DE,de"),
    "languages.phone": phone_part,
    **{f"german.{scene}": german_part(scene) for scene in ("busy", "three", "four", "twelve", "sixty", "empty", "radio-off", "locked")},
    "flow.accept": flow_part("busy", flows.accept, NOT_FOUND_BY_MISTAKE["refused"]),
    "flow.accept-on-a-phone": flow_part("busy", flows.accept, NOT_FOUND_BY_MISTAKE["refused"],
                                        size=looking.PHONE),
    "flow.key-and-forget": flow_part("busy", flows.key_and_forget),
    "flow.sheet": flow_part("well", flows.sheet),
    "flow.history": flow_part("broker-down", lambda gateway, page, _: flows.history(gateway, page)),
    "flow.log": flow_part("busy", lambda gateway, page, _: flows.log(gateway, page)),
    "flow.settings": flow_part("busy", lambda gateway, page, _: flows.settings(gateway, page), NOT_FOUND_BY_MISTAKE["refused"]),
    "flow.configuration": flow_part("busy", lambda gateway, page, _: flows.configuration(gateway, page)),
    "flow.names": flow_part("busy", lambda gateway, page, _: flows.names(gateway, page)),
    "flow.findings": flow_part("busy", lambda gateway, page, _: flows.findings(gateway, page), wanted="de-DE,de"),
    "flow.machine": flow_part("busy", flows.machine),
    "flow.theme": flow_part("well", lambda gateway, page, _: flows.theme(gateway, page)),
    "flow.keyboard": flow_part("busy", lambda gateway, page, _: flows.keyboard(gateway, page)),
    "flow.stays-put": flow_part("busy", lambda gateway, page, _: flows.stays_put(gateway, page)),
    "flow.gone": flow_part("well", flows.gone, NOT_FOUND_BY_MISTAKE["gone"]),
    "flow.signed-out": flow_part("locked", lambda gateway, page, _: flows.signed_out(gateway, page, stand_in.PASSWORD),
                                 NOT_FOUND_BY_MISTAKE["signed-out"] + NOT_FOUND_BY_MISTAKE["gone"]),
    "flow.no-polling": flow_part("well", lambda gateway, page, _: flows.no_polling(gateway, page)),
    "flow.incomplete": flow_part("well", lambda gateway, page, _: flows.incomplete(gateway, page),
                                 NOT_FOUND_BY_MISTAKE["no-sensor"]),
    "flow.known-problems": flow_part("broker-down", lambda gateway, page, _: flows.known_problems(gateway, page),
                                     NOT_FOUND_BY_MISTAKE["no-sensor"]),
    "flow.wait-to-sign-in": flow_part("locked", lambda gateway, page, _: flows.wait_to_sign_in(gateway, page)),
    "flow.new-version": flow_part("well", lambda gateway, page, _: flows.update_while_it_runs(gateway, page)),
}


def run(name, part, browser):
    started = time.monotonic()
    try:
        outcome, words = "PASS", part(browser)
    except Failed as failure:
        outcome, words = "FAIL", str(failure)
    except Exception:
        outcome, words = "FAIL", traceback.format_exc()
    print(f"{outcome} {name} ({time.monotonic() - started:.0f} s): {words}", flush=True)
    return outcome == "PASS"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base-url", help="of a gateway that is there, without a path")
    parser.add_argument("--scene", choices=stand_in.SCENES, help="what that gateway shows")
    parser.add_argument("--password", help="of that gateway, for the scene locked")
    parser.add_argument("--pictures", action="store_true", help="write docs/images/page-*.png, nothing else")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {' '.join(PARTS)}")
    options = parser.parse_args()
    if (options.base_url is None) != (options.scene is None):
        parser.error("--base-url and --scene belong together")
    unknown = [name for name in options.parts if name not in PARTS]
    if unknown:
        parser.error(f"unknown part {unknown[0]}")
    looking.axe()
    with tempfile.TemporaryDirectory() as folder:
        browser = tool.Browser(pathlib.Path(folder) / "chromium.log")
        try:
            if options.pictures:
                passed = [run("pictures", pictures.take, browser)]
            elif options.base_url:
                address = options.base_url.rstrip("/")
                passed = [run(f"scene.{options.scene}", lambda each: show(each, address, options.scene, options.password), browser)]
            else:
                passed = [run(name, PARTS[name], browser) for name in options.parts or PARTS]
        finally:
            browser.close()
    print(f"the page: {sum(passed)} of {len(passed)} passed")
    sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()
