"""Write ``audit-truth.rst`` from two runs: ``python docs/audit_truth_page.py``.

``docs/benchmarks/audit-truth.json`` is written by ``benchmarks/audit_truth.py --json``,
``docs/benchmarks/audit-peers.json`` by ``benchmarks/audit_peers.py``.
"""

from __future__ import annotations

from typing import Any

from page_tables import PAGES, load, section, table

PAGE = PAGES / "audit-truth.rst"

HEAD = """\
.. This page is written by docs/audit_truth_page.py from the results of two benchmarks.

Does the audit find what leaks?
===============================

Molecules: {molecules}. Sequences: {sequences}. {rows} rows of each, drawn with {seeds} seeds, are
freed of repeats and split by similarity, so that nothing leaks. Then one leak at a time is
planted, and the check that should find it is run. The *weakest always found* is the strength from
which on every plant was found, in every set and with every seed, with any severity: that is the
stated strength of the check on data of this size. Shares are of the test rows unless the plant
says otherwise; SD is the standard deviation of the labels.

"""

STRENGTH = """\
Three seeds of five sets are {runs} runs: a check with recall 1 in all of them has, with 95 %
confidence, a recall of {bound:.2f} or more.

"""

#: Why a weaker plant can be missed: said where one was.
WHY = {
    "HE121": "few copies among some 100 test rows move the score less than its interval is wide",
    "HE123": "the clean rows of a set with few positives hold too few of them to order models by",
    "HE132": "40 proteins of 12 rows each, and 7 % positives in ClinTox: label rates of entities "
    "differ as much by chance",
    "HE133": "hubs that a third of the positives have are hardly larger than other proteins",
    "HE205": "an offset of half the spread of the labels is often made up for by the model",
    "HE301": "an exact copy of the label with this much noise says no more than the honest "
    "features do in ESOL (R2 .82 to .86)",
    "HE302": "the order is as weak as a correlation that could be real",
    "HE304": "of some 30 positives in ClinTox the gaps are two or three, or none",
    "HE403": "of so few mixtures none may lie across the sides: then none leaks",
    "HE503": "most rows of BBBP are positive: 100 test rows with six more are what chance brings",
    "HE601": "a shift of one property by a part of the rows is not seen in the similarity of 500",
    "HE602": "labels are copied from neighbours that mostly had them already",
    "HE603": "a seventh of the test rows drawn from elsewhere is some 14 rows",
}

PEERS = """\
Beside other tools
------------------

The same planted cases, one seed of each set of molecules, at the strength in the table, written as
a training and a test table (SMILES, label, {n_features} descriptors; group, date and level where
the leak needs them). Each tool ran in an environment of its own and was told what it can be told:
which column is the label, the group, the date, the SMILES. It finds a leak when it raises an alarm
that it does not raise in the clean case, whatever the alarm is called; this favours tools with
many kinds of alarms, and hides what raises the same alarm twice. The numbers are shares of the
{n_sets} sets, or of as many as the tool had time for.

Read it with care. Most of these tools are made for other leaks than those of molecules.
chemdatacheck looks at molecules and labels only, the others know no molecules; deepchecks watches
drift, which a similarity split has by design. Where a shift counts as found, it need not be called
a leak. The leaks were planted, and their strengths chosen, by the authors of honesteval.

"""


def page() -> str:
    """Return the text of the page."""
    found = load("audit-truth")
    text = HEAD.format(
        molecules=_words(found["sets"]["molecules"]),
        sequences=_words(found["sets"]["sequences"]),
        rows=found["rows"],
        seeds=found["seeds"],
    )
    runs = found["seeds"] * len(found["sets"]["molecules"])
    text += section("What is found") + _found(found) + "\n"
    text += STRENGTH.format(runs=runs, bound=0.05 ** (1 / runs)) if found["seeds"] == 3 else ""
    larger = found["larger"]
    text += "".join(
        f"{name} has few positives: three plants of its labels ({'; '.join(larger['leaks'])}) went "
        f"into {times} times the rows.\n\n"
        for name, times in larger["sets"].items()
    )
    text += _why(found)
    text += section("What is said where nothing leaks") + _silent(found)
    beside = load("audit-peers")
    text += _peers(beside) if beside else ""
    return (
        text
        + section("Run it again")
        + (
            "``python benchmarks/run.py --full --only audit-truth audit-peers``, with the data "
            "folder in ``HONESTEVAL_DATA``.\n"
        )
    )


def _words(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _link(code: str) -> str:
    return f":ref:`{code} <{code.lower()}>`"


def _found(found: dict[str, Any]) -> str:
    lines = []
    for stated in found["stated"]:
        plants = [
            line for line in found["planted"]
            if (line["code"], line["leak"]) == (stated["code"], stated["leak"])
        ]  # fmt: skip
        missed = {name for line in plants for name, share in line["by set"].items() if share < 1}
        strength = stated["strength"]
        only = len(plants) == 1
        lines.append(
            {
                "check": _link(stated["code"]),
                "planted": stated["leak"],
                "weakest always found": "none of these" if strength is None
                else "found" if only else f"{strength:g}",
                "recall by strength": f"{plants[0]['recall']:.2f}" if only else "; ".join(
                    f"{line['strength']:g}: {line['recall']:.2f}" for line in plants
                ),
                "missed in": ", ".join(sorted(missed)),
            }
        )  # fmt: skip
    return table(lines)


def _why(found: dict[str, Any]) -> str:
    missed = {line["code"] for line in found["planted"] if line["recall"] < 1}
    reasons = [f"* {_link(code)}: {WHY[code]}." for code in sorted(missed) if code in WHY]
    if not reasons:
        return ""
    return "Why the weaker ones are missed:\n\n" + "\n".join(reasons) + "\n\n"


def _silent(found: dict[str, Any]) -> str:
    silent = found["silent"]
    n = sum(line["runs"] for line in silent)
    errors = sum(line["runs"] * line["error"] for line in silent)
    codes = {line["code"] for line in silent}
    text = (
        f"The clean splits themselves, and controls that look like the plants and leak nothing: "
        f"{n:,} results of {len(codes)} checks, {errors:.0f} of them of severity error. All that "
        "was said, as shares of the runs:\n\n"
    )
    loud = [line for line in silent if line["info"] + line["warning"] + line["error"] > 0]
    text += table(
        {
            "check": _link(line["code"]),
            "data": line["case"] or "clean similarity split",
            "runs": f"{line['runs']}",
            **{name: f"{line[name]:.2f}" if line[name] else "" for name in
               ("info", "warning", "error")},
        }
        for line in sorted(loud, key=lambda line: (line["code"], line["kind"]))
    )  # fmt: skip
    return text + (
        "\nA test set of 100 rows is small (HE501); a similarity split does shift features and can "
        "shift labels (HE503, HE601, HE603); sequences that share few words are parted hardly "
        "better than at random, and one fold of five can lie amid the others (HE112, HE113, in the "
        "sets of sequences). All that is true, and no leak.\n\n"
    )


def _peers(peers: dict[str, Any]) -> str:
    text = PEERS.format(n_features=20, n_sets=len(peers["sets"]))
    tools = peers["tools"]
    lines = []
    for leak, strength in peers["strengths"].items():
        line = {"planted": leak, "strength": f"{strength:g}"}
        for tool in tools:
            share, n = tool["found"].get(leak), tool["sets"].get(leak, 0)
            part = f" ({n} sets)" if 0 < n < len(peers["sets"]) else ""
            line[_name(tool)] = "" if share is None else f"{share:.2g}{part}"
        lines.append(line)
    lines.append(
        {"planted": "*alarms in a clean case*", "strength": "",
         **{_name(tool): f"{tool['alarms in clean cases']:.1f}" for tool in tools}}
    )  # fmt: skip
    text += table(lines) + "\n"
    for tool in tools:
        if tool["failed"]:
            names = sorted({case.split(", ", 1)[1] for case in tool["failed"]})
            what = sorted({reason.removeprefix("FAILED_") for reason in tool["failed"].values()})
            text += (
                f"{_name(tool)} stopped with {_words(what)} in "
                f"{len(tool['failed'])} of {tool['cases']} cases ({'; '.join(names)}), which count "
                "as not found. "
            )
    return text.rstrip() + (
        "\n\nAlarms of honesteval are findings of severity warning and error, of others what they "
        "call a leak, a warning, or of high or medium severity. An alarm in a clean case need not "
        "be wrong: near duplicates within training, one odd descriptor or another label share are "
        "there.\n\n"
    )


def _name(tool: dict[str, Any]) -> str:
    return f"{tool['tool']} {tool['version']}".strip()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
