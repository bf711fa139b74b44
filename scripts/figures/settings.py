# SPDX-License-Identifier: GPL-3.0-or-later
"""What a summary says of its runs' input and rules, as rows of names and values."""


def text(value):
    """A JSON value in words."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}={text(entry)}" for key, entry in value.items())
    if isinstance(value, list):
        return ", ".join(map(text, value)) or "none"
    return str(value)


def trace_rows(trace):
    found = [("trace", f"{text(trace.get('file'))} ({text(trace.get('format'))})"),
            ("trace SHA-256", text(trace.get("sha256"))),
            ("jobs", f"{text(trace.get('jobs'))} of {text(trace.get('rows'))} rows")]
    if trace.get("skipped_rows"):
        reasons = trace.get("skipped_by_reason")
        found.append(("rows skipped", text(trace["skipped_rows"]) +
                      (f": {text(reasons)}" if reasons else "")))
    first, last = trace.get("first_arrival_s"), trace.get("last_arrival_s")
    if isinstance(first, (int, float)) and isinstance(last, (int, float)):
        found.append(("arrivals", f"over {(last - first) / 3600:.4g} h"))
    if isinstance(trace.get("gpu_hours"), (int, float)):
        found.append(("work", f"{trace['gpu_hours']:.6g} GPU-hours"))
    if trace.get("shake"):
        found.append(("shake", f"\u00b1{100 * trace['shake']:g} %"))
    if trace.get("assigned"):
        found.append(("models", f"assigned by the rule {trace['assigned']}"))
    for key, name in (("derived_rates", "jobs with a derived rate"),
                      ("not_modelled", "jobs with a mode that is not modelled"),
                      ("remarks", "remarks")):
        if trace.get(key):
            found.append((name, text(trace[key])))
    return found


def rows(document, command):
    """Settings of the whole document, and rules that all runs share."""
    cluster, rates = document.get("cluster", {}), document.get("rates", {})
    result = [("hsim", text(document.get("hsim_version")))]
    if command:
        result.append(("command", command))
    result += trace_rows(document.get("trace", {}))
    result.append(("cluster", f"{text(cluster.get('name'))}: {text(cluster.get('nodes'))} nodes, GPUs "
                              f"{text(cluster.get('gpus', {}))}"))
    result.append(("rates", text(rates.get("file"))))
    for key in ("seed", "seeds"):
        if key in document and (key == "seeds" or "seeds" not in document):
            result.append((key, text(document[key])))
    runs = [run for run in document["runs"] if "error" not in run]
    for key, name in COMMON:
        values = [run.get(key) for run in runs]
        if values and all(value == values[0] for value in values) and values[0] is not None:
            result.append((name, text(values[0])))
    return result


COMMON = [("mode", "mode"), ("round_s", "round (s)"), ("semantics", "semantics"),
          ("costs", "costs (s)"), ("oracle", "told to policies"), ("measure", "measured jobs")]


def run_rows(named):
    """For each run its options, and what it does not share with the others."""
    runs = [run for _, run in named if "error" not in run]
    result = []
    for label, run in named:
        words = [text(run.get("options", {})) or "no options"]
        for key, name in COMMON:
            if key in run and any(other.get(key) != run[key] for other in runs):
                words.append(f"{name}: {text(run[key])}")
        result.append((label, "; ".join(words)))
    return result
