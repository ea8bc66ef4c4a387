#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""build.py FOLDER - make a site of the documents in FOLDER. Fails on a link that leads nowhere, a document that the navigation
does not have, a page that would load something from elsewhere, and a picture that is too large.

The documents are copied as they lie in the repository, so that their links hold.
"""
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TOP = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"]
# Programs that pages link to, as they are: the folder in the repository, and its place in the site.
BESIDE = {"Sources/PhonePage": "docs/provision", "docs/decoders.d": "docs/decoders.d"}
PICTURE_LIMIT = 300_000
# Of tags that make a browser load something. Links, which a reader follows, are no matter.
LOADED = re.compile(r"""<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\bsrc\s*=\s*["']?(?:https?:)?//[^"'\s>]+"""
                    r"""|<link\b(?![^>]*rel=["']?canonical)[^>]*\bhref\s*=\s*["']?(?:https?:)?//[^"'\s>]+""", re.I)
LOADED_BY_STYLE = re.compile(r"""(?:@import\s+["']?|url\(\s*["']?)(?:https?:)?//[^"')\s]+""", re.I)


def documents():
    """Paths in the repository of what belongs to the site."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "docs", "board", "overlays"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.splitlines()
    return TOP + [name for name in listed if (name.startswith("docs/") or name.endswith(".md")) and (ROOT / name).is_file()]


def copy(source):
    shutil.rmtree(source, ignore_errors=True)
    for name in documents():
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    for folder, place in BESIDE.items():
        shutil.copytree(ROOT / folder, source / place, dirs_exist_ok=True)
    # Its links lead from where it lies.
    (source / "index.md").write_text((HERE / "index.md").read_text().replace("](../", "](docs/"))
    (source / "docs/contributing/index.md").write_text(
        "# Recipes for contributors\n\n```{toctree}\n:glob:\n\n*\n```\n", encoding="utf-8")


def loaded_from_elsewhere(site):
    for file in sorted(site.rglob("*")):
        if file.suffix in (".html", ".css"):
            text = file.read_text(encoding="utf-8")
            for found in (LOADED if file.suffix == ".html" else LOADED_BY_STYLE).findall(text):
                yield f"{file.relative_to(site)}: {found}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    site = pathlib.Path(sys.argv[1]).resolve()
    source = site.with_name("site-source")
    copy(source)
    shutil.rmtree(site, ignore_errors=True)
    mermaid = importlib.util.find_spec("mermaidx")
    shutil.copy2(pathlib.Path(mermaid.submodule_search_locations[0]) / "assets/mermaid.js", source / "docs/site/static/mermaid.js")
    built = subprocess.run([sys.executable, "-m", "sphinx", "-b", "html", "-q", "-W", "--keep-going", "-E", "-c", str(source / "docs/site"),
                            "-d", str(site.with_name("site-doctrees")), str(source), str(site)])
    if built.returncode:
        sys.exit("the site has mistakes: see above")
    for folder, place in BESIDE.items():
        shutil.copytree(ROOT / folder, site / place, dirs_exist_ok=True)
    mistakes = list(loaded_from_elsewhere(site))
    mistakes += [f"{picture.relative_to(ROOT)} has {picture.stat().st_size} octets: {PICTURE_LIMIT} at most"
                 for picture in (ROOT / "docs/images").iterdir() if picture.stat().st_size > PICTURE_LIMIT]
    for mistake in mistakes:
        print(mistake)
    if mistakes:
        sys.exit("a page loads something from elsewhere, or a picture is too large: see above")
    print(f"{len(list(site.rglob('*.html')))} pages in {site}")


main()
