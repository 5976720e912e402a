// SPDX-License-Identifier: Apache-2.0
// The numbers of the plan on top of the page, and several plans side by side.

function show_summary(view, report) {
  const {graph, keep_all} = report;
  const section = by_id("summary");
  const fill = () => {
    const {plan} = view;
    const cards = [
      ["peak", bytes_el(plan.peak_bytes), saved_words(plan, keep_all)],
      ["overhead", value_el(format_overhead(plan.overhead), plan.overhead), `${graph.cost(plan.cost)} instead of ${graph.cost(graph.base_cost)}`],
      ["recomputed", value_el(count_of(plan.ops_again, "op"), plan.ops_again), `of ${exact_number(graph.num_ops)}, ${count_of(plan.extra_runs, "extra run")}`],
    ];
    const known = what_is_known(plan, report);
    if (plan.certificate) {
      const {budget_bytes} = plan.certificate;
      cards.unshift(["budget", bytes_el(budget_bytes), keep_all.peak_bytes > 0 ? `${format_percent(budget_bytes / keep_all.peak_bytes)} of keeping everything` : ""]);
    }
    if (known.lower_bound !== null) {
      cards.push(["gap", known.gap === null ? "unknown" : value_el(format_percent(known.gap), known.gap),
                  `no plan within ${plan.certificate ? "the budget" : "its peak"} costs less than ${graph.cost(known.lower_bound)}${according_to(plan.certificate)}`]);
    }
    const lead = report.curve.whole
      ? [el("p", {class: "certificate lead", id: "headline"}, headline(report)),
         el("p", {class: "certificate", id: "certificate-lead"}, "The plan that is shown, ", name_el(plan.label), `: ${known.words}.`)]
      : [el("p", {class: "certificate lead", id: "certificate-lead"}, sentence(known, known.words))];
    section.replaceChildren(
      ...lead,
      el("div", {class: "cards"}, cards.map(([title, value, words]) =>
        el("div", {class: "card", id: `card-${title}`}, el("h2", {}, title), el("p", {class: "big"}, value), el("p", {class: "quiet"}, words)))));
  };
  view.on("plan", fill);
  fill();
}

// What a whole curve says: the least budget, and what half of the memory costs.
function headline({graph, curve}) {
  const plans = cheapest_plans(curve.points);
  const overhead = (plan) => format_overhead(plan.cost / (graph.base_cost || 1) - 1);
  const least = plans[0];
  const words = [least.bytes > curve.peak_floor_bytes ? "The least budget with a plan is " : "The least budget is ",
                 bytes_el(least.bytes), graph.base_cost > 0 ? `, for ${overhead(least)}` : "", ". "];
  const half = Math.floor(curve.keep_all_peak_bytes / 2);
  const fits = plans.findLast((plan) => plan.bytes <= half);
  if (curve.keep_all_peak_bytes === 0) return words;
  if (fits) return [...words, "Half of the memory, ", bytes_el(half), `, costs ${overhead(fits)}.`];
  const none = half < curve.peak_floor_bytes ? " is too little for any plan." : ": no plan was found.";
  return [...words, "Half of the memory, ", bytes_el(half), none];
}

function saved_words(plan, keep_all) {
  const all = format_bytes(keep_all.peak_bytes);
  if (plan.peak_bytes === keep_all.peak_bytes) return `the same as keeping everything (${all})`;
  const share = plan.peak_bytes / keep_all.peak_bytes - 1;
  return `${format_percent(Math.abs(share))} ${share < 0 ? "less" : "more"} than keeping everything (${all})`;
}

// A bound that a file claims cannot be checked by replay.
function according_to(certificate) {
  return certificate?.claimed_by ? `, according to ${certificate.claimed_by.slice(0, 80)}` : "";
}

function sentence({claimed_by}, words) {
  if (claimed_by) return `According to ${claimed_by.slice(0, 80)}, ${words}.`;
  return `${words[0].toUpperCase()}${words.slice(1)}.`;
}

// How close the plan is to the best, in words that follow "it is", with the
// bound that says so. A plan without a certificate is measured by the bounds of
// the curve, which hold for every budget up to their own.
function what_is_known(plan, report) {
  const {certificate} = plan;
  if (certificate) return certificate;
  if (plan.extra_runs === 0) {
    return {words: "the cheapest possible: every op runs once", lower_bound: plan.cost, gap: 0};
  }
  const bounds = report.curve.points
    .filter((point) => point.lower_bound !== null && point.budget_bytes >= plan.peak_bytes)
    .map((point) => point.lower_bound);
  // A bound for plans in a fixed order says nothing about others.
  const apply = report.curve.order === "free" || plan.order === "fixed";
  const lower_bound = apply && bounds.length > 0 ? Math.max(...bounds) : 0;
  if (!(lower_bound > 0)) {
    return {words: "a plan without a certificate: how close it is to the best is not known", lower_bound: null, gap: null};
  }
  const gap = Math.max(0, plan.cost / lower_bound - 1);
  const close = gap === 0 ? "the best possible within its own peak"
    : gap < 1e-9 ? "within rounding of the best possible within its own peak"
    : `within ${format_percent(Math.max(gap, 1e-6))} of the best possible within its own peak`;
  return {words: `${close}, by a bound of the quick look below: it came without a certificate`, lower_bound, gap};
}

// The curve of one plan, small, on the scale that all of them share.
function small_curve(plan, most) {
  const [width, height] = [260, 90];
  const columns = Math.min(plan.num_runs, width);
  let path = `M0,${height}`;
  for (let i = 0; i < columns; i += 1) {
    const first = Math.floor(i * plan.num_runs / columns);
    const last = Math.max(first + 1, Math.floor((i + 1) * plan.num_runs / columns));
    const bytes = plan.footprint.subarray(first, last).reduce((a, b) => Math.max(a, b), 0);
    const y = (height - bytes / most * height).toFixed(1);
    path += `L${(i * width / columns).toFixed(1)},${y}L${((i + 1) * width / columns).toFixed(1)},${y}`;
  }
  const picture = svg_el("svg", {viewBox: `0 0 ${width} ${height}`, class: "small", role: "img", preserveAspectRatio: "none",
    "aria-label": `Memory of the plan, peak ${format_bytes(plan.peak_bytes)}`},
    svg_el("path", {class: "area", d: `${path}L${width},${height}Z`}));
  if (plan.budget !== null && plan.budget <= most) {
    const y = height - plan.budget / most * height;
    picture.append(svg_el("path", {class: "budget", d: `M0,${y}H${width}`}));
  }
  return picture;
}

const COMPARED = [
  ["budget", (plan) => plan.budget === null ? "" : bytes_el(plan.budget)],
  ["peak", (plan) => bytes_el(plan.peak_bytes)],
  ["cost", (plan) => value_el(plan.graph.cost(plan.cost), plan.cost)],
  ["overhead", (plan) => value_el(format_overhead(plan.overhead), plan.overhead)],
  ["gap", (plan, report) => {
    const {gap} = what_is_known(plan, report);
    return gap === null ? "" : value_el(format_percent(gap), gap);
  }],
  ["ops recomputed", (plan) => value_el(exact_number(plan.ops_again), plan.ops_again)],
  ["extra runs", (plan) => value_el(exact_number(plan.extra_runs), plan.extra_runs)],
  ["steps", (plan) => value_el(exact_number(plan.steps.length), plan.steps.length)],
  ["strategy", (plan) => plan.certificate ? name_el(plan.certificate.strategy) : ""],
  ["order", (plan) => plan.order],
];

function show_comparison(view, report) {
  if (report.plans.length < 2) return;
  const plans = [report.keep_all, ...report.plans];
  const most = Math.max(...plans.map((plan) => Math.max(plan.peak_bytes, plan.budget ?? 0))) * 1.04;
  const buttons = plans.map((plan) => {
    const chooser = button("", () => view.set_plan(plan), {class: "row", "data-plan": plan.number});
    chooser.append(name_el(plan.label));
    return chooser;
  });
  const table = el("table", {id: "compare-table", "aria-labelledby": "compare-title"},
    el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "plan"), buttons.map((chooser) => el("th", {scope: "col"}, chooser)))),
    el("tbody", {}, el("tr", {}, el("th", {scope: "row"}, "memory"), plans.map((plan) => el("td", {}, small_curve(plan, most)))),
      COMPARED.map(([title, cell]) => el("tr", {}, el("th", {scope: "row"}, title), plans.map((plan) => el("td", {}, cell(plan, report)))))));
  const section = by_id("compare");
  section.hidden = false;
  section.querySelector(".body").append(
    el("p", {class: "quiet"}, "All curves on one scale, each over its own runs. Choose the plan that the page shows:"),
    el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Comparison of plans"}, table));
  const mark = () => buttons.forEach((chooser, i) => chooser.setAttribute("aria-pressed", String(plans[i] === view.plan)));
  view.on("plan", mark);
  mark();
}
