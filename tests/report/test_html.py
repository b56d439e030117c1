"""The page stands alone, escapes everything, and is the same every time."""

import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from honesteval.report import EvaluationReport


class Page(HTMLParser):
    """Every element with its attributes, and whether tags close in order."""

    VOID = frozenset({"meta", "link", "br", "img", "input", "hr"})

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.text = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def all(self, *tags):
        return [attrs for tag, attrs in self.elements if tag in tags]


@pytest.fixture(scope="module")
def html(evaluation):
    return EvaluationReport(evaluation).to_html()


@pytest.fixture(scope="module")
def hostile_html(classified):
    return EvaluationReport(classified).to_html()


@pytest.fixture(scope="module", params=["html", "hostile_html"])
def page(request):
    return Page(request.getfixturevalue(request.param))


def test_tags_close_in_order(page):
    assert page.open == []


def test_asks_for_nothing_from_elsewhere(page, html, hostile_html):
    for _, attrs in page.elements:
        for name in ("src", "href", "xlink:href", "action", "data", "srcset"):
            target = attrs.get(name)
            assert target is None or target.startswith("#") or target == "data:,"
    for text in (html, hostile_html):
        assert "@import" not in text
        assert set(re.findall(r"https?://[^\s\"'<]+", text)) <= {"http://www.w3.org/2000/svg"}
        assert not re.search(r"url\((?!#)", text)


def test_policy_allows_the_one_script_and_nothing_else(page):
    policy = next(a["content"] for a in page.all("meta") if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    assert "unsafe-inline" not in policy.split("script-src")[1]
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    scripts = page.all("script")
    assert [script.get("type") for script in scripts] == ["application/json", None]


def test_names_that_are_markup_stay_text(hostile_html, hostile):
    page = Page(hostile_html)
    assert "<script>alert" not in hostile_html
    assert hostile in "".join(page.text)
    assert "alert(1)" in hostile_html


def test_identifiers_are_unique_and_links_find_them(page):
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    for attrs in page.all("a", "use"):
        target = attrs.get("href", "")
        if target.startswith("#"):
            assert target[1:] in ids


def test_every_picture_has_an_alternative_text(page):
    ids = {attrs["id"] for _, attrs in page.elements if "id" in attrs}
    pictures = page.all("svg")
    assert len(pictures) > 5
    for attrs in pictures:
        assert attrs["role"] == "img"
        assert attrs.get("aria-label") or attrs["aria-labelledby"] in ids


def test_tables_have_captions_and_scopes(page):
    assert len(page.all("table")) == len(page.all("caption"))
    assert all("scope" in attrs for attrs in page.all("th"))


def test_headings_do_not_skip_a_level(page):
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_verdict_comes_first_and_numbers_are_there(html, evaluation):
    text = "".join(Page(html).text)
    verdict = EvaluationReport(evaluation).summary["tasks"][0]["verdict"]
    assert verdict["headline"] in text
    assert text.index(verdict["headline"]) < text.index("Paired differences")
    for sentence in verdict["sentences"]:
        assert sentence in text
    assert "ring closure" in text


def test_pictures_follow_the_theme(html):
    drawn = "".join(re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL))
    assert not re.findall(r"#[0-9a-fA-F]{6}", drawn)
    assert "var(--random)" in drawn
    declared = set(re.findall(r"(--[\w-]+):", html))
    assert set(re.findall(r"var\((--[\w-]+)\)", html)) <= declared


def test_same_evaluation_gives_the_same_bytes(evaluation, html):
    assert EvaluationReport(evaluation).to_html() == html


def test_is_light(html, hostile_html):
    assert len(html) < 800_000
    assert len(hostile_html) < 1_000_000


def test_pairs_are_drawn_for_each_split(html):
    titles = re.findall(r"Molecule of row (\d+)", html)
    assert len(titles) == 16


def test_without_molecules_there_are_no_structures(quick):
    import numpy as np
    from sklearn.linear_model import Ridge

    from honesteval.report import evaluate

    X = np.random.default_rng(0).normal(size=(30, 3))
    found = evaluate(
        X, X[:, 0], similarity="rbf", **{**quick, "estimator": Ridge(), "n_permutations": 0}
    )
    text = EvaluationReport(found).to_html()
    assert "Molecule of row" not in text
    assert 'id="pairs"' not in text
    assert "nothing to tune" in text


def test_writes_what_the_name_asks_for(evaluation, tmp_path):
    report = EvaluationReport(evaluation)
    for name, start in (("a.html", "<!DOCTYPE html>"), ("a.md", "# Ring"), ("a.json", "{")):
        report.write(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    with pytest.raises(ValueError, match=r"must end in \.html, \.md, \.json"):
        report.write(tmp_path / "a.pdf")


def test_markdown_tables_are_whole_and_markup_is_text(evaluation, classified):
    for found in (evaluation, classified):
        text = EvaluationReport(found).to_markdown()
        block = []
        for line in [*text.splitlines(), ""]:
            if line.startswith("|"):
                block.append(len(re.findall(r"(?<!\\)\|", line)))
            elif block:
                assert len(set(block)) == 1, line
                assert len(block) >= 3
                block = []
        assert "<script" not in text.replace("\\<script", "")


def test_several_tasks_are_set_side_by_side_first(hostile_html, evaluation, classified):
    text = "".join(Page(hostile_html).text)
    table = text.index("All tasks: the logistic regression on both splits")
    assert text.index("Of 2 tasks, ") < table < text.index("Tested on folds")
    assert "All tasks" not in EvaluationReport(evaluation).to_html()
    report = EvaluationReport(classified)
    kinds = [task["verdict"]["kind"] for task in report.summary["tasks"]]
    assert len(kinds) == 2
    counted = {kind: kinds.count(kind) for kind in kinds}
    from honesteval.report._words import KIND_WORDS

    for words in (f"{n} {KIND_WORDS[kind]}" for kind, n in counted.items()):
        for form in (report.to_markdown(), report.text(), text):
            assert words in form
