// SPDX-License-Identifier: Apache-2.0
// Tables that can be sorted by any column and copied whole.

const ROWS_SHOWN = 15;

// `columns` have a title and a cell (value and row to text or element); `rows`
// are lists of values, which may be longer. `sort` is the column to sort by
// first.
function data_table(id, caption, columns, rows, {sort = 0, descending = false} = {}) {
  const body = el("tbody");
  const heads = columns.map((column, at) => {
    if (column.hidden) return null;
    const sorter = button(column.title, () => sort_by(at), {class: "sort"});
    return el("th", {scope: "col", class: is_number_column(rows, at) ? "number" : ""}, sorter);
  });
  const more = button("", () => {
    shown = shown === ROWS_SHOWN ? Math.min(rows.length, 2000) : ROWS_SHOWN;
    fill();
  }, {class: "link more-rows"});
  const on_paper = el("p", {class: "quiet on-paper"});
  let shown = ROWS_SHOWN;
  let order = {at: sort, descending};
  const fill = () => {
    const sign = order.descending ? -1 : 1;
    const sorted = [...rows].sort((a, b) => sign * compare_values(a[order.at], b[order.at]));
    heads.forEach((head, at) => {
      head?.setAttribute("aria-sort", at !== order.at ? "none" : order.descending ? "descending" : "ascending");
    });
    body.replaceChildren(...sorted.slice(0, shown).map((row) => {
      const cells = columns.map((column, at) => {
        if (column.hidden) return null;
        const text = column.cell(row[at], row);
        return el("td", {class: typeof row[at] === "number" ? "number" : ""}, text);
      });
      return el("tr", {}, cells);
    }));
    more.hidden = rows.length <= ROWS_SHOWN;
    on_paper.textContent = shown < rows.length ? `${exact_number(shown)} of ${exact_number(rows.length)} rows` : "";
    more.textContent = shown === ROWS_SHOWN ? `Show ${exact_number(Math.min(rows.length, 2000))} rows` : "Show fewer rows";
  };
  const sort_by = (at) => {
    const numbers = is_number_column(rows, at);
    order = {at, descending: order.at === at ? !order.descending : numbers};
    fill();
  };
  fill();
  const copy = button("Copy", async () => {
    const shown_cells = (row) => columns.flatMap((column, at) => column.hidden ? [] : [plain_cell(row[at])]);
    const lines = [columns.map((column) => column.title), ...rows];
    const done = await copy_text(lines.map((row) => shown_cells(row).join("\t")).join("\n"));
    copy.textContent = done ? "Copied" : "Not allowed";
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  }, {"aria-label": `Copy the table: ${caption}`});
  return el("div", {class: "table", id},
    el("div", {class: "table-head"}, el("h3", {id: `${id}-title`}, caption), copy),
    rows.length === 0 ? el("p", {class: "quiet"}, "Nothing.")
      : el("div", {class: "scroll", tabindex: "0", role: "region", "aria-labelledby": `${id}-title`},
           el("table", {"aria-labelledby": `${id}-title`}, el("thead", {}, el("tr", {}, heads)), body)),
    more, on_paper);
}

function is_number_column(rows, at) {
  return rows.some((row) => typeof row[at] === "number");
}

function compare_values(a, b) {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}

// A line of a table that is copied is a line of text.
function plain_cell(value) {
  return value === null ? "" : String(value).replace(/[\t\r\n]+/g, " ");
}

async function copy_text(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", {"aria-hidden": "true"});
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

function peak_rows(plan) {
  const {graph} = plan;
  const column = plan.peak_column;
  const rows = plan.live_at(column).map(({tensor, bytes, since}) => {
    const op = graph.tensors.producer[tensor];
    return [graph.tensor_name(tensor), bytes, bytes / plan.peak_bytes, graph.kind(op), graph.module(op),
            plan.step[since], tensor];
  });
  const workspace = plan.num_runs > 0 ? graph.ops.workspace[plan.op[column]] : 0;
  if (workspace > 0) rows.push(["(workspace)", workspace, workspace / plan.peak_bytes, "", "", plan.peak_step, null]);
  if (graph.fixed_bytes > 0) {
    rows.push(["(fixed: inputs, weights, …)", graph.fixed_bytes, graph.fixed_bytes / plan.peak_bytes, "", "", 0, null]);
  }
  return rows;
}

function rerun_rows(plan) {
  const {graph} = plan;
  const rows = [];
  plan.runs.forEach((runs, op) => {
    if (runs < 2) return;
    const extra = (runs - 1) * graph.ops.cost[op];
    rows.push([graph.op_name(op), runs, extra, extra / (graph.base_cost || 1), graph.kind(op), graph.module(op), op]);
  });
  return rows;
}

// Costs added up by what `name_of` calls an op.
function cost_rows(plan, name_of) {
  const {graph} = plan;
  const sums = new Map();
  for (let op = 0; op < graph.num_ops; op += 1) {
    const name = name_of(op);
    if (!sums.has(name)) sums.set(name, [name, 0, 0, 0, 0]);
    const sum = sums.get(name);
    sum[1] += 1;
    sum[2] += plan.runs[op];
    sum[3] += graph.ops.cost[op];
    sum[4] += (plan.runs[op] - 1) * graph.ops.cost[op];
  }
  return [...sums.values()].map((row) => [...row, row[4] / (graph.base_cost || 1)]);
}

function show_tables(view, report) {
  const {graph} = report;
  const body = by_id("tables").querySelector(".body");
  const share = (value) => value_el(format_percent(value), value);
  const cost = (value) => value_el(graph.cost(value), value);
  const count = (value) => value_el(exact_number(value), value);
  const select_tensor = (name, row) => {
    const tensor = row[6];
    if (tensor === null) return name;
    return link_to(name, () => view.select(graph.tensors.producer[tensor], tensor));
  };
  const select_op = (name, row) => link_to(name, () => view.select(row[6]));
  // Columns that would be empty are left out.
  const named = [{title: "kind", cell: (name) => name_el(name), hidden: !graph.has_kinds},
                 {title: "module", cell: (name) => name_el(name), hidden: !graph.has_modules}];
  const fill = () => {
    const {plan} = view;
    const by_module = cost_rows(plan, (op) => graph.has_modules ? graph.module(op) || "(no module)" : graph.kind(op) || "(no kind)");
    const group = graph.has_modules ? "module" : "kind of op";
    body.replaceChildren(
      data_table("peak-table", "What sits at the peak", [
        {title: "tensor", cell: select_tensor}, {title: "size", cell: bytes_el}, {title: "of the peak", cell: share},
        ...named, {title: "since step", cell: count}], peak_rows(plan), {sort: 1, descending: true}),
      data_table("rerun-table", "What is recomputed most", [
        {title: "op", cell: select_op}, {title: "runs", cell: count}, {title: "extra cost", cell: cost},
        {title: "of all ops once", cell: share}, ...named], rerun_rows(plan), {sort: 2, descending: true}),
      data_table("cost-table", `Cost by ${group}`, [
        {title: group, cell: (name) => name_el(name)}, {title: "ops", cell: count}, {title: "runs", cell: count},
        {title: "cost once", cell: cost}, {title: "extra cost", cell: cost}, {title: "extra, of all", cell: share}],
        by_module, {sort: 3, descending: true}));
  };
  view.on("plan", fill);
  fill();
}

function link_to(name, onclick) {
  const link = button("", onclick, {class: "link"});
  link.append(name_el(name));
  return link;
}
