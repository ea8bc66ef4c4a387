# SPDX-License-Identifier: Apache-2.0
"""What every view of the page has to be, whatever it shows: usable with a keyboard, on a small screen, by day and by night."""
import pathlib
import subprocess
import sys

from harness import ROOT, check

HERE = pathlib.Path(__file__).parent
PHONE, DESKTOP, NARROW, TABLET = (360, 740), (1280, 900), (320, 640), (820, 1180)
WIDE_PHONE = (390, 844)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# What axe leaves open: targets (2.5.8, 24 px), reflow (1.4.10) and text that is cut off: what an element hides without a scrollbar,
# unless an ellipsis shows that and the whole text is the title.
MEASURE = r"""
(() => {
  const wrong = [];
  const about = (node) => `<${node.tagName.toLowerCase()} ${node.id || node.className}> “${node.textContent.trim().slice(0, 30)}”`;
  const root = document.querySelector('dialog[open]') ?? document;
  const clipped = (node) => node !== null && (getComputedStyle(node).clipPath !== 'none' || clipped(node.parentElement));
  for (const node of root.querySelectorAll('button, a[href], input, select, textarea, summary')) {
    if (!node.checkVisibility({ visibilityProperty: true }) || clipped(node) || node.className === 'skip') continue;
    const box = node.getBoundingClientRect();
    const target = node.type === 'checkbox' ? node.closest('.check-row').getBoundingClientRect() : box;
    if (target.width < 23.5 || target.height < 23.5) wrong.push(`${about(node)}: ${Math.round(target.width)} × ${Math.round(target.height)} px`);
    if (box.right > document.documentElement.clientWidth + 1 && !node.closest('.scroll, .log')) wrong.push(`${about(node)}: goes beyond the screen`);
  }
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) {
    wrong.push(`scrolls sideways: ${document.documentElement.scrollWidth} px in ${document.documentElement.clientWidth}`);
  }
  const pen = document.createElement('canvas').getContext('2d');
  for (const node of root.querySelectorAll('*')) {
    if (!node.checkVisibility({ visibilityProperty: true }) || clipped(node) || node.clientWidth === 0) continue;
    const style = getComputedStyle(node);
    let missing = 0;
    const words = node.tagName === 'SELECT' ? node.selectedOptions[0]?.textContent : !node.value && node.placeholder;
    if (words) {
      pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      // The arrow of a list, and the cross of a search.
      const sign = node.tagName === 'SELECT' || node.type === 'search' ? 16 : 0;
      missing = pen.measureText(words).width + sign - (node.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
    } else if (['hidden', 'clip'].includes(style.overflowX) && !['INPUT', 'TEXTAREA'].includes(node.tagName)) {
      missing = node.scrollWidth - node.clientWidth;
    }
    const isTold = style.textOverflow === 'ellipsis' && (node.closest('[title]')?.title ?? '').includes(node.textContent.trim());
    if (missing > 1 && !isTold) wrong.push(`${about(node)}: ${Math.round(missing)} px of its text are cut off`);
  }
  if (!document.documentElement.lang) wrong.push('no language');
  const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
  for (const id of new Set(ids)) if (ids.filter((each) => each === id).length > 1) wrong.push(`twice the id ${id}`);
  return wrong;
})()"""


def axe():
    """axe-core's source, of a package that pip installs once below .build."""
    folder = ROOT / ".build" / "web"
    source = folder / "axe_playwright_python" / "axe.min.js"
    if not source.exists():
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes",
                        "--target", str(folder), "-r", str(HERE / "requirements.txt")], check=True)
    check(source.exists(), f"{source} is missing")
    return source.read_text()


def resize(page, size, dark=False):
    """Another screen, once the page has drawn itself for it."""
    page.look(size, dark)
    page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def audit(page, where, found):
    """Notes what axe-core and the measures above find, by day and by night, on a narrow phone, a tablet and a desktop."""
    former = page.size
    for size in (NARROW, TABLET, DESKTOP):
        for light in ("light", "dark"):
            resize(page, size, light == "dark")
            if not page.run("typeof axe === 'object'"):
                page.run(axe() + "; 1")
            result = page.run(
                f"axe.run(document, {{ runOnly: {RULES}, resultTypes: ['violations'] }}).then((result) => result.violations.flatMap("
                "({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 120)}"
                " ${node.any.map((each) => each.message).join(' ').slice(0, 200)}`)))")
            place = f"{where}, {size[0]} px, {light}"
            found += [f"{place}: {line}" for line in result + page.run(MEASURE)]
    for size in (PHONE, WIDE_PHONE):
        resize(page, size)
        found += [f"{where}, {size[0]} px: {line}" for line in page.run(MEASURE)]
    page.look(former)


def tab_through(page, limit=40):
    """Presses Tab; each stop has to be visible, named, and shown to have the focus. Returns the names."""
    names = []
    for _ in range(limit):
        page.key("Tab", 9)
        stop = page.run(
            "(() => { const node = document.activeElement; if (node === document.body) return null;"
            " const style = getComputedStyle(node); const box = node.getBoundingClientRect();"
            " return [node.getAttribute('aria-label') || [...(node.labels ?? [])].map((each) => each.textContent).join('') || node.textContent.trim(),"
            " style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2, box.width > 0 && box.height > 0,"
            " document.elementFromPoint(box.x + box.width / 2, box.y + Math.min(box.height / 2, 20)) !== null, node.tagName]; })()")
        if stop is None:
            break
        name, is_outlined, has_size, is_on_screen, tag = stop
        check(name, f"a stop without a name after {names}: {tag}")
        check(is_outlined, f"“{name}” does not show that it has the focus")
        check(has_size and is_on_screen, f"“{name}” has the focus and is not to be seen")
        names.append(name)
    return names


def nothing_from_elsewhere(page, address, expected=()):
    """No request may have left the origin, no error may be in the console but the expected ones."""
    elsewhere = [url for url in page.urls if not url.startswith((address, "about:", "data:", f"blob:{address}"))]
    check(not elsewhere, f"the page asked somebody else: {elsewhere}")
    errors = [line for line in page.mistakes if not any(part in line for part in expected)]
    check(not errors, f"errors in the page: {errors}")
