"""What a load test found, as one object and as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from services.launch.load.figures import Figures
from services.launch.load.histogram import PERCENTILES, Histogram
from services.launch.load.order import Order
from services.launch.load.slo import Slo, percentiles_of

OF_THE_STEADY_PHASE: Final = ("action", "acknowledged", "action_to_others", "action_to_watchers", "lag")
OF_ALL_PHASES: Final = ("sign_in", "seat", "resume", "action_after_drop", "settle")
"""Few happen while all seats are taken."""

BUSY_MAX: Final = 0.85
LAG_P99_MS_MAX: Final = 20.0
"""Beyond either, the generator measures itself."""

COUNTS: Final = (
    "arrived",
    "turned_away",
    "cut_short",
    "seats_taken",
    "seats_played_out",
    "questions_withdrawn",
    "drops",
    "reconnects",
    "resumed_by_gap",
    "resumed_by_view",
    "views",
    "views_checked",
    "tables_watched",
    "tokens_renewed",
    "went_broke",
    "seats_told_of_void_rounds",
    "unsettled",
    "seats_told_agreed",
    "seats_told_disputed",
    "seats_told_voided",
)


def report_of(order: Order, figures: Figures, slos: Sequence[Slo]) -> dict[str, Any]:
    """Return everything as one JSON object."""
    steady = figures.phases["steady"]
    percentiles = tuple(sorted({*PERCENTILES, *percentiles_of(tuple(slos))}))
    times = {name: steady.times.get(name, Histogram()) for name in OF_THE_STEADY_PHASE}
    times |= {name: figures.whole(name) for name in OF_ALL_PHASES}
    seconds = steady.seconds
    rounds = set().union(*(phase.rounds for phase in figures.phases.values()))
    actions = steady.counts["actions"]
    lag_ms = times["lag"].percentile(99) * 1e3
    report: dict[str, Any] = {
        "url": " ".join(order.urls),
        "games": [f"{game}/{preset}" for game, preset in order.games],
        "seats": order.seats,
        "rate_per_s": order.rate,
        "seating": order.seating,
        "policy": order.policy,
        "think_ms": [order.think_ms, order.think_sigma],
        "door": order.door,
        "jobs": order.jobs,
        "seed": order.seed,
        "steady_s": round(seconds, 1),
        "actions": figures.total("actions"),
        "frames": figures.total("frames"),
        "rounds": len(rounds),
        "actions_per_s": round(actions / seconds, 1) if seconds else 0.0,
        "frames_per_s": round(steady.counts["frames"] / seconds, 1) if seconds else 0.0,
        "rounds_per_s": round(len(steady.rounds) / seconds, 2) if seconds else 0.0,
        "times": {name: times[name].as_json(percentiles) for name in times},
        **{name: figures.total(name) for name in COUNTS},
        "errors": figures.errors.total(),
        "errors_by_reason": dict(figures.errors.most_common()),
        "refusals_by_reason": dict(figures.refusals.most_common()),
        "retries_by_reason": dict(figures.retries.most_common()),
        "goodbyes_by_reason": dict(figures.goodbyes.most_common()),
        "wrong": figures.wrong.total(),
        "wrong_by_kind": dict(figures.wrong.most_common()),
        "wrong_examples": figures.examples,
        "generator": {
            "cpu_us_per_action": round(steady.cpu_s / actions * 1e6) if actions else None,
            "cpu_us_per_frame": round(steady.cpu_s / frames * 1e6)
            if (frames := steady.counts["frames"])
            else None,
            "busiest_core_percent": round(figures.busiest * 100, 1),
            "lag_p99_ms": round(lag_ms, 1),
            "saturated": figures.busiest > BUSY_MAX or lag_ms > LAG_P99_MS_MAX,
        },
    }
    report["slos"] = [
        {"slo": slo.text, "found": slo.found_in(report), "kept": slo.is_kept(report)} for slo in slos
    ]
    return report


def text_of(report: dict[str, Any]) -> str:
    """Return the report for people."""
    lines = [
        f"{report['seats']} seats, {report['rate_per_s']:g} arrivals/s, {report['steady_s']:g} s with all "
        f"seats taken; {', '.join(report['games'])} by {report['seating']}, {report['policy']} players",
        f"{report['arrived']} arrived, {report['turned_away']} turned away, {report['seats_taken']} seats "
        f"taken, {report['seats_played_out']} played out, {report['cut_short']} cut short",
        f"{report['actions']} actions, {report['frames']} frames, {report['rounds']} rounds; with all seats "
        f"taken {report['actions_per_s']:g} actions/s, {report['frames_per_s']:g} frames/s, "
        f"{report['rounds_per_s']:g} rounds/s",
        "",
        f"{'milliseconds':20}{'count':>9}{'mean':>9}{'p50':>9}{'p90':>9}{'p99':>9}{'p99.9':>9}{'max':>9}",
    ]
    for name, shown in report["times"].items():
        if shown["count"]:
            keys = ("mean_ms", "p50_ms", "p90_ms", "p99_ms", "p99.9_ms", "max_ms")
            cells = "".join(f"{shown[key]:9.1f}" for key in keys)
            lines.append(f"{name:20}{shown['count']:9}{cells}")
    lines.append("")
    lines.extend(
        f"{kind}: " + ", ".join(f"{reason} {count}" for reason, count in found.items())
        for kind in ("errors", "refusals", "retries", "goodbyes")
        if (found := report[f"{kind}_by_reason"])
    )
    lines.append(
        f"transcripts: {report['wrong']} mistakes, {report['views_checked']} of {report['views']} views held "
        f"against the fold, {report['reconnects']} reconnects"
    )
    lines += [f"  {example}" for example in report["wrong_examples"]]
    own = report["generator"]
    lines.append(
        f"generator: {own['cpu_us_per_action']} us CPU per action, {own['cpu_us_per_frame']} per frame, "
        f"busiest core {own['busiest_core_percent']:g} %, lag p99 {own['lag_p99_ms']:g} ms"
    )
    if own["saturated"]:
        lines.append(
            "WARNING: the generator, or its machine, was saturated; its times are not the platform's alone"
        )
    for slo in report["slos"]:
        found = "nothing measured" if slo["found"] is None else f"{slo['found']:g}"
        lines.append(f"{'kept  ' if slo['kept'] else 'MISSED'} {slo['slo']} (found {found})")
    return "\n".join(lines)
