// SPDX-License-Identifier: Apache-2.0
// Memory in layers: which group each storage belongs to, and what the groups add
// up to in every column.

const MOST_GROUPS = 9;

// Ways to group, with what each calls a storage's group.
function groupings(graph) {
  const tensor = (storage) => graph.tensors_in[storage][0];
  const producer = (storage) => graph.tensors.producer[tensor(storage)];
  const ways = [];
  if (graph.has_modules) {
    ways.push(["module", "Module", (s) => graph.module(producer(s)) || "(no module)"]);
  }
  if (graph.has_kinds) {
    ways.push(["kind", "Kind of op", (s) => graph.kind(producer(s)) || "(no kind)"]);
  }
  ways.push(["tensor", "Tensor", (s) => graph.tensor_name(tensor(s))]);
  ways.push(["phase", "Phase", (s) => PHASES[graph.phase(producer(s))]]);
  return ways;
}

// The layers from the bottom up, as {name, kind, series}: what is fixed, the
// largest groups by bytes times runs, all other groups, workspace. In every
// column they add up to the footprint.
function stack_of(plan, name_of) {
  const graph = plan.graph;
  const {of, from, to} = plan.storage_lives;
  const areas = new Map();
  const names = new Map();
  for (let i = 0; i < of.length; i += 1) {
    const bytes = graph.storage_bytes[of[i]];
    if (bytes === 0) continue;
    if (!names.has(of[i])) names.set(of[i], name_of(of[i]));
    const name = names.get(of[i]);
    areas.set(name, (areas.get(name) ?? 0) + bytes * (to[i] - from[i] + 1));
  }
  const ranked = [...areas.keys()].sort((a, b) => areas.get(b) - areas.get(a));
  const shown = ranked.length > MOST_GROUPS + 1 ? ranked.slice(0, MOST_GROUPS) : ranked;
  const layers = shown.map((name, i) => layer(plan, name, `group${i}`));
  const rest = layer(plan, `${count_of(ranked.length - shown.length, "other")}`, "rest");
  const layer_of = new Map(layers.map((one) => [one.name, one]));
  for (let i = 0; i < of.length; i += 1) {
    const bytes = graph.storage_bytes[of[i]];
    if (bytes === 0) continue;
    const {series} = layer_of.get(names.get(of[i])) ?? rest;
    series[from[i]] += bytes;
    if (to[i] + 1 < plan.num_runs) series[to[i] + 1] -= bytes;
  }
  for (const {series} of [...layers, rest]) {
    for (let i = 1; i < series.length; i += 1) series[i] += series[i - 1];
  }
  if (ranked.length > shown.length) layers.push(rest);
  const fixed = layer(plan, "fixed: inputs, weights, …", "fixed");
  fixed.series.fill(graph.fixed_bytes);
  const workspace = layer(plan, "workspace", "workspace");
  plan.op.forEach((op, column) => { workspace.series[column] = graph.ops.workspace[op]; });
  return [...(graph.fixed_bytes > 0 ? [fixed] : []), ...layers,
          ...(workspace.series.some((bytes) => bytes > 0) ? [workspace] : [])];
}

// The first way of grouping in which the groups that are shown hold most of the
// memory; of 500 equal modules, nine say little.
function telling_way(plan, ways) {
  const total = (layers) => layers.reduce((sum, {series}) => sum + series.reduce((a, b) => a + b, 0), 0);
  const telling = ways.find(([, , name_of]) => {
    const groups = stack_of(plan, name_of).filter(({kind}) => kind !== "fixed" && kind !== "workspace");
    return total(groups.filter(({kind}) => kind === "rest")) <= total(groups) / 2;
  });
  return (telling ?? ways[0])[0];
}

function layer(plan, name, kind) {
  return {name, kind, series: new Float64Array(plan.num_runs)};
}
