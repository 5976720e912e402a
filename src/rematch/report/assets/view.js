// SPDX-License-Identifier: Apache-2.0
// What the pictures share: the plan, the visible part of it, the cursor and what
// is selected. Positions on the axis are runs, or costs added up.

class View {
  constructor(plan) {
    this.listeners = [];
    this.axis = "runs";
    this.selected = null;  // An op.
    this.tensor = null;    // One of its outputs.
    this.set_plan(plan);
  }

  // `what` is "plan", "range", "cursor" or "selection".
  on(what, listener) { this.listeners.push([what, listener]); }
  tell(...changes) {
    for (const [what, listener] of this.listeners) {
      if (changes.includes(what)) listener();
    }
  }

  set_plan(plan) {
    this.plan = plan;
    this.cursor = plan.peak_column;
    this.from = 0;
    this.to = this.length;
    this.tell("plan", "range", "cursor", "selection");
  }

  set_axis(axis) {
    const first = this.column_at(this.from);
    const last = this.column_at(this.to);
    const whole = this.is_whole();
    this.axis = axis;
    this.from = whole ? 0 : this.position(first);
    this.to = whole ? this.length : this.position(last + 1);
    this.tell("range");
  }

  get length() { return this.position(this.plan.num_runs); }
  is_whole() { return this.from <= 0 && this.to >= this.length; }

  // Where a column begins.
  position(column) { return this.axis === "runs" ? column : this.plan.start[column]; }

  // The column that holds a position.
  column_at(position) {
    const last = this.plan.num_runs - 1;
    if (this.axis === "runs") return Math.max(0, Math.min(last, Math.floor(position)));
    let low = 0;
    let high = last;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.plan.start[middle] <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  set_range(from, to) {
    const least = this.axis === "runs" ? Math.min(4, this.length) : this.length / 1e5;
    const width = Math.max(least, Math.min(this.length, to - from));
    const middle = (from + to) / 2;
    this.from = Math.max(0, Math.min(this.length - width, middle - width / 2));
    this.to = this.from + width;
    this.tell("range");
  }

  show_all() { this.set_range(0, this.length); }

  // Factor below 1: closer. What is at `around` stays where it is.
  zoom(factor, around = (this.position(this.cursor) + this.position(this.cursor + 1)) / 2) {
    const inside = around < this.from || around > this.to ? (this.from + this.to) / 2 : around;
    this.set_range(inside - (inside - this.from) * factor, inside + (this.to - inside) * factor);
  }

  pan(share) {
    const width = this.to - this.from;
    const from = Math.max(0, Math.min(this.length - width, this.from + share * width));
    this.set_range(from, from + width);
  }

  set_cursor(column) {
    this.cursor = Math.max(0, Math.min(this.plan.num_runs - 1, column));
    const from = this.position(this.cursor);
    const to = this.position(this.cursor + 1);
    if (from < this.from || to > this.to) {
      const width = this.to - this.from;
      this.set_range((from + to - width) / 2, (from + to + width) / 2);
    }
    this.tell("cursor");
  }

  select(op, tensor = null) {
    this.selected = op;
    this.tensor = tensor ?? largest_output(this.plan.graph, op);
    if (!this.is_run_visible(op)) this.show_all();
    this.tell("selection");
  }

  is_run_visible(op) {
    const first = this.column_at(this.from);
    const last = this.column_at(this.to);
    return this.plan.op.subarray(first, last + 1).includes(op);
  }

  clear_selection() {
    this.selected = null;
    this.tensor = null;
    this.tell("selection");
  }
}

function largest_output(graph, op) {
  let best = null;
  for (const tensor of graph.outputs[op]) {
    if (best === null || graph.bytes(tensor) > graph.bytes(best)) best = tensor;
  }
  return best;
}

// Keys that all pictures along the axis understand. True if it was one.
function navigation_key(event, view) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const far = event.shiftKey ? 10 : 1;
  const page = Math.max(1, Math.round((view.column_at(view.to) - view.column_at(view.from)) / 10));
  const keys = {
    ArrowLeft: () => view.set_cursor(view.cursor - far),
    ArrowRight: () => view.set_cursor(view.cursor + far),
    PageUp: () => view.set_cursor(view.cursor - page),
    PageDown: () => view.set_cursor(view.cursor + page),
    Home: () => view.set_cursor(0),
    End: () => view.set_cursor(view.plan.num_runs - 1),
    p: () => view.set_cursor(view.plan.peak_column),
    "+": () => view.zoom(0.5),
    "=": () => view.zoom(0.5),
    "-": () => view.zoom(2),
    _: () => view.zoom(2),
    0: () => view.show_all(),
    Escape: () => view.clear_selection(),
  };
  if (!Object.hasOwn(keys, event.key)) return false;
  keys[event.key]();
  event.preventDefault();
  return true;
}
