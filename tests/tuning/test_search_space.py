"""Search spaces: what they accept, how values survive a database, which names they check."""

import numpy as np
import optuna
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from scipy import stats
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from honesteval.tuning import OptunaSearchCV, nested_cross_validate
from honesteval.tuning._parameter_names import check_parameter_names
from honesteval.tuning._search_space import resolve_search_space, stored_suggestion
from honesteval.tuning._storage import quiet_optuna


def _suggest(space, seed=0):
    with quiet_optuna():
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
        trial = study.ask()
        return space.suggest(trial), study.trials[0]


SCIPY = {
    "uniform": (stats.uniform(2, 3), lambda v: 2 <= v <= 5),
    "loguniform": (stats.loguniform(1e-3, 1e2), lambda v: 1e-3 <= v <= 1e2),
    "randint": (stats.randint(1, 4), lambda v: v in (1, 2, 3)),
    "normal": (stats.norm(10, 1), lambda v: 4 < v < 16),
    "poisson": (stats.poisson(3), lambda v: v >= 0 and v == int(v)),
}


@pytest.mark.parametrize("name", SCIPY)
def test_scipy_distributions_stay_in_their_support(name):
    distribution, holds = SCIPY[name]
    space = resolve_search_space({"x": distribution})
    for seed in range(20):
        assert holds(_suggest(space, seed)[0]["x"])


@given(quantile=st.floats(0.001, 0.999))
@settings(max_examples=50, deadline=None)
def test_a_known_setting_survives_encoding(quantile):
    distribution = stats.norm(3, 2)
    space = resolve_search_space({"x": distribution})
    value = float(distribution.ppf(quantile))
    stored = space.encode({"x": value})
    trial = optuna.trial.FixedTrial(stored)
    assert space.suggest(trial)["x"] == pytest.approx(value, abs=1e-8)


def test_values_that_no_database_holds_come_back_as_they_were():
    choices = [StandardScaler(), MinMaxScaler(), "passthrough", None, (0.1, 0.9)]
    space = resolve_search_space({"scale": choices})
    seen = set()
    for seed in range(40):
        value, stored = _suggest(space, seed)
        assert isinstance(stored.params["scale"], str)
        again = stored_suggestion(space, stored)
        assert type(again["scale"]) is type(value["scale"])
        seen.add(type(value["scale"]).__name__)
    assert seen == {"StandardScaler", "MinMaxScaler", "str", "NoneType", "tuple"}


def test_an_estimator_among_the_choices_is_cloned():
    scaler = StandardScaler()
    space = resolve_search_space({"scale": [scaler]})
    assert _suggest(space)[0]["scale"] is not scaler


def test_optuna_distributions_and_ranges_are_taken_as_they_are():
    space = resolve_search_space(
        {
            "a": FloatDistribution(0.5, 2.0, step=0.5),
            "b": IntDistribution(1, 9, step=4),
            "c": CategoricalDistribution(["u", "v"]),
            "d": range(0, 10, 5),
            "e": np.array([1.5, 2.5]),
        }
    )
    for seed in range(20):
        value = _suggest(space, seed)[0]
        assert value["a"] in (0.5, 1.0, 1.5, 2.0)
        assert value["b"] in (1, 5, 9)
        assert value["c"] in ("u", "v")
        assert value["d"] in (0, 5)
        assert value["e"] in (1.5, 2.5)


def test_a_function_may_return_parameters_or_a_pipeline():
    def conditional(trial):
        if trial.suggest_categorical("kind", ["linear", "kernel"]) == "linear":
            return LogisticRegression(C=trial.suggest_float("C", 0.1, 1.0))
        return SVC(gamma=trial.suggest_float("gamma", 0.1, 1.0))

    space = resolve_search_space(conditional)
    kinds = {type(_suggest(space, seed)[0]) for seed in range(20)}
    assert kinds == {LogisticRegression, SVC}
    assert space.names() is None


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ({}, "empty"),
        (3, "dictionary from parameter name"),
        ({"C": 3}, r"search_space\['C'\] must be"),
        ({"C": "abc"}, r"search_space\['C'\] must be"),
        ({"C": []}, r"search_space\['C'\] must be"),
    ],
)
def test_what_is_no_space_is_refused(space, message):
    with pytest.raises(ValueError, match=message):
        resolve_search_space(space)


def test_a_function_that_returns_nothing_is_refused():
    with pytest.raises(ValueError, match="must return a dictionary"):
        _suggest(resolve_search_space(lambda trial: None))


def test_an_unknown_parameter_is_named_with_the_nearest_known_one():
    pipeline = Pipeline([("scale", StandardScaler()), ("svc", SVC())])
    with pytest.raises(ValueError, match=r"'svc__gama'.*Did you mean 'svc__gamma'\?"):
        check_parameter_names(pipeline, ["svc__C", "svc__gama"], {}, where="search_space")
    check_parameter_names(pipeline, ["svc__C", "svc__gamma"], {}, where="search_space")


def test_a_parameter_without_its_step_is_found_in_the_step():
    pipeline = make_pipeline(StandardScaler(), Ridge())
    for search in (OptunaSearchCV, GridSearchCV):
        with pytest.raises(ValueError, match=r"'alpha'.* Did you mean 'ridge__alpha'"):
            nested_cross_validate(search(pipeline, {"alpha": [1.0]}), np.eye(9), np.arange(9.0))


def test_parameters_of_a_chosen_step_are_known():
    pipeline = Pipeline([("model", SVC())])
    choices = {"model": [LogisticRegression(), SVC()]}
    check_parameter_names(pipeline, ["model", "model__l1_ratio"], choices, where="search_space")
    with pytest.raises(ValueError, match="model__nothing"):
        check_parameter_names(pipeline, ["model__nothing"], choices, where="search_space")


class _TellsOnlyWhatWasSet(Ridge):
    """Like CatBoost: ``get_params`` leaves out what is at its default."""

    def __init__(self, alpha=1.0, *, tol=1e-4):
        super().__init__(alpha=alpha, tol=tol)

    def get_params(self, deep=True):
        return {}


class _PassesOn(Ridge):
    """Like LightGBM: any keyword is taken and passed on."""

    def __init__(self, alpha=1.0, **others):
        super().__init__(alpha=alpha)

    def get_params(self, deep=True):
        return {"alpha": self.alpha}


def test_parameters_that_only_the_constructor_names_are_known():
    model = _TellsOnlyWhatWasSet()
    check_parameter_names(model, ["alpha", "tol"], {}, where="search_space")
    check_parameter_names(
        make_pipeline(model), ["_tellsonlywhatwasset__tol"], {}, where="search_space"
    )
    check_parameter_names(
        Pipeline([("m", SVC())]), ["m__tol"], {"m": [model]}, where="search_space"
    )
    with pytest.raises(ValueError, match=r"'alpa'.*Did you mean 'alpha'"):
        check_parameter_names(model, ["alpa"], {}, where="search_space")


@pytest.mark.parametrize(
    ("model", "name"),
    [(_PassesOn(), "lambda_l1"), (Pipeline([("m", _PassesOn())]), "m__lambda_l1")],
)
def test_a_keyword_that_is_passed_on_has_to_be_set_first(model, name):
    with pytest.raises(ValueError, match=f"'{name}'.*_PassesOn passes other keywords on.*first"):
        check_parameter_names(model, [name], {}, where="search_space")


def test_a_model_that_passes_nothing_on_is_not_said_to():
    with pytest.raises(ValueError, match="not a parameter of SVC") as refused:
        check_parameter_names(SVC(), ["lambda_l1"], {}, where="search_space")
    assert "passes other keywords" not in str(refused.value)


def test_known_settings_must_be_of_the_space():
    space = resolve_search_space({"C": [1, 2], "scale": [StandardScaler()]})
    with pytest.raises(ValueError, match="initial_params names 'c'"):
        space.encode({"c": 1})
    with pytest.raises(ValueError, match="not among the choices"):
        space.encode({"scale": MinMaxScaler()})
    assert space.encode({"scale": StandardScaler()}) == {"scale": "0: StandardScaler()"}
