# SPDX-License-Identifier: GPL-3.0-or-later
"""Which rows of hsim's CSV files belong together: a policy of a file, and inside it a seed."""
from problem import BAD_DATA, BAD_USAGE, Problem, did_you_mean
from table import Table


class Group:
    """A policy of a file: a curve or a panel."""

    def __init__(self, policy, path):
        self.policy = policy
        self.path = path
        self.label = policy
        self.seeds = {}  # seed as text ("" without the column): what the kind collects


def read(request, what, columns, start):
    """Groups in the order of the files and rows that --policy and --seed leave. Before a file's rows
    columns(table) finds the columns and returns take(table, row, collected); start() makes what is
    collected of a run."""
    groups, known, seeds = {}, {}, {}
    for path in request.files:
        with Table(path, what) as table:
            take = columns(table)
            policy, seed = table.column("policy"), table.find("seed")
            for row in table.rows():
                name, seed_text = row[policy], "" if seed is None else row[seed]
                known[name] = seeds[seed_text] = True
                if request.policies and name not in request.policies:
                    continue
                if request.seeds and seed_text not in request.seeds:
                    continue
                group = groups.get((path, name))
                if group is None:
                    group = groups[path, name] = Group(name, path)
                collected = group.seeds.get(seed_text)
                if collected is None:
                    collected = group.seeds[seed_text] = start()
                take(table, row, collected)
    check_names("--policy", request.policies, known, request)
    check_names("--seed", request.seeds, seeds, request)
    if not groups:
        raise Problem(BAD_DATA, f"{request.files[0]}: no rows of these policies and seeds")
    return ordered(request, list(groups.values()))


def check_names(option, wanted, known, request):
    for name in wanted:
        if name not in known:
            hint = did_you_mean(name, known) or ": there are " + ", ".join(f'"{k}"' for k in known)
            raise Problem(BAD_USAGE, f'option {option}: no "{name}" in {request.files[0]}{hint}')


def ordered(request, groups):
    if request.policies:
        groups.sort(key=lambda group: request.policies.index(group.policy))
    names = [group.policy for group in groups]
    for group in groups:
        group.label = request.labels.get(group.policy, group.policy)
        if names.count(group.policy) > 1:
            group.label += f" ({group.path})"
    return groups


def one_seed(request, groups):
    """[(group, what was collected)...] for kinds that cannot draw several runs as one."""
    for group in groups:
        if len(group.seeds) > 1:
            if not request.first_seed:
                raise Problem(BAD_USAGE, f"{group.path}: several seeds ({', '.join(group.seeds)}): "
                                         "choose one with --seed")
            group.label += f" (seed {next(iter(group.seeds))})"
    return [(group, next(iter(group.seeds.values()))) for group in groups]


def span(begins, ends):
    """From the first begin to the last end; never empty."""
    begin, end = min(begins), max(ends)
    if 0 < begin < 0.05 * end:
        begin = 0.0
    return begin, end if end > begin else begin + 1.0
