// SPDX-License-Identifier: Apache-2.0
// The schedule: a row per op, in the graph's order; where it runs, where it runs
// again, and how long what it made stays in memory.

class SchedulePicture extends Picture {
  constructor(view, report) {
    super(view, {
      id: "schedule-chart", label: "Op in the schedule",
      describedby: "schedule-help", height: 440,
      margins: {left: 70, right: 14, top: 8, bottom: 44},
    });
    this.report = report;
    this.brush_is_box = true;
    this.overlay.setAttribute("aria-orientation", "vertical");
    this.overlay.setAttribute("aria-valuemax", report.graph.num_ops - 1);
    this.rows = [0, report.graph.num_ops];
    view.on("plan", () => this.redraw());
    view.on("range", () => this.redraw());
    view.on("selection", () => this.follow());
    view.on("cursor", () => this.redraw_overlay());
    this.say();
  }

  say() {
    const {view} = this;
    const op = view.selected ?? view.plan.op[view.cursor] ?? 0;
    this.overlay.setAttribute("aria-valuenow", op);
    this.overlay.setAttribute("aria-valuetext",
      `op ${op}, ${view.plan.graph.op_name(op).slice(0, LONGEST_SHOWN)}`);
  }

  follow() {
    const {selected} = this.view;
    if (selected !== null && (selected < this.rows[0] || selected >= this.rows[1])) {
      const half = (this.rows[1] - this.rows[0]) / 2;
      this.set_rows(selected - half, selected + half);
    }
    this.say();
    this.redraw();
  }

  set_rows(from, to) {
    const all = this.report.graph.num_ops;
    const height = Math.min(all, Math.max(4, to - from));
    const first = Math.max(0, Math.min(all - height, (from + to - height) / 2));
    this.rows = [first, first + height];
    this.redraw();
  }

  show_all() {
    this.rows = [0, this.report.graph.num_ops];
    super.show_all();
  }

  zoom_to(from, to, y0, y1) {
    const [top, bottom] = [y0, y1].sort((a, b) => a - b);
    if (bottom - top > 5) this.set_rows(this.row_at(top), this.row_at(bottom) + 1);
    super.zoom_to(from, to);
  }

  // Rows that have something to show in the visible part: what runs in it.
  fit_rows() {
    const {view} = this;
    let [low, high] = [Infinity, -1];
    for (let i = view.column_at(view.from); i <= view.column_at(view.to); i += 1) {
      low = Math.min(low, view.plan.op[i]);
      high = Math.max(high, view.plan.op[i]);
    }
    if (high >= 0) this.set_rows(low - 1, high + 2);
  }

  get row_height() { return this.plot.height / (this.rows[1] - this.rows[0]); }
  y_of(row) { return this.plot.top + (row - this.rows[0]) * this.row_height; }
  row_at(y) {
    const row = Math.floor(this.rows[0] + (y - this.plot.top) / this.row_height);
    return Math.max(0, Math.min(this.report.graph.num_ops - 1, row));
  }

  draw_on(context) {
    const {plot} = this;
    context.fillStyle = css_colour("plot");
    context.fillRect(plot.left, plot.top, plot.width, plot.height);
    context.save();
    context.beginPath();
    context.rect(plot.left, plot.top, plot.width, plot.height);
    context.clip();
    this.draw_row_of_selection(context);
    this.draw_lives(context);
    this.draw_runs(context);
    context.restore();
    this.draw_rows_axis(context);
    draw_axis(context, this, plot.bottom + 2);
  }

  draw_row_of_selection(context) {
    const {selected} = this.view;
    if (selected === null) return;
    context.fillStyle = css_colour("selected");
    context.globalAlpha = 0.25;
    context.fillRect(this.plot.left, this.y_of(selected) - 1, this.plot.width,
                     Math.max(3, this.row_height + 2));
    context.globalAlpha = 1;
  }

  draw_lives(context) {
    const {view} = this;
    const {of, from, to} = view.plan.tensor_lives;
    const {producer} = view.plan.graph.tensors;
    const height = Math.max(1, this.row_height * 0.72);
    const colours = [css_colour("life"), css_colour("selected")];
    const draw = (i, colour, tall) => {
      const row = producer[of[i]];
      if (row < this.rows[0] - 1 || row > this.rows[1]) return;
      const x0 = this.x_of(view.position(from[i]));
      const x1 = this.x_of(view.position(to[i] + 1));
      if (x1 < this.plot.left || x0 > this.plot.right) return;
      context.fillStyle = colour;
      context.fillRect(x0, this.y_of(row + 0.5) - tall / 2, Math.max(0.75, x1 - x0), tall);
    };
    for (let i = 0; i < of.length; i += 1) draw(i, colours[0], height);
    if (view.tensor === null) return;
    for (let i = 0; i < of.length; i += 1) {
      if (of[i] === view.tensor) draw(i, colours[1], Math.max(4, height));
    }
  }

  draw_runs(context) {
    const {view} = this;
    const {op, nth, graph} = view.plan;
    const height = Math.max(1.6, this.row_height * 0.72);
    const colours = PHASES.map(css_colour);
    const again = css_colour("again");
    const draw = (repeats) => {
      const first = view.column_at(view.from);
      const last = view.column_at(view.to);
      for (let i = first; i <= last; i += 1) {
        if ((nth[i] > 0) !== repeats) continue;
        if (op[i] < this.rows[0] - 1 || op[i] > this.rows[1]) continue;
        const x0 = this.x_of(view.position(i));
        const width = Math.max(repeats ? 2.4 : 1.6, this.x_of(view.position(i + 1)) - x0);
        const tall = repeats ? Math.max(2.4, height) : height;
        context.fillStyle = repeats ? again : colours[graph.phase(op[i])];
        context.fillRect(x0, this.y_of(op[i] + 0.5) - tall / 2, width, tall);
      }
    };
    draw(false);
    draw(true);
  }

  draw_rows_axis(context) {
    const {plot} = this;
    const graph = this.report.graph;
    context.fillStyle = css_colour("quiet");
    context.textAlign = "right";
    context.textBaseline = "middle";
    if (this.row_height >= 13) {
      for (let op = Math.ceil(this.rows[0]); op < this.rows[1]; op += 1) {
        context.fillText(short_name(graph.op_name(op), 10), plot.left - 6, this.y_of(op + 0.5));
      }
      return;
    }
    const span = this.rows[1] - this.rows[0];
    const steps = ticks(span, 6);
    const step = Math.max(1, Math.round(steps[1] ?? span));
    for (let op = Math.ceil(this.rows[0] / step) * step; op < this.rows[1]; op += step) {
      context.fillText(exact_number(op), plot.left - 8, this.y_of(op));
      context.fillRect(plot.left - 4, Math.round(this.y_of(op)), 4, 1);
    }
  }

  hover(x, y) {
    super.hover(x, y);
    this.pointed = this.is_inside(x, y) ? this.row_at(y) : null;
    this.redraw_overlay();
  }

  draw_overlay() {
    super.draw_overlay();
    if (this.width === 0) return;
    const context = this.overlay.getContext("2d");
    const row = this.pointed;
    if (row === null || row === undefined || this.view.pinned) return;
    this.draw_pointed(context, row);
  }

  // The name of the row under the pointer, beside it.
  draw_pointed(context, row) {
    const {plot} = this;
    const y = this.y_of(row + 0.5);
    context.fillStyle = css_colour("cursor");
    context.fillRect(plot.left, Math.round(y), plot.width, 1);
    const text = `op ${row}: ${short_name(this.report.graph.op_name(row), 48)}`;
    const width = context.measureText(text).width + 12;
    const left = Math.min(plot.right - width, plot.left + 8);
    const top = y > plot.top + 30 ? y - 26 : y + 8;
    context.fillStyle = css_colour("panel");
    context.fillRect(left, top, width, 20);
    context.strokeStyle = css_colour("line");
    context.lineWidth = 1;
    context.strokeRect(left + 0.5, top + 0.5, width - 1, 19);
    context.fillStyle = css_colour("text");
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(text, left + 6, top + 10);
  }

  click(x, y) {
    this.view.pinned = false;
    super.hover(x, y);
    this.view.select(this.row_at(y));
  }

  key(event) {
    const {view} = this;
    const at = view.selected ?? view.plan.op[view.cursor];
    const far = event.shiftKey ? 10 : 1;
    const moves = {ArrowUp: -far, ArrowDown: far};
    if (Object.hasOwn(moves, event.key)) {
      const op = at + moves[event.key];
      view.select(Math.max(0, Math.min(this.report.graph.num_ops - 1, op)));
      event.preventDefault();
    } else if (event.key === "Enter") {
      view.select(view.plan.op[view.cursor]);
      event.preventDefault();
    } else if (event.key === "0") {
      this.show_all();
      event.preventDefault();
    } else {
      navigation_key(event, view);
    }
  }
}

// The end of a name says more than its beginning. Characters that turn the
// direction of text would turn what stands around them.
function short_name(name, most) {
  const points = [...name.slice(-4 * most).replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")];
  if (points.length <= most && name.length <= 4 * most) return points.join("");
  return `…${points.slice(-(most - 1)).join("")}`;
}

function show_schedule(view, report) {
  const picture = new SchedulePicture(view, report);
  const details = new Details(view, report);
  const legend = el("ul", {class: "legend", "aria-label": "Legend"});
  const fill_legend = () => legend.replaceChildren(
    ...PHASES.filter((_, phase) => report.graph.ops.phase.includes(phase)).map((phase) => legend_item(phase, `${phase} run`)),
    ...(view.plan.extra_runs > 0 ? [legend_item("again", "run again")] : []),
    legend_item("life", "its output is in memory"), legend_item("selected", "the selected tensor"));
  view.on("plan", fill_legend);
  fill_legend();
  const controls = el("div", {class: "controls"}, find_box(view, report.graph, () => picture.overlay.focus()), zoom_buttons(view),
    el("div", {class: "choice", role: "group", "aria-label": "Rows"},
       button("Fit rows", () => picture.fit_rows(), {title: "Only rows of ops that run in the visible part"}),
       button("All rows", () => picture.set_rows(0, report.graph.num_ops))));
  const figure = el("figure", {class: "wide"}, picture.element, legend,
    el("figcaption", {id: "schedule-help", class: "quiet"},
       "A row per op in the graph's order, a column per run. A grey bar is memory held by what the op made. ",
       "Click a row or use the up and down keys to select it; drag a box to zoom, double click to see all."));
  by_id("schedule").querySelector(".body").append(controls, el("div", {class: "beside"}, figure, details.element));
  picture.start();
  return picture;
}

const MOST_FOUND = 12;

// Finds ops and tensors by a part of their name. Enter takes the one of exactly
// that name, else the first; `chosen` is called after a choice.
function find_box(view, graph, chosen) {
  const list = el("ul", {class: "found", id: "found", hidden: true, "aria-label": "Found", onpointerdown: (event) => event.preventDefault()});
  const close = () => { list.hidden = true; };
  const choose = ([op, tensor]) => {
    close();
    view.select(op, tensor);
    chosen();
  };
  const fill = () => {
    const text = input.value.trim().toLowerCase();
    const {found, count} = find_names(graph, text);
    const rows = found.map((one) => {
      const row = button("", () => choose(one), {class: "row"});
      row.append(name_el(one[2]));
      return el("li", {}, row);
    });
    if (count === 0) rows.push(el("li", {class: "quiet"}, el("span", {role: "status"}, "no op or tensor of that name")));
    if (count > found.length) rows.push(el("li", {class: "quiet"}, `and ${exact_number(count - found.length)} more`));
    list.replaceChildren(...rows);
    list.hidden = text === "";
    return found;
  };
  const move = (by) => {
    if (list.hidden) fill();
    const stops = [input, ...list.querySelectorAll("button")];
    const at = stops.indexOf(document.activeElement) + by;
    stops[Math.max(0, Math.min(stops.length - 1, at))].focus();
  };
  const key = (event) => {
    const keys = {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      Escape: () => {
        input.focus();
        close();
      },
    };
    if (event.target === input) {
      keys.Enter = () => {
        const [first] = input.value.trim() === "" ? [] : fill();
        if (first) choose(first);
      };
    }
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  };
  const input = el("input", {id: "find", type: "search", autocomplete: "off", placeholder: "op or tensor", oninput: fill});
  const box = el("div", {class: "find", onkeydown: key}, el("label", {for: "find"}, "Find"), input, list);
  box.addEventListener("focusout", (event) => { if (!box.contains(event.relatedTarget)) close(); });
  return box;
}

// Some of the names that contain the text, [op, tensor, name], one that is the
// text first, and how many there are.
function find_names(graph, text) {
  const all = [];
  const add = (op, tensor, name) => {
    const lower = name.toLowerCase();
    if (lower === text) all.unshift([op, tensor, name]);
    else if (lower.includes(text)) all.push([op, tensor, name]);
  };
  for (let op = 0; op < graph.num_ops; op += 1) {
    add(op, null, graph.op_name(op));
    for (const tensor of graph.outputs[op]) {
      if (graph.tensor_name(tensor) !== graph.op_name(op)) add(op, tensor, graph.tensor_name(tensor));
    }
  }
  return {found: all.slice(0, MOST_FOUND), count: all.length};
}
