// SPDX-License-Identifier: Apache-2.0
// Cost against budget: plans that were found, bounds that were proved, and what
// lies between, which nobody knows.

// The cheapest plan for every budget, as [budget, cost] corners, ascending. A
// plan counts from its peak on.
function cheapest_plans(points) {
  const plans = points.filter((point) => point.cost !== null)
    .sort((a, b) => a.peak_bytes - b.peak_bytes || a.cost - b.cost);
  const corners = [];
  for (const point of plans) {
    if (corners.length === 0 || point.cost < corners[corners.length - 1].cost) {
      corners.push({bytes: point.peak_bytes, cost: point.cost});
    }
  }
  return corners;
}

// The best bound for every budget: one that holds up to a budget holds for all
// smaller ones. Corners descending in cost.
function best_bounds(points) {
  const bounds = points.filter((point) => point.lower_bound !== null)
    .sort((a, b) => b.budget_bytes - a.budget_bytes || b.lower_bound - a.lower_bound);
  const corners = [];
  for (const {budget_bytes, lower_bound} of bounds) {
    if (corners.length === 0 || lower_bound > corners[0].cost) {
      corners.unshift({bytes: budget_bytes, cost: lower_bound});
    }
  }
  return corners;
}

const MARKS = {
  circle: (x, y) => `M${x - 4},${y}a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z`,
  square: (x, y) => `M${x - 3.5},${y - 3.5}h7v7h-7z`,
  triangle: (x, y) => `M${x},${y - 4.5}l4.5,8h-9z`,
  diamond: (x, y) => `M${x},${y - 5}l5,5l-5,5l-5,-5z`,
  down: (x, y) => `M${x},${y + 4.5}l4.5,-8h-9z`,
  cross: (x, y) => `M${x - 4},${y - 4}l8,8m0,-8l-8,8`,
  plus: (x, y) => `M${x - 5},${y}h10m-5,-5v10`,
  bar: (x, y) => `M${x - 2},${y - 5}h4v10h-4z`,
};
const MARK_NAMES = Object.keys(MARKS);

const TOP = 20;  // Of the plot.

class FrontierPicture {
  constructor(view, report) {
    this.view = view;
    this.report = report;
    this.points = curve_points(report);
    this.base = report.graph.base_cost || 1;
    this.strategies = [...new Set(this.points.map((point) => point.strategy))];
    this.power = 1;
    this.width = 720;
    this.height = 340;
    this.element = el("div", {class: "frontier"});
    new ResizeObserver(() => this.fit()).observe(this.element);
    this.said = el("p", {class: "readout", id: "frontier-readout", role: "status", "aria-live": "polite"}, "Point at a mark, or move to it with the Tab key.");
    view.on("plan", () => this.draw());
    this.draw();
  }

  fit() {
    const width = Math.max(300, this.element.clientWidth);
    if (width === this.width) return;
    this.width = width;
    this.draw();
  }

  scales() {
    const {curve} = this.report;
    const plans = cheapest_plans(this.points);
    const least = Math.min(curve.peak_floor_bytes, ...plans.map((plan) => plan.bytes));
    const right = Math.max(curve.keep_all_peak_bytes, ...this.view_plans().map((plan) => plan.peak_bytes));
    const chosen = this.view_plans().map((plan) => plan.overhead);
    const costly = plans.map((plan) => plan.cost / this.base - 1).sort((a, b) => a - b);
    // A few plans at the least memory cost so much that all others would lie on
    // the axis.
    const usual = costly[Math.floor(0.8 * (costly.length - 1))] ?? 0;
    const most = costly[costly.length - 1] ?? 0;
    const shown = this.power === 1 ? Math.min(most, 3 * usual) : most;
    const top = 1.15 * Math.max(0.001, shown, ...chosen);
    const left = least * 0.97;
    return {left, right: right + (right - left) * 0.02, top};
  }

  view_plans() { return this.report.plans; }

  x(bytes) { return 64 + (bytes - this.range.left) / (this.range.right - this.range.left || 1) * (this.width - 84); }
  // What lies above the plot stays above it, and is clipped.
  y(cost) {
    const share = Math.min(100, Math.max(0, (cost / this.base - 1) / this.range.top));
    return this.height - 46 - share ** this.power * (this.height - 66);
  }

  // 0.5 lets small overheads be seen beside large ones.
  set_power(power) {
    this.power = power;
    this.draw();
  }

  overhead_ticks() {
    if (this.power === 1) return ticks(this.range.top, 5);
    const found = [0];
    for (let size = 1e-4; size <= this.range.top; size *= 10) {
      for (const share of [size, 2 * size, 5 * size]) {
        const y = this.y(this.base * (1 + share));
        const last = this.y(this.base * (1 + found[found.length - 1]));
        if (share <= this.range.top && last - y > 22) found.push(share);
      }
    }
    return found;
  }

  draw() {
    this.range = this.scales();
    const title = "Overhead against budget. The table below has the same numbers.";
    const picture = svg_el("svg", {width: this.width, height: this.height, viewBox: `0 0 ${this.width} ${this.height}`, role: "group", "aria-label": title, id: "frontier-chart"});
    picture.append(...this.axes(), this.clipped([...this.areas(), ...this.lines()]), ...this.labels(), ...this.marks());
    this.element.replaceChildren(picture);
  }

  clipped(parts) {
    const area = svg_el("rect", {x: 64, y: TOP, width: this.width - 84, height: this.height - 45 - TOP});
    return svg_el("g", {"clip-path": "url(#frontier-plot)"}, svg_el("clipPath", {id: "frontier-plot"}, area), ...parts);
  }

  axes() {
    const parts = [];
    const bottom = this.height - 46;
    for (const share of this.overhead_ticks()) {
      const y = this.y(this.base * (1 + share));
      parts.push(svg_el("path", {class: "grid", d: `M64,${y}H${this.width - 20}`}),
                 svg_el("text", {x: 56, y: y + 4, class: "end"}, format_round_overhead(share)));
    }
    const span = this.range.right - this.range.left;
    const step = ticks(span, Math.max(2, Math.floor(this.width / 120)), 1024)[1] ?? span;
    for (let bytes = Math.ceil(this.range.left / step) * step; bytes <= this.range.right; bytes += step) {
      const x = this.x(bytes);
      parts.push(svg_el("path", {class: "grid", d: `M${x},${bottom}v5`}),
                 svg_el("text", {x, y: bottom + 18, class: "middle"}, format_round_bytes(bytes)));
    }
    parts.push(svg_el("text", {x: this.width - 20, y: this.height - 8, class: "end"}, "budget"));
    return parts;
  }

  // Steps through corners; `before` says whether a corner counts to its left.
  steps(corners, from, to, before) {
    let path = "";
    corners.forEach((corner, i) => {
      const x0 = before ? (i === 0 ? from : corners[i - 1].bytes) : corner.bytes;
      const x1 = before ? corner.bytes : (corners[i + 1]?.bytes ?? to);
      path += `${i === 0 ? "M" : "L"}${this.x(x0)},${this.y(corner.cost)}L${this.x(x1)},${this.y(corner.cost)}`;
    });
    return path;
  }

  areas() {
    const {left, right} = this.range;
    const {curve} = this.report;
    const bounds = best_bounds(this.points).filter((corner) => corner.bytes >= left);
    const plans = cheapest_plans(this.points);
    const bottom = this.height - 46;
    const parts = [];
    if (bounds.length > 0) {
      const end = `L${this.x(Math.max(right, bounds[bounds.length - 1].bytes))},${bottom}L${this.x(left)},${bottom}Z`;
      parts.push(svg_el("path", {class: "impossible", d: this.steps(bounds, left, right, true) + end}));
    }
    if (plans.length > 0 && bounds.length > 0) {
      parts.push(svg_el("path", {class: "unknown", d: this.between(plans, bounds)}));
    }
    const floor = this.x(Math.max(left, curve.peak_floor_bytes));
    if (floor > 64) {
      parts.push(svg_el("path", {class: "impossible", d: `M64,${TOP}H${floor}V${bottom}H64Z`}));
    }
    return parts;
  }

  // What lies between the cheapest plans and the bounds.
  between(plans, bounds) {
    const {right} = this.range;
    const from = plans[0].bytes;
    const lower = bounds.filter((corner) => corner.bytes > from);
    let path = this.steps(plans, from, right, false);
    const last = lower.length > 0 ? lower[lower.length - 1].cost : this.base;
    path += `L${this.x(right)},${this.y(last)}`;
    for (let i = lower.length - 1; i >= 0; i -= 1) {
      const start = i === 0 ? from : lower[i - 1].bytes;
      path += `L${this.x(lower[i].bytes)},${this.y(lower[i].cost)}L${this.x(start)},${this.y(lower[i].cost)}`;
    }
    return `${path}Z`;
  }

  lines() {
    const {left, right} = this.range;
    const bounds = best_bounds(this.points).filter((corner) => corner.bytes >= left);
    return [svg_el("path", {class: "bound", d: this.steps(bounds, left, right, true)}),
            svg_el("path", {class: "cheapest", d: this.steps(cheapest_plans(this.points), left, right, false)})];
  }

  labels() {
    const {left} = this.range;
    const {curve} = this.report;
    const parts = this.above();
    const floor = this.x(Math.max(left, curve.peak_floor_bytes));
    const right_half = floor > this.width / 2;
    parts.push(svg_el("path", {class: "floor", d: `M${floor},${TOP}V${this.height - 46}`}),
               svg_el("text", {x: floor + (right_half ? -6 : 6), y: 12, class: right_half ? "end" : "start"}, `no plan needs less than ${format_bytes(curve.peak_floor_bytes)}`));
    return parts;
  }

  is_above(cost) { return cost / this.base - 1 > this.range.top; }

  // Where the cheapest plans leave the plot, and how far they go.
  above() {
    const plans = cheapest_plans(this.points);
    const last = plans.findLastIndex((plan) => this.is_above(plan.cost));
    if (last < 0) return [];
    const x = this.x(plans[last + 1]?.bytes ?? this.range.right);
    const words = `goes on to ${format_overhead(plans[0].cost / this.base - 1)}`;
    return [svg_el("path", {class: "above", d: `M${x - 4},${TOP + 6}l4,-6l4,6`}),
            svg_el("text", {x: x + 8, y: TOP + 11, class: "start", id: "frontier-above"}, words)];
  }

  marks() {
    const parts = this.points.filter((point) => point.cost !== null).map((point) => {
      const over = this.is_above(point.cost);
      const at = MARK_NAMES[this.strategies.indexOf(point.strategy) % MARK_NAMES.length];
      return this.mark(point, at, `mark ${point.strategy === "keep_all" ? "keep-all" : ""}${over ? " over" : ""}`);
    });
    for (const plan of this.report.plans) {
      const point = {strategy: plan.label, peak_bytes: plan.peak_bytes, cost: plan.cost,
                     budget_bytes: plan.budget ?? plan.peak_bytes,
                     lower_bound: plan.certificate?.lower_bound ?? null,
                     claimed_by: plan.certificate?.claimed_by, plan};
      parts.push(this.mark(point, "circle", `mark chosen${plan === this.view.plan ? " current" : ""}`));
    }
    return parts;
  }

  mark(point, shape, kind) {
    const x = this.x(point.peak_bytes);
    const y = Math.max(TOP, this.y(point.cost));
    const show = () => this.say(point);
    const words = `${point.strategy.slice(0, 80)}: ${format_overhead(point.cost / this.base - 1)} at ${format_bytes(point.peak_bytes)}`;
    return svg_el("path", {
      class: kind, d: MARKS[shape](x, y), tabindex: "0", role: point.plan && this.report.plans.length > 1 ? "button" : "img",
      "aria-label": words, onpointerenter: show, onfocus: show,
      onclick: () => { if (point.plan) this.view.set_plan(point.plan); },
      onkeydown: (event) => { if (event.key === "Enter" && point.plan) this.view.set_plan(point.plan); },
    });
  }

  say(point) {
    const {graph} = this.report;
    this.said.replaceChildren(
      name_el(point.strategy), ": peak ", bytes_el(point.peak_bytes), ", cost ",
      value_el(graph.cost(point.cost), point.cost), ", overhead ",
      value_el(format_overhead(point.cost / this.base - 1), point.cost / this.base - 1),
      point.lower_bound === null ? "" : `; no plan within ${format_bytes(point.budget_bytes)} costs less than ${format_overhead(point.lower_bound / this.base - 1)}${according_to(point)}`);
  }
}

// The points of the curve, and those of the plans on this page.
function curve_points(report) {
  const own = report.plans.filter((plan) => plan.certificate).map((plan) => ({
    strategy: plan.certificate.strategy, outcome: plan.certificate.outcome,
    budget_bytes: plan.certificate.budget_bytes, peak_bytes: plan.peak_bytes,
    cost: plan.cost, lower_bound: plan.certificate.lower_bound, claimed_by: plan.certificate.claimed_by,
  }));
  const key = (point) => JSON.stringify([point.strategy, point.peak_bytes, point.cost]);
  const seen = new Set();
  return [...report.curve.points, ...own].filter((point) => {
    // An infeasible budget raises the bound of no plan.
    if (point.cost === null) return point.lower_bound !== null;
    const is_new = !seen.has(key(point) + point.budget_bytes);
    seen.add(key(point) + point.budget_bytes);
    return is_new;
  });
}

function show_frontier(view, report) {
  const picture = new FrontierPicture(view, report);
  const {graph, curve} = report;
  const claimed = report.plans.some((plan) => plan.certificate?.claimed_by);
  const legend = el("ul", {class: "legend", "aria-label": "Legend"},
    legend_item("accent", "this plan", "ring"),
    legend_item("cheapest", "cheapest plan found", "line"),
    ...(picture.points.some((point) => point.lower_bound !== null)
      ? [legend_item("bound", claimed ? "lower bound, proved or claimed" : "proved lower bound", "dash"),
         legend_item("impossible", "proved impossible"), legend_item("unknown", "between plan and bound")] : []),
    ...picture.strategies.filter((name) => picture.points.some((point) => point.strategy === name && point.cost !== null))
      .map((name) => {
        const at = MARK_NAMES[picture.strategies.indexOf(name) % MARK_NAMES.length];
        const icon = svg_el("svg", {viewBox: "0 0 14 14", class: "icon", "aria-hidden": "true"},
          svg_el("path", {class: `mark${name === "keep_all" ? " keep-all" : ""}`, d: MARKS[at](7, 7)}));
        return el("li", {}, icon, name_el(name));
      }));
  const rows = picture.points.filter((point) => point.cost !== null).map((point) => [
    point.strategy, point.budget_bytes, point.peak_bytes, point.cost,
    point.cost / (graph.base_cost || 1) - 1, point.lower_bound, point.outcome]);
  const table = data_table("frontier-table", "Points of the curve", [
    {title: "strategy", cell: (name) => name_el(name)}, {title: "budget", cell: bytes_el}, {title: "peak", cell: bytes_el},
    {title: "cost", cell: (cost) => value_el(graph.cost(cost), cost)},
    {title: "overhead", cell: (share) => value_el(format_overhead(share), share)},
    {title: "lower bound", cell: (cost) => cost === null ? "" : value_el(graph.cost(cost), cost)},
    {title: "outcome", cell: (text) => text}], rows, {sort: 1});
  const words = curve.whole ? "The whole curve, as it was searched for."
    : "A quick look: this plan, the strategies that need no search, and the gap program at several budgets. rematch frontier searches for the whole curve.";
  by_id("frontier").querySelector(".body").append(
    el("p", {id: "certificate", class: "certificate"}),
    el("div", {class: "controls"}, choice("Scale of the overhead", [[1, "Linear"], [0.5, "Square root"]], 1,
                                          (power) => picture.set_power(power))),
    el("figure", {}, picture.element, legend, picture.said, el("figcaption", {class: "quiet"}, words)),
    el("details", {class: "more"}, el("summary", {}, "The points as a table"), table));
  const certify = () => by_id("certificate").replaceChildren(...certificate_words(view.plan, report));
  view.on("plan", certify);
  certify();
  return picture;
}

// "This plan is within 0.30% of the best possible; ..."
function certificate_words(plan, report) {
  const {curve} = report;
  const least = curve.least_peak_bytes;
  const known = what_is_known(plan, report);
  const words = [sentence(known, `this plan is ${known.words}`)];
  if (least !== null && least > curve.peak_floor_bytes) {
    words.push(" The least budget for which a plan was found here is ", bytes_el(least), ".");
  } else if (least !== null) {
    words.push(" The least budget is ", bytes_el(least), ": there is a plan for it, and none for less.");
  }
  return words;
}
