# SPDX-License-Identifier: MIT
"""How often 95% intervals hold what they are for: python3 scripts/coverage.py, or `make coverage`. Needs numpy and scipy.

Studies of 6 contrasts (ladder: 5) with one reference are drawn with 5, 12 and 20 seeds: from the recorded seeds of
runs/baseline/experiment-full (primary, all schemes of a seed together; and ladder, each difference less its setting's
mean in units of its setting's standard deviation), and from normal, lognormal and two-part noise, where a seed leaves the
plateau late with some probability. In the last studies, each of 6 differences falls into two clusters by itself. Printed is
the share of studies in which an interval holds its truth: one alone (the mean of the contrasts, and the worst), and all of
a study at once, corrected by Bonferroni. The truth is the median of the differences for the intervals of
lab/stats/paired.c, and their mean for Student's t, Johnson's t, the bootstrap-t and BCa.
"""

import os
import sys

from check_report import Report, median_interval  # says where to get numpy and scipy
import numpy as np
from scipy import stats

ROOT = os.path.join(os.path.dirname(__file__), "../runs/baseline/experiment-full/")
STUDIES, BOOTSTRAPS, SLOW = 4000, 399, 250
rng = np.random.default_rng(44)


# --- intervals of differences (..., n) with a level of 1 - alpha ---
def bitter(d, alpha):
    return median_interval(d, 0.05 / alpha)[1:]


def student(d, alpha):
    n = d.shape[-1]
    half = stats.t.ppf(1 - alpha / 2, n - 1) * d.std(-1, ddof=1) / np.sqrt(n)
    return d.mean(-1) - half, d.mean(-1) + half


def johnson(d, alpha):
    """Student's t with its centre moved by the sample's skewness (Johnson 1978)."""
    n, third = d.shape[-1], ((d - d.mean(-1, keepdims=True)) ** 3).mean(-1)
    low, high = student(d, alpha)
    shift = third / (6 * n * d.var(-1, ddof=1))
    return low + shift, high + shift


def resampled(d):
    return d[..., rng.integers(0, d.shape[-1], (BOOTSTRAPS, d.shape[-1]))]  # (..., BOOTSTRAPS, n)


def bootstrap_t(d, alpha):
    n, again = d.shape[-1], resampled(d)
    spread = again.std(-1, ddof=1)
    distance = again.mean(-1) - d.mean(-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(spread > 0, distance / spread, np.sign(distance) * 1e6)
    low, high = np.quantile(t, [1 - alpha / 2, alpha / 2], axis=-1)
    return d.mean(-1) - low * d.std(-1, ddof=1), d.mean(-1) - high * d.std(-1, ddof=1)


def bca(d, alpha):
    means, mean = np.sort(resampled(d).mean(-1), -1), d.mean(-1)
    below = (means < mean[..., None]).mean(-1) + (means == mean[..., None]).mean(-1) / 2
    bias, off = stats.norm.ppf(np.clip(below, 0.01, 0.99)), d - mean[..., None]
    skew = (off**3).sum(-1) / (6 * (off**2).sum(-1) ** 1.5)
    ends = []
    for z in stats.norm.ppf([alpha / 2, 1 - alpha / 2]):
        share = stats.norm.cdf(bias + (bias + z) / (1 - skew * (bias + z)))
        at = np.clip(share * BOOTSTRAPS, 0, BOOTSTRAPS - 1).astype(int)
        ends.append(np.take_along_axis(means, at[..., None], -1)[..., 0])
    return ends


# --- where differences come from: name, draw(studies, seeds) -> (studies, contrasts, seeds), medians, means ---
def recorded(rows):
    def draw(studies, seeds):
        return rows[:, rng.integers(0, rows.shape[1], (studies, seeds))].transpose(1, 0, 2)
    return draw, np.median(rows, 1), rows.mean(1)


def simulated(noise, of_reference=0.2):
    def draw(studies, seeds):
        return noise((studies, 6, seeds)) - of_reference * rng.normal(size=(studies, 1, seeds))
    many = draw(1, 1000000)[0, 0]
    return draw, np.full(6, np.median(many)), np.full(6, many.mean())


def two_parts(share):
    return lambda shape: (0.2 * rng.normal(size=shape) +
                          (rng.random(shape) < share) * (1 + rng.exponential(size=shape)))


def two_clusters(share):
    """Tight and far apart, as where some models have learned to copy and the others have not."""
    return lambda shape: 0.02 * rng.normal(size=shape) + (rng.random(shape) < share)


def primary():
    report = Report(ROOT + "primary")
    return np.array([report.gaps("", arm, other) for arm, other, _ in report.contrasts])


def ladder():
    report, rows = Report(ROOT + "ladder"), []
    for arm in (s for s in report.schemes if s != "rope"):
        gaps = [report.gaps(setting, arm, "rope") for setting in report.settings]
        rows.append(np.concatenate([(g - g.mean()) / g.std(ddof=1) for g in gaps]))
    return np.array(rows)


def main():
    sources = {"primary's seeds": recorded(primary()), "ladder's seeds": recorded(ladder()),
               "normal": simulated(lambda shape: rng.normal(size=shape)),
               "lognormal": simulated(lambda shape: np.exp(rng.normal(size=shape)))}
    for share in (0.05, 0.1, 0.25, 0.4, 0.5):
        sources[f"{100 * share:.0f}% late"] = simulated(two_parts(share))
    for share in (0.4, 0.45, 0.49):
        sources[f"{100 * share:.0f}% in another cluster"] = simulated(two_clusters(share), of_reference=0)
    methods = [("this program's, median", bitter, True, STUDIES), ("Student's t, mean", student, False, STUDIES),
               ("Johnson's t, mean", johnson, False, STUDIES), ("bootstrap-t, mean", bootstrap_t, False, SLOW),
               ("BCa, mean", bca, False, SLOW)]
    sizes = [int(n) for n in sys.argv[1:]] or [5, 12, 20]
    print("| noise | seeds | " + " | ".join(name for name, *_ in methods) + " |")
    print("|---|---:|" + "---:|" * len(methods))
    for name, (draw, medians, means) in sources.items():
        for seeds in sizes:
            cells = []
            for _, method, median, studies in methods:
                d, truth = draw(studies, seeds), medians if median else means
                held = [(low <= truth) & (truth <= high)
                        for low, high in (method(d, 0.05 / m) for m in (1, d.shape[1]))]
                cells.append(f"{100 * held[0].mean():.1f} ({100 * held[0].mean(0).min():.1f}), "
                             f"{100 * held[1].all(1).mean():.1f}")
            print(f"| {name} | {seeds} | " + " | ".join(cells) + " |", flush=True)
    print("\nOne interval alone, in percent (the worst contrast), and all of a study at once.")


if __name__ == "__main__":
    main()
