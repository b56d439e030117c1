"""The report in a real browser: no console errors, it responds, it can be read and printed."""

import pytest

from honesteval.checks import audit_split
from honesteval.report import AuditReport, EvaluationReport
from tests.report.chromium import Chromium, find_chromium

pytestmark = pytest.mark.browser

CONTRAST = """
(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (css) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = css; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => v / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const colour = rgba(getComputedStyle(node).backgroundColor);
      if (colour[3] > 0.99) return colour;
    }
    return [255, 255, 255, 1];
  };
  const low = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || parent.closest("script, style")) continue;
    const style = getComputedStyle(parent);
    if (style.visibility === "hidden" || !parent.getClientRects().length) continue;
    const colour = rgba(parent.closest("svg") ? style.fill : style.color);
    const [a, b] = [light(colour), light(behind(parent))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push(`${ratio.toFixed(2)} ${walker.currentNode.textContent.trim()}`);
  }
  return low;
})()
"""


@pytest.fixture(scope="module")
def browser():
    path = find_chromium()
    if path is None:
        pytest.skip("no Chromium: install one, or point HONESTEVAL_CHROMIUM to it")
    running = Chromium(path)
    yield running
    running.close()


@pytest.fixture(scope="module")
def reports(evaluation, classified, smiles, values, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    audit = audit_split(smiles, values, ["train", "test"] * 54)
    EvaluationReport(evaluation).to_html(folder / "evaluation.html")
    EvaluationReport(classified).to_html(folder / "classified.html")
    AuditReport(audit, smiles=smiles).to_html(folder / "audit.html")
    return folder


@pytest.fixture
def address(reports):
    return lambda name: (reports / f"{name}.html").as_uri()


@pytest.mark.parametrize("name", ["evaluation", "classified", "audit"])
def test_opens_without_console_errors_and_without_requests(browser, address, name):
    page = browser.open(address(name))
    assert page.problems() == []
    assert page.requests() == [address(name)]


def test_would_notice_an_error(browser, tmp_path):
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<!DOCTYPE html><meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; "
        "script-src 'unsafe-inline'\"><title>bad</title><img src='http://example.invalid/x.png'>"
        "<script>console.error('told'); throw new Error('thrown')</script>",
        encoding="utf-8",
    )
    problems = " | ".join(browser.open(bad.as_uri()).problems())
    assert "Content Security Policy" in problems
    assert "told" in problems
    assert "thrown" in problems


def test_hostile_names_run_nothing(browser, address, hostile):
    page = browser.open(address("classified"))
    assert page.evaluate("document.querySelectorAll('script').length") == 2
    assert page.evaluate("document.querySelector('h1').textContent") == hostile


def test_pointing_at_a_dot_shows_its_molecule(browser, address):
    page = browser.open(address("evaluation"))
    page.evaluate("document.getElementById('map').scrollIntoView({ behavior: 'instant' })")
    x, y, row = page.evaluate(
        "(() => { const data = JSON.parse(document.getElementById('map-data').textContent);"
        "const box = document.querySelector('.map circle').getBoundingClientRect();"
        "return [box.x + box.width / 2, box.y + box.height / 2, data.row[0]]; })()"
    )
    page.move_to(x, y)
    page.wait_for("document.querySelectorAll('#map-card svg line').length > 3")
    text = page.evaluate("document.getElementById('map-card').innerText")
    assert f"Row {row}" in text
    assert "pIC50: measured" in text
    assert "highest similarity to training" in text
    rings = page.evaluate(
        "[...document.querySelectorAll('.ring')].map((r) => r.getAttribute('visibility'))"
    )
    assert rings == ["visible", "visible"]
    assert page.problems() == []


def test_arrow_keys_walk_over_the_map(browser, address):
    page = browser.open(address("classified"))
    page.evaluate("document.querySelector('.map svg').focus()")
    page.wait_for("document.getElementById('map-card').classList.contains('filled')")
    place = "document.querySelector('.ring').getAttribute('cx')"
    before = float(page.evaluate(place))
    seen = [before]
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"):
        page.press(key)
        seen.append(float(page.evaluate(place)))
    assert seen[1] > seen[0]
    assert seen[3] < seen[2]
    assert page.problems() == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["evaluation", "classified", "audit"])
def test_text_stands_out_from_its_background(browser, address, name, dark):
    page = browser.open(address(name), dark=dark)
    assert page.evaluate(CONTRAST) == []


def test_contrast_is_measured(browser, tmp_path):
    faint = tmp_path / "faint.html"
    faint.write_text("<body style='background:#fff'><p style='color:#bbb'>faint</p>")
    assert "faint" in browser.open(faint.as_uri()).evaluate(CONTRAST)[0]


@pytest.mark.parametrize("width", [360, 1000, 1600])
@pytest.mark.parametrize("name", ["evaluation", "classified", "audit"])
def test_fits_the_window(browser, address, name, width):
    page = browser.open(address(name), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_prints_in_light_colours_without_what_needs_a_pointer(browser, address):
    page = browser.open(address("evaluation"), dark=True)
    assert page.pdf().startswith(b"%PDF")
    page.send("Emulation.setEmulatedMedia", media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.getElementById('map-card')).display") == "none"


def test_prints_the_checklists_that_are_folded_on_the_screen(browser, address):
    page = browser.open(address("evaluation"))
    shown = (
        "[...document.querySelectorAll('details.printed td')]"
        ".every((cell) => cell.checkVisibility({ contentVisibilityAuto: true }))"
    )
    assert page.evaluate("document.querySelectorAll('details.printed td').length") > 100
    assert page.evaluate(shown) is False
    page.send("Emulation.setEmulatedMedia", media="print")
    if page.evaluate("CSS.supports('selector(::details-content)')"):
        page.wait_for(shown)


def test_can_be_used_without_a_pointer(browser, address):
    page = browser.open(address("evaluation"))
    names = page.evaluate(
        "[...document.querySelectorAll('a[href], [tabindex=\"0\"], summary')]"
        ".map((node) => node.textContent.trim() || node.getAttribute('aria-label'))"
    )
    assert len(names) > 6
    assert all(names)
