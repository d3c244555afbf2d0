"""Computes with SciPy and statsmodels the numbers of the measurement table for the layouts on standard input, or the
effects of findings with what repeats and gathers them, and writes them to standard output."""

import json
import math
import sys

import numpy
from scipy import stats

LEVEL = 0.05


def summary(values):
    n = len(values)
    if n == 0:
        return None
    told = {"n": n, "mean": float(numpy.mean(values)), "min": min(values), "max": max(values)}
    if n < 2:
        return {**told, "sd": None, "se": None, "low": None, "high": None}
    if min(values) == max(values):
        return {**told, "mean": values[0], "sd": 0, "se": 0, "low": values[0], "high": values[0]}
    sd = float(numpy.std(values, ddof=1))
    low, high = stats.t.interval(1 - LEVEL, n - 1, loc=told["mean"], scale=stats.sem(values))
    return {**told, "sd": sd, "se": float(stats.sem(values)), "low": float(low), "high": float(high)}


def contrast(of, against, paired):
    """The difference of two groups, each a list of [over, value]."""
    if not of or not against:
        return None
    known = {over: value for over, value in against} if paired else {}
    pairs = [(value, known[over]) for over, value in of if paired and over in known]
    if len(pairs) >= 2:
        one, other = [list(side) for side in zip(*pairs)]
        differences = [a - b for a, b in pairs]
        said = summary(differences)
        if said["se"] == 0:
            p = 1 if said["mean"] == 0 else 0
        else:
            tested = stats.ttest_rel(one, other)
            p = float(tested.pvalue)
            interval = tested.confidence_interval(1 - LEVEL)
            said["low"], said["high"] = float(interval.low), float(interval.high)
        return {"method": "paired", "estimate": said["mean"], "sd": said["sd"], "se": said["se"], "df": len(pairs) - 1,
                "low": said["low"], "high": said["high"], "p": p, "pairs": len(pairs)}
    one, other = [[value for _, value in side] for side in (of, against)]
    estimate = float(numpy.mean(one) - numpy.mean(other))
    nothing = {"method": "welch", "estimate": estimate, "sd": None, "pairs": None}
    if len(one) < 2 or len(other) < 2:
        return {**nothing, "se": None, "df": None, "low": None, "high": None, "p": None}
    if min(one) == max(one) and min(other) == max(other):
        return {
            **nothing,
            "estimate": one[0] - other[0],
            "se": 0,
            "df": len(one) + len(other) - 2,
            "low": one[0] - other[0],
            "high": one[0] - other[0],
            "p": 1 if one[0] == other[0] else 0,
        }
    tested = stats.ttest_ind(one, other, equal_var=False)
    interval = tested.confidence_interval(1 - LEVEL)
    se = math.sqrt(numpy.var(one, ddof=1) / len(one) + numpy.var(other, ddof=1) / len(other))
    return {
        **nothing,
        "se": se,
        "df": float(tested.df),
        "low": float(interval.low),
        "high": float(interval.high),
        "p": float(tested.pvalue),
    }


def corrected(contrasts):
    """Holm's step down over those with a p value."""
    known = sorted((each["p"], place) for place, each in enumerate(contrasts) if each["p"] is not None)
    left, rejects, said = len(known), True, [None] * len(contrasts)
    for p, place in known:
        level = LEVEL / left
        rejects = rejects and p < level
        each = contrasts[place]
        half = 0 if each["se"] == 0 else float(stats.t.ppf(1 - level / 2, each["df"])) * each["se"]
        said[place] = {
            "level": level,
            "low": each["estimate"] - half,
            "high": each["estimate"] + half,
            "isDistinct": rejects,
        }
        if rejects:
            left -= 1
    return said


def table(layout):
    question, groups = layout["question"], {}
    over = question.get("over")
    for cell in layout["cells"]:
        key = tuple(cell["dimensions"][name] for name in question["by"])
        points = groups.setdefault(key, [])
        if cell["value"] is not None:
            points.append([cell["dimensions"][over] if over else None, cell["value"]])
    baseline = question["against"]
    place = question["by"].index(baseline["dimension"])
    rest = lambda key: key[:place] + key[place + 1:]
    known = {rest(key): points for key, points in groups.items() if key[place] == baseline["value"]}
    said = [
        {
            "key": list(key),
            "summary": summary([value for _, value in points]),
            "contrast": (
                None
                if key[place] == baseline["value"] or rest(key) not in known
                else contrast(points, known[rest(key)], over is not None)
            ),
        }
        for key, points in groups.items()
    ]
    return said, question


def in_order(said, question):
    """As the service orders groups: numbers by size, then texts."""
    rank = lambda value: (0, value, "") if isinstance(value, (int, float)) else (1, 0, value)
    return sorted(said, key=lambda group: [rank(value) for value in group["key"]])


def tables(layouts):
    for layout in layouts:
        said = in_order(*table(layout))
        compared = [group["contrast"] for group in said if group["contrast"]]
        for each, right in zip(compared, corrected(compared)):
            each["corrected"] = right
        yield said


def pooled(study):
    """DerSimonian and Laird's variance with Hartung and Knapp's interval, as metafor's rma(method="DL", test="knha")
    has it."""
    y, v = numpy.array([each["estimate"] for each in study]), numpy.array([each["se"] for each in study]) ** 2
    w, k = 1 / v, len(study)
    q = float(numpy.sum(w * (y - numpy.sum(w * y) / numpy.sum(w)) ** 2))
    tau2 = max(0, (q - (k - 1)) / (numpy.sum(w) - numpy.sum(w ** 2) / numpy.sum(w)))
    w = 1 / (v + tau2)
    estimate = float(numpy.sum(w * y) / numpy.sum(w))
    se = math.sqrt(float(numpy.sum(w * (y - estimate) ** 2) / ((k - 1) * numpy.sum(w))))
    low, high = stats.t.interval(1 - LEVEL, k - 1, loc=estimate, scale=se)
    return {"k": k, "estimate": estimate, "se": se, "low": float(low), "high": float(high), "tau2": float(tau2), "q": q}


def effect(pairs):
    """The paired difference of an arm and its baseline, from the values of both for each seed."""
    tested = stats.ttest_rel(*zip(*pairs))
    low, high = tested.confidence_interval(1 - LEVEL)
    differences = [one - other for one, other in pairs]
    return {"estimate": float(numpy.mean(differences)), "se": float(stats.sem(differences)), "low": float(low),
            "high": float(high), "n": len(pairs)}


def between(own, first):
    """The difference of two effects: Welch's interval of two samples of differences."""
    from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

    samples = [DescrStatsW([one - other for one, other in pairs]) for pairs in (own, first)]
    low, high = CompareMeans(*samples).tconfint_diff(LEVEL, usevar="unequal")
    return {"estimate": float(samples[0].mean - samples[1].mean), "low": float(low), "high": float(high)}


def together(several):
    """Effects pooled: two by a common effect with Satterthwaite's degrees of freedom, more by random effects with
    Hartung and Knapp's interval."""
    from statsmodels.stats.meta_analysis import combine_effects

    each = [effect(pairs) for pairs in several]
    variances = numpy.array([one["se"] ** 2 for one in each])
    k = len(each)
    found = combine_effects(numpy.array([one["estimate"] for one in each]), variances, method_re="dl", use_t=True)
    if k > 2:
        estimate, se, df = found.mean_effect_re, found.sd_eff_w_re_hksj, k - 1
    else:
        estimate, se = found.mean_effect_fe, found.sd_eff_w_fe
        weights = (1 / variances) / numpy.sum(1 / variances)
        df = 1 / sum(weight ** 2 / (one["n"] - 1) for weight, one in zip(weights, each))
    low, high = stats.t.interval(1 - LEVEL, df, loc=estimate, scale=se)
    told = {"k": k, "estimate": float(estimate), "se": float(se), "low": float(low), "high": float(high)}
    return told if k == 2 else {**told, "tau2": max(0, float(found.tau2)), "q": float(found.q)}


def study(asked):
    effects = asked["effects"]
    return {
        "effects": {name: effect(pairs) for name, pairs in effects.items()},
        "between": {f"{own} {first}": between(effects[own], effects[first]) for own, first in asked["between"]},
        "together": {" ".join(names): together([effects[name] for name in names]) for names in asked["together"]},
    }


asked = json.load(sys.stdin)
json.dump(
    study(asked)
    if "effects" in asked
    else {"tables": list(tables(asked["layouts"])), "pooled": [pooled(one) for one in asked["studies"]]},
    sys.stdout,
    separators=(",", ":"),
)
