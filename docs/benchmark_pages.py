"""Write the pages of the benchmarks from their results: ``python docs/benchmark_pages.py``.

``python benchmarks/run.py`` makes the results (``docs/benchmarks/*.json``) and then calls this; the
pages about partitions, deployment, audits and published splits have scripts of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from page_tables import RESULTS, formatted, load, number, save, section, table

SETS = {"esol": "ESOL", "bace": "BACE", "tox21": "Tox21"}


def note(script: str, extra: str = "") -> str:
    """Return the first lines of a page and how to make it again."""
    again = f"python benchmarks/run.py --full --only {script}"
    return (
        f".. This page is written by docs/benchmark_pages.py from benchmarks/{script}.json.\n\n"
        "{title}"
        f"Made by ``{again}``{extra}.\n\n"
    )


def begin(script: str, title: str, extra: str = "") -> str:
    """Return the head of a page."""
    return note(script, extra).format(title=section(title, "="))


# -- do splits make scores honest? ---------------------------------------------------------------


def honest_splits() -> str:
    """Score against what crosses."""
    rows = load("honest-splits")
    text = (
        begin("honest-splits", "Splits and scores")
        + """\
The claim behind similarity splits (Joeres, Blumenthal and Kalinina 2025, Figures 3 and 5) is that
the more similarity crosses between folds, the better a model looks. Each set is split up to
seven ways into five folds; four models of fixed settings predict each fold from the others. RMSE is
that of all rows, ROC-AUC the mean over folds (two models need not share a scale), both with 95 %
intervals.
*L* is the share of all similarity that crosses, *nearest* the mean similarity of a molecule to the
nearest outside its fold. Of sets with more molecules, 4,000 are drawn. DataSAIL had 300 s with
other work beside it; where its row is missing it was not run or gave no split.

"""
    )
    text += ".. figure:: ../_static/benchmark-honest-splits.svg\n"
    text += "   :alt: Scores against scaled L, a panel for each set, a line for each model.\n\n"
    text += "   Score against what crosses, a point for each split, with its interval.\n\n"
    text += "What it shows: " + _trend(rows) + "\n\n"
    text += (
        "Scaffold folds are no ladder step of the same kind: their largest group (molecules "
        "without a ring) is a fold of its own on small sets, so that the label shifts, too. L is "
        "not all that matters: of two splits with equal L, that with farther nearest neighbours "
        "is the harder one.\n\n"
    )
    for name in dict.fromkeys(row["set"] for row in rows):
        mine = [row for row in rows if row["set"] == name]
        text += section(f"{name} ({mine[0]['metric']})")
        models = list(dict.fromkeys(row["model"] for row in mine))
        shown = []
        for split in dict.fromkeys(row["split"] for row in mine):
            of = {row["model"]: row for row in mine if row["split"] == split}
            first = next(iter(of.values()))
            shown.append(
                {
                    "split": split,
                    "L": number(first["scaled L"], ".3f"),
                    "nearest": number(first["mean nearest"], ".3f"),
                    "lost": number(first["lost"], ".0f"),
                    **{model: _score(of.get(model)) for model in models},
                }
            )
        text += table(shown) + "\n"
    return text


def _score(row: dict[str, Any] | None) -> str:
    if row is None:
        return ""
    interval = f" [{row['low']:.3f}, {row['high']:.3f}]" if "low" in row else ""
    return f"{row['score']:.3f}{interval}"


def _trend(rows: list[dict[str, Any]]) -> str:
    """Say how often the model looks better on random folds than on those of honesteval."""
    worse = apart = with_interval = n = 0
    balanced: list[float] = []
    ordered = steps = 0
    for name in dict.fromkeys(row["set"] for row in rows):
        for model in dict.fromkeys(row["model"] for row in rows if row["set"] == name):
            of = {row["split"]: row for row in rows if (row["set"], row["model"]) == (name, model)}
            if not {"random", "honesteval"} <= set(of):
                continue
            sign = 1 if of["random"]["metric"] == "ROC-AUC" else -1
            random, ours = of["random"], of["honesteval"]
            n += 1
            worse += sign * (random["score"] - ours["score"]) > 0
            if "honesteval, stratified" in of:
                balanced.append(of["honesteval, stratified"]["score"] - ours["score"])
            if "low" in random:
                with_interval += 1
                edge = random["low"] - ours["high"] if sign > 0 else ours["low"] - random["high"]
                apart += edge > 0
            by_leakage = sorted(of.values(), key=lambda row: row["scaled L"])
            for low, high in pairwise(by_leakage):
                steps += 1
                ordered += sign * (high["score"] - low["score"]) >= 0
    return (
        f"in {worse} of {n} pairs of set and model the score on random folds is better than on "
        f"honesteval's; in {apart} of the {with_interval} with intervals these do not meet. From "
        f"one split to the next in the order of L the score gets better in {ordered} of {steps} "
        "steps: the trend is strong, the order of neighbours is not guaranteed."
        + _balanced(balanced)
    )


def _balanced(differences: list[float]) -> str:
    """Say what balancing the classes of similarity folds does to a mean over folds."""
    if not differences:
        return ""
    higher = sum(difference > 0 for difference in differences)
    mean = sum(differences) / len(differences)
    return (
        f" Balanced classes change the ROC-AUC of similarity folds by {mean:+.3f} in the mean "
        f"(higher in {higher} of {len(differences)} pairs), at hardly more L. Two reasons "
        "are not told apart here: test folds with another share of positives than training are "
        "harder, and balancing parts clusters of one class, which L over all pairs hardly sees."
    )


def _honest_figure() -> None:
    import matplotlib.pyplot as plt

    rows = [row for row in load("honest-splits") if "low" in row]
    sets = list(dict.fromkeys(row["set"] for row in rows))
    n_rows = -(-len(sets) // 3)
    figure, axes = plt.subplots(
        n_rows, min(3, len(sets)), figsize=(9, 2.8 * n_rows), layout="constrained", squeeze=False
    )
    models = list(dict.fromkeys(row["model"] for row in rows))
    for ax, name in zip(axes.flat, sets, strict=False):
        for i, model in enumerate(models):
            of = sorted(
                (row for row in rows if (row["set"], row["model"]) == (name, model)),
                key=lambda row: row["scaled L"],
            )
            scores = [row["score"] for row in of]
            limits = [[row["score"] - row["low"] for row in of],
                      [row["high"] - row["score"] for row in of]]  # fmt: skip
            ax.errorbar([row["scaled L"] for row in of], scores, limits, fmt="o-", color=f"C{i}",
                        markersize=3, linewidth=1, label=model)  # fmt: skip
        metric = next(row["metric"] for row in rows if row["set"] == name)
        if metric == "RMSE":
            ax.invert_yaxis()
        ax.set_title(f"{name}, {metric}", fontsize=9)
        ax.set_xlabel("Scaled L", fontsize=8)
        ax.tick_params(labelsize=7)
    for ax in axes.flat[len(sets) :]:
        ax.set_axis_off()
    axes[0, 0].legend(frameon=False, fontsize=7)
    save(figure, "benchmark-honest-splits.svg")


# -- effort, tolerances, solvers -----------------------------------------------------------------


def search() -> str:
    """Effort, clusters, tolerances and solvers."""
    tables = load("search")["tables"]
    for rows in tables.values():
        for row in rows:
            row["set"] = SETS[row["set"]]
    text = (
        begin("search", "Effort, tolerances and solvers")
        + """\
Five folds of equal shares, ECFP4 of 2,048 bits; seconds are CPU seconds from the similarity to
the folds. Beside Figure 6 of the DataSAIL paper: there time grows with the number of clusters that
the programme can hold and the answer gets better with it; here molecules are moved themselves.

"""
    )
    text += section("Effort") + "Starts that are annealed side by side; three seeds each.\n\n"
    text += formatted(
        tables["effort"],
        {"set": "", "n_init": ".0f", "mean L": ".4f", "lowest L": ".4f", "highest L": ".4f",
         "cpu s": ".1f"},
    ) + "\n"  # fmt: skip
    text += section("Clusters first") + (
        "The same search on k-means clusters of molecules instead of molecules: what is joined "
        "too early cannot be parted again.\n\n"
    )
    text += formatted(
        tables["clusters"],
        {"set": "", "clusters": "", "largest cluster": ".0f", "L": ".4f", "cpu s": ".1f",
         "clustering cpu s": ".1f"},
    ) + "\n"  # fmt: skip
    text += section("How equal the folds must be") + (
        "Fold sizes may differ from their share by eps, relatively, on both sides. The bound is "
        "proven for that tolerance.\n\n"
    )
    text += formatted(
        tables["sizes"],
        {"set": "", "eps": "", "L": ".4f", "of random": ".3f", "bound": ".4f",
         "smallest fold": ",.0f", "largest fold": ",.0f", "cpu s": ".1f"},
    ) + "\n"  # fmt: skip
    text += section("How balanced the classes must be") + (
        "Each fold has at least (1 - delta) of its share of each class.\n\n"
    )
    text += formatted(
        tables["classes"],
        {"set": "", "delta": "", "L": ".4f", "lowest class share": ".3f",
         "highest class share": ".3f", "cpu s": ".1f"},
    ) + "\n"  # fmt: skip
    text += section("Solvers") + (
        "Three folds of a few molecules, solved until proven optimal. Both solvers prove the same "
        "value. The licence in Gurobi's wheel stops at 2,000 variables and 2,000 constraints, so "
        "that large programmes need one's own.\n\n"
    )
    text += formatted(
        tables["solvers"],
        {"set": "", "n": ".0f", "solver": "", "status": "", "L": ".4f", "cpu s": ".2f"},
    )  # fmt: skip
    return text


# -- pairs ---------------------------------------------------------------------------------------


def pairs() -> str:
    """Compound-protein pairs."""
    found = load("pairs")
    text = (
        begin("pairs", "Pairs of compound and protein")
        + f"""\
Human compound-protein pairs ({found["pairs"]:,} without repeats), the published random and cold
splits and five folds of :class:`~honesteval.model_selection.SimilarityPairKFold`. *used* is the
share of pairs in training or test of a fold (a pair of one known and one new side is in neither),
*tested* that of pairs tested in some fold; *compound* and *protein* are the mean similarity of a
tested one to the nearest in training. *forest* sees structures and sequences; *rates* only how
often a compound or a protein was positive in training: what it scores is no chemistry.

"""
    )
    text += formatted(
        found["rows"],
        {"split": "", "used": ".1%", "tested": ".1%", "compound nearest": ".3f",
         "protein nearest": ".3f", "forest": ".3f", "rates": ".3f", "cpu s": ".0f"},
    )  # fmt: skip
    return text


# -- selection and nesting -----------------------------------------------------------------------


def selection() -> str:
    """What tuning hides."""
    found = load("selection")
    tables = found["tables"]
    text = (
        begin("selection", "Tuning and nesting")
        + section("Bias of the estimates")
        + f"""\
{found["simulations"]} data sets per effect, n = 80, p = 200, 36 settings of selection and a support
vector machine, ROC-AUC; truth is the score of the tuned model on 2,000 fresh rows.

"""
    )
    text += formatted(
        tables["bias"],
        {"effect": "", "truth": ".3f", "estimate": "", "bias": "+.3f", "standard error": ".3f",
         "RMSE": ".3f"},
    ) + "\n"  # fmt: skip
    text += section("Selection on noise") + formatted(
        tables["selection"], dict.fromkeys(tables["selection"][0], "")
    )
    text += (
        "\n"
        + section("Beside others")
        + ("Nested scores of the same search; seconds are of the wall clock, one worker.\n\n")
    )
    text += formatted(tables["peers"], dict.fromkeys(tables["peers"][0], "")) + "\n"
    text += section("Cases that must come out right") + formatted(
        tables["cases"], dict.fromkeys(tables["cases"][0], "")
    )
    text += (
        "\n"
        + section("What the harness costs")
        + formatted(tables["cost"], dict.fromkeys(tables["cost"][0], ""))
    )
    return text


# -- calibration and speed -----------------------------------------------------------------------


def calibration() -> str:
    """Coverage and type-I error."""
    found = load("calibration")
    tables = found["tables"]
    text = begin("calibration", "Coverage and type-I error") + (
        f"{found['simulations']:,} simulated data sets in each row, with the binomial standard "
        "error.\n\n"
    )
    parts = {
        "coverage": ("Intervals of ROC-AUC", """\
Nominal 95 %; binormal scores. With few positives Wald limits and percentiles cover too little.
""", {"AUC": "", "positives": "", "negatives": ""}, "coverage"),
        "groups": ("Rows in groups", """\
24 groups of 8 rows that share the label and half of the variance of the score, nominal 95 %.
""", {"AUC": ""}, "coverage"),
        "permutation": ("Permutation tests with groups", """\
24 groups of 8 rows, labels of groups, features unrelated to them; level .05.
""", {"folds": ""}, "type-I error"),
        "comparison": ("Tests between two models", """\
Two ridge classifiers on disjoint features, n = 300: equally informative (type I), or not (power);
level .05. What is powerful only because it rejects too often under equality is no better test.
""", {"rate": ""}, "rejected"),
        "intervals": ("Intervals of the error of a model", """\
n = 100, p = 20, linear discriminant analysis, 10 folds, nominal 90 %; *width* beside the naive one.
""", {"nominal": ""}, "coverage"),
    }  # fmt: skip
    for name, (title, words, more, share) in parts.items():
        forms = {**more, "method": "", share: ".3f", "standard error": ".3f"}
        if name == "intervals":
            forms["width"] = ".2f"
        text += section(title) + words + "\n" + formatted(tables[name], forms) + "\n"
    text += (
        section("Features selected outside the folds")
        + """\
50 rows, 5,000 features of noise, the 100 that correlate best with the label, nearest neighbour
(*The Elements of Statistical Learning*, 7.10.2); the error of guessing is one half.

"""
    )
    return text + formatted(
        tables["procedures"], {"features": "", "error": ".3f", "standard error": ".3f"}
    )


def speed() -> str:
    """Ratios of time."""
    lines = load("speed")
    names = {
        "bootstrap_against_sklearn_loop": "Bootstrap beside a loop over scikit-learn's metrics",
        "bootstrap_against_scipy": "Bootstrap beside scipy.stats.bootstrap, vectorised",
        "bootstrap_default_interval": "The default interval",
        "bootstrap_of_a_million_rows": "A million rows",
        "delong_against_pairs": "DeLong's covariance beside counting pairs",
        "permutations_against_sklearn": "Permutations beside permutation_test_score",
    }
    text = (
        begin("speed", "Speed of the statistics")
        + """\
CPU seconds side by side in one run, after checking that both ways give the same numbers; loops are
timed on a part of the resamples and scaled up.

"""
    )
    for key, title in names.items():
        mine = [line for line in lines if line["comparison"] == key]
        if mine:
            columns = [name for name in mine[0] if name != "comparison"]
            text += section(title) + formatted(mine, dict.fromkeys(columns, "")) + "\n"
    return text


def adaptive_score() -> str:
    """Small-sample estimates."""
    found = load("adaptive-score")
    text = (
        begin("adaptive-score", "Small samples")
        + f"""\
Mean distance of estimates made from n rows to the score of the same model cross-validated on all
rows, over {found["samples"]} samples. The adaptive score (Ossenov 2024) saturates: look at what it
gives to a model of permuted labels.

"""
    )
    columns = [name for name in found["rows"][0] if name not in ("data", "n")]
    return text + formatted(
        found["rows"], {"data": "", "n": ".0f", **dict.fromkeys(columns, ".3f")}
    )


# -- what we claim -------------------------------------------------------------------------------


def claims() -> str:
    """Return every headline claim with its figure, command and limits, from the results."""
    rows = [{"claim": what, "figure": figure, "command": f"``{command}``", "limits": limits}
            for what, figure, command, limits in _claims()]  # fmt: skip
    text = (
        ".. This page is written by docs/benchmark_pages.py from benchmarks/*.json.\n\n"
        + section("What we claim and where it is weak", "=")
        + "Each headline, the figure behind it, the command that makes it again, and what it does "
        "not say.\n\n"
    )
    for row in rows:
        text += f"{section(row['claim'])}{row['figure']}\n\n"
        text += f"*Again:* {row['command']}\n\n*Weak:* {row['limits']}\n\n"
    return text


def _claims() -> list[tuple[str, str, str, str]]:
    partition = load("partition") or []
    found = []
    ours = {(r["set"], r["shares"]): r for r in partition if r["method"] == "honesteval"}
    theirs = {(r["set"], r["shares"]): r for r in partition if r["method"] == "DataSAIL"}
    shown = [
        f"{SETS[name]} {shares}: {ours[name, shares]['scaled L']:.4f} beside "
        f"{row['scaled L']:.4f} ({row['cpu s'] / ours[name, shares]['cpu s']:.0f} times the CPU "
        "time)"
        for (name, shares), row in theirs.items()
    ]
    bounds = {r["set"]: r["scaled L"] for r in partition if r["method"] == "lower bound"}
    proven = ", ".join(
        f"{SETS[name]} {bound / ours[name, '5 x .2']['scaled L']:.3f}"
        for name, bound in bounds.items()
    )
    found.append((
        "Less similarity crosses than with DataSAIL, in a fraction of the time",
        f"Scaled L, ours beside DataSAIL's: {'; '.join(shown)}. Bound over L found: {proven}.",
        "python benchmarks/run.py --full --only partition",
        "Folds come from a heuristic; beyond some twenty items nothing is proven optimal, and the "
        "bound leaves room. DataSAIL ran with its defaults (50 clusters, 300 s, SCIP); its sizes "
        "are bounded from below only, ours on both sides. Least L is not least nearest-neighbour "
        "similarity; both are in the table. At a hard threshold other tools can have the lower L "
        "after dropping molecules.",
    ))  # fmt: skip
    if scaling := load("scaling"):
        row = scaling["sizes"][-1]
        found.append((
            "A million molecules on a desktop",
            f"{row['n']:,} fingerprints to five folds: {row['cpu s']:.0f} CPU s, "
            f"{row['peak GB']:.1f} GB.",
            "python benchmarks/run.py --full --only scaling",
            "Above 150,000 molecules L is estimated (its error is given), and sets beyond MUV are "
            "grown from it, not real. On large diverse sets little can be gained over random "
            f"folds: L is {row['of random']:.2f} of theirs.",
        ))  # fmt: skip
    if rows := load("honest-splits"):
        trend = _trend(rows)
        found.append((
            "Scores fall when less similarity crosses",
            trend[0].upper() + trend[1:],
            "python benchmarks/run.py --full --only honest-splits",
            "Models of fixed settings on one kind of fingerprint, one seed of each split. A lower "
            "score is not a truer one: see the next claim.",
        ))  # fmt: skip
    for name, part in (load("deployment") or {}).items():
        by = {line["name"].strip("`"): line for line in part["estimates"]}
        estimate, random = by["deployment_estimate"], by["random folds"]
        hardest = by["folds with minimum L"]
        level, interval = next(iter(part["coverage"].items()))
        found.append((
            f"The deployment estimate comes true ({name})",
            f"{part['title']}, {part['n_tasks']} tasks: bias {estimate['bias']:+.3f}, mean "
            f"absolute error {estimate['mean_absolute_error']:.3f}; random folds "
            f"{random['bias']:+.3f} and {random['mean_absolute_error']:.3f}, folds with minimum L "
            f"{hardest['bias']:+.3f} and {hardest['mean_absolute_error']:.3f}. The {level} "
            f"interval held the later score in {interval['share']:.0%} of the tasks.",
            "python benchmarks/run.py --full --only deployment",
            "A forest on ECFP4; two other models on a sixth of the tasks are on the page. How rows "
            "are weighted was chosen while looking at ChEMBL and SIMPD; MoleculeACE was run once "
            "afterwards. Where random folds are already right (SIMPD) the gain is within noise. "
            "Nothing in the past tells of another assay or laboratory.",
        ))  # fmt: skip
    if selected := load("selection"):
        null = {r["estimate"]: r for r in selected["tables"]["bias"] if r["effect"] == 0}
        found.append((
            "Nested scores are honest where tuned ones are not",
            "On noise the best cross-validated score is off by "
            f"{null['best CV score']['bias']:+.3f} ROC-AUC, nested "
            f"{null['nested 5x5']['bias']:+.3f}.",
            "python benchmarks/run.py --full --only selection",
            "With signal and 80 rows the nested score is too low (it trains on fewer rows); cheap "
            "corrections can have the smaller error then.",
        ))  # fmt: skip
    if calibrated := load("calibration"):
        rate = {(r["rate"], r["method"]): r["rejected"] for r in calibrated["tables"]["comparison"]}
        test = "Nadeau-Bengio t, 5 x 5 folds"
        naive = "uncorrected t, 5 x 5 folds"
        found.append((
            "Comparisons of models keep their level",
            f"Type-I error at .05 over 5 x 5 folds: {rate['type I', test]:.3f} (uncorrected "
            f"{rate['type I', naive]:.3f}); power {rate['power', test]:.2f} against "
            f"{rate['power', 'DeLong, pooled folds']:.2f} of DeLong on pooled folds.",
            "python benchmarks/run.py --full --only calibration",
            "The corrected test is conservative and gives power away; tests on pooled folds take "
            "the fitted models as given and can exceed their level on other data.",
        ))  # fmt: skip
    if lines := load("speed"):
        ratios = {
            key: [line["ratio"] for line in lines if line["comparison"] == key and "ratio" in line]
            for key in ("bootstrap_against_sklearn_loop", "permutations_against_sklearn")
        }
        low, high = (
            min(ratios["bootstrap_against_sklearn_loop"]),
            max(ratios["bootstrap_against_sklearn_loop"]),
        )
        few, many = (
            min(ratios["permutations_against_sklearn"]),
            max(ratios["permutations_against_sklearn"]),
        )
        found.append((
            "Resampling at once instead of one by one",
            f"Bootstrap {low:.0f} to {high:.0f} times, permutation tests {few:.0f} to {many:.0f} "
            "times as fast as a loop over scikit-learn, with the same numbers.",
            "python benchmarks/run.py --full --only speed",
            "The permutation engine knows linear, kernel and nearest-neighbour models; others are "
            "refitted. Weighted or grouped metrics outside the registry loop.",
        ))  # fmt: skip
    found.append((
        "Audits find planted leaks and stay silent on clean splits",
        "Recall of every check at every planted strength, and false alarms: :doc:`../audit-truth`.",
        "python benchmarks/run.py --full --only audit-truth",
        "Leaks were planted by the authors of the checks. What no check looks for is not found.",
    ))  # fmt: skip
    return found


# -- the list of pages ---------------------------------------------------------------------------


def index() -> str:
    """Return the page that lists the others and what they took."""
    log = load("run") or {"steps": {}}
    text = (
        ".. This page is written by docs/benchmark_pages.py from benchmarks/run.json.\n\n"
        + section("Benchmarks", "=")
        + """\
``make bench`` makes every table in quick mode (fewer sets, tasks and simulations) under
``build/benchmarks``, in less than 20 minutes on two cores; ``make bench BENCH=--full`` makes what
is shown here, in some hours. The data sets are named by ``HONESTEVAL_DATA``. Each peer has a
virtual environment of its own. Results are kept as JSON beside the pages.

Which estimate comes true is answered in :doc:`../deployment`, what the audit finds in
:doc:`../audit-truth`, what it finds in splits that others published in :doc:`../published-splits`.

.. toctree::
   :maxdepth: 1

   claims
   honest-splits
   partition
   search
   pairs
   selection
   calibration
   speed
   adaptive-score

"""
    )
    if not log["steps"]:
        text += (
            "The results here come from single runs of the scripts on two cores that did other "
            "work, too, with the numbers of simulations and tasks that each page names; seconds "
            "are CPU seconds unless a page says otherwise.\n"
        )
    else:
        text += section("What it took") + f"On {log['machine']}; "
        text += ", ".join(f"{name} {version}" for name, version in log["versions"].items())
        text += ". Pages that are not listed were made by single runs.\n\n"
        text += formatted(
            [{"benchmark": name, **step, "peers": ", ".join(step["peers"])}
             for name, step in log["steps"].items()],
            {"benchmark": "", "mode": "", "cpu s": ",.0f", "wall s": ",.0f", "peers": ""},
        )  # fmt: skip
    return text


PAGES: dict[str, Callable[[], str]] = {
    "honest-splits": honest_splits,
    "search": search,
    "pairs": pairs,
    "selection": selection,
    "calibration": calibration,
    "speed": speed,
    "adaptive-score": adaptive_score,
    "claims": claims,
    "index": index,
}


def main() -> None:
    """Write the pages and the figure."""
    import matplotlib as mpl

    mpl.use("svg")
    if load("honest-splits"):
        _honest_figure()
    for name, make in PAGES.items():
        if name in ("claims", "index") or load(name):
            (RESULTS / f"{name}.rst").write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
