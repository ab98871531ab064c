"""Statistics of paired timings, shared by the report and the performance gate.

A ratio is only ever formed inside a pair (two times measured back to back), pairs are summarised per launch, and the
interval comes from the spread *between launches*. Pages, frequency and neighbours are fixed for the life of a process
and change between processes, so rounds of one launch are not independent: an interval over all rounds at once raised
10-30 % false alarms at a nominal 2.5 % (measured). `tests/stats_test.py` keeps that case.
"""

import math
from dataclasses import dataclass
from statistics import fmean, median, stdev

TRIM = 0.2  # cut from each end: three of fifteen rounds, enough for the spikes of a shared machine


def trimmed_mean(values, trim=TRIM):
    """Mean after dropping the floor(trim * n) smallest and as many largest values. Needs at least one value."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("trimmed_mean of no values")
    if not 0 <= trim < 0.5:
        raise ValueError(f"trim is {trim}, must be in [0, 0.5)")
    cut = int(trim * len(ordered))
    return fmean(ordered[cut : len(ordered) - cut])


def geometric_mean(values):
    """exp(mean(ln v)). Needs at least one value, all > 0."""
    values = list(values)
    if not values or min(values) <= 0:
        raise ValueError("geometric_mean needs values, all above zero")
    return math.exp(fmean(math.log(v) for v in values))


def t_quantile(probability, df):
    """Quantile of Student's t distribution: P(X <= result) = probability, for df >= 1 degrees of freedom.

    Standard library only (no scipy on a bare machine): bisection on the CDF, right to about 1e-12 relative.
    """
    if not 0 < probability < 1:
        raise ValueError(f"probability is {probability}, must be in (0, 1)")
    if df < 1:
        raise ValueError(f"df is {df}, must be >= 1")
    if probability < 0.5:
        return -t_quantile(1 - probability, df)
    high = 1.0
    while _t_cdf(high, df) < probability:
        high *= 2
    low = 0.0
    for _ in range(200):
        middle = (low + high) / 2
        if _t_cdf(middle, df) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


@dataclass(frozen=True)
class Ratio:
    """A ratio of times with one-sided bounds, each at `confidence` (both together: 2 * confidence - 1)."""

    ratio: float
    lower: float
    upper: float
    confidence: float
    sd_launch: float  # standard deviation between launches of ln(ratio); about the relative spread
    by_launch: tuple  # ln(ratio) of each launch, in order

    @property
    def launches(self):
        return len(self.by_launch)

    @property
    def spans_one(self):
        return self.lower <= 1 <= self.upper


def ratio_from_logs(by_launch, confidence=0.99):
    """The Ratio of per-launch values of ln(ratio): mean -+ t(confidence, L-1) * sd / sqrt(L). Needs L >= 2."""
    by_launch = tuple(by_launch)
    if len(by_launch) < 2:
        raise ValueError(f"a bound needs at least 2 launches, got {len(by_launch)}")
    centre, sd = fmean(by_launch), stdev(by_launch)
    half = t_quantile(confidence, len(by_launch) - 1) * sd / math.sqrt(len(by_launch))
    return Ratio(math.exp(centre), math.exp(centre - half), math.exp(centre + half), confidence, sd, by_launch)


def paired_ratio(launches, confidence=0.99, trim=TRIM):
    """Ratio of paired times. `launches` holds, per launch, the rounds' pairs (numerator, denominator), times > 0.

    Speed-up: pairs (t_rival, t_ours). Gate: pairs (t_head, t_base), above 1 = slower.
    """
    return ratio_from_logs([launch_log_ratio(pairs, trim) for pairs in launches], confidence)


def launch_log_ratio(pairs, trim=TRIM):
    """Trimmed mean of ln(numerator / denominator) over the rounds of one launch."""
    logs = []
    for numerator, denominator in pairs:
        if not (0 < numerator < math.inf and 0 < denominator < math.inf):
            raise ValueError(f"times must be positive and finite, got {numerator} and {denominator}")
        logs.append(math.log(numerator / denominator))
    return trimmed_mean(logs, trim)


def geometric_mean_ratio(ratios, confidence=0.99):
    """Geometric mean of the ratios of several points, with bounds. All must have the same number of launches.

    Averaging over the points inside each launch first keeps what the points of one launch share (one lucky page
    placement moves them all together); treating them as independent would make the interval too narrow.
    """
    ratios = list(ratios)
    counts = {r.launches for r in ratios}
    if len(counts) != 1:
        raise ValueError(f"points need the same number of launches, got {sorted(counts)}")
    return ratio_from_logs([fmean(logs) for logs in zip(*(r.by_launch for r in ratios))], confidence)


def geometric_mean_interval(intervals):
    """(mean, low, high): geometric means of the values, of the lower and of the upper ends of (value, low, high).

    For the points of one launch, of whose common error (one placement, one clock) nothing is known: it is taken as
    fully shared, so that more points do not narrow the interval.
    """
    return tuple(geometric_mean(ends) for ends in zip(*intervals))


def detectable_ratio(sd_launch, launches, margin=1.02, confidence=0.99, power=0.95):
    """Smallest true ratio whose lower bound exceeds `margin` with probability `power`: what a gate can promise."""
    df = launches - 1
    return margin * math.exp((t_quantile(confidence, df) + t_quantile(power, df)) * sd_launch / math.sqrt(launches))


def median_interval(values, confidence=0.95):
    """(median, low, high): distribution-free interval of the median from order statistics, at least `confidence`.

    With few values (fewer than 6 at 95 %) no pair of order statistics reaches the level; the range is returned, the
    widest honest statement.
    """
    ordered = sorted(values)
    n = len(ordered)
    if not ordered:
        raise ValueError("median_interval of no values")
    # P(fewer than r of n below the median), r the largest rank whose two tails stay within 1 - confidence.
    rank, tail = 0, 0.0
    while rank < n // 2:
        tail += math.comb(n, rank) * 0.5**n
        if 2 * tail > 1 - confidence:
            break
        rank += 1
    rank = max(rank, 1)
    return median(ordered), ordered[rank - 1], ordered[n - rank]


def _t_cdf(t, df):
    """P(X <= t) for t >= 0."""
    return 1 - 0.5 * _incomplete_beta(df / 2, 0.5, df / (df + t * t))


def _incomplete_beta(a, b, x):
    """Regularised incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast only below the mean
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    tiny = 1e-300
    c, d = 1.0, 1 / max(1 - (a + b) * x / (a + 1), tiny)
    fraction = d
    for m in range(1, 500):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + numerator * d or tiny)
            c = 1 + numerator / c or tiny
            fraction *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return front * fraction / a
