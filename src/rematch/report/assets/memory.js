// SPDX-License-Identifier: Apache-2.0
// Memory over time: the plan's layers, the lines of keeping everything and of
// other plans, the budget, the peak, and which runs are forward, backward or
// repeated.

const STRIP = 7;  // Height of the strips that tell phases and repeats apart.

class MemoryPicture extends Picture {
  constructor(view, report) {
    super(view, {
      id: "memory-chart", label: "Memory in use, run by run",
      describedby: "memory-help", height: 380,
      margins: {left: 70, right: 14, top: 22, bottom: 62},
    });
    this.report = report;
    this.ways = groupings(report.graph);
    this.way = telling_way(view.plan, this.ways);
    this.with_others = true;
    view.on("plan", () => this.measure());
    view.on("range", () => this.redraw());
    view.on("selection", () => this.redraw());
    view.on("cursor", () => this.move_cursor());
    this.measure();
  }

  set_way(way) {
    this.way = way;
    this.measure();
  }

  measure() {
    const {view, report} = this;
    const name_of = this.ways.find(([way]) => way === this.way)[2];
    this.layers = stack_of(view.plan, name_of);
    const others = [report.keep_all, ...report.plans.filter((plan) => plan !== view.plan)];
    this.lines = others.map((plan) => ({
      plan, kind: plan === report.keep_all ? "keep-all" : "other-plan",
      series: view.plan.aligned(plan),
    }));
    this.overlay.setAttribute("aria-valuemax", view.plan.num_runs - 1);
    if (this.on_layers) this.on_layers();
    this.move_cursor();
    this.redraw();
  }

  get shown_lines() { return this.with_others ? this.lines : []; }

  move_cursor() {
    const {view} = this;
    const {plan, cursor} = view;
    this.overlay.setAttribute("aria-valuenow", cursor);
    this.overlay.setAttribute("aria-valuetext",
      `step ${plan.step[cursor]}, ${format_bytes(plan.footprint[cursor])}`);
    this.redraw_overlay();
  }

  get most() {
    const {plan} = this.view;
    let most = Math.max(plan.peak_bytes, plan.budget ?? 0);
    for (const line of this.shown_lines) most = Math.max(most, line.plan.peak_bytes);
    return most * 1.04 || 1;
  }

  y_of(bytes) {
    const {top, bottom, height} = this.plot;
    return Math.max(top, bottom - bytes / this.most * height);
  }

  draw_on(context) {
    this.draw_grid(context);
    const pixels = this.sample();
    this.draw_layers(context, pixels);
    for (const line of this.shown_lines) this.draw_line(context, line, pixels);
    this.draw_budget(context);
    this.draw_peak(context);
    this.draw_strips(context, pixels);
    this.draw_selected(context);
    draw_axis(context, this, this.plot.bottom + 2 * STRIP + 6);
  }

  // A pixel shows its largest column, so that no peak is lost.
  sample() {
    const {footprint} = this.view.plan;
    const pixels = [];
    for (const [x, first, last] of pixel_columns(this)) {
      let column = first;
      for (let i = first + 1; i <= last; i += 1) {
        if (footprint[i] > footprint[column]) column = i;
      }
      pixels.push({x, first, last, column});
    }
    return pixels;
  }

  draw_grid(context) {
    const {left, right} = this.plot;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const bytes of ticks(this.most, 5, 1024)) {
      const y = Math.round(this.y_of(bytes)) - 0.5;
      context.fillStyle = css_colour("grid");
      context.fillRect(left, y, right - left, 1);
      context.fillStyle = css_colour("quiet");
      context.fillText(format_round_bytes(bytes), left - 8, y);
    }
  }

  draw_layers(context, pixels) {
    const {height, bottom} = this.plot;
    const scale = height / this.most;
    const base = new Float64Array(pixels.length);
    for (const {kind, series} of this.layers) {
      context.fillStyle = css_colour(kind);
      context.beginPath();
      pixels.forEach(({x, column}, i) => {
        const y = bottom - (base[i] + series[column]) * scale;
        if (i === 0) context.moveTo(x, y);
        else context.lineTo(x, y);
        context.lineTo(x + 1, y);
      });
      for (let i = pixels.length - 1; i >= 0; i -= 1) {
        const y = bottom - base[i] * scale;
        context.lineTo(pixels[i].x + 1, y);
        context.lineTo(pixels[i].x, y);
      }
      context.closePath();
      context.fill();
      pixels.forEach(({column}, i) => { base[i] += series[column]; });
    }
    this.draw_edge(context, pixels);
  }

  draw_edge(context, pixels) {
    const {footprint} = this.view.plan;
    this.stroke(context, pixels, (pixel) => footprint[pixel.column], css_colour("edge"), 1, []);
  }

  draw_line(context, line, pixels) {
    const most = ({first, last}) => {
      let bytes = 0;
      for (let i = first; i <= last; i += 1) bytes = Math.max(bytes, line.series[i]);
      return bytes;
    };
    const dashes = line.kind === "keep-all" ? [] : [4, 2];
    this.stroke(context, pixels, most, css_colour(line.kind), 1.5, dashes);
  }

  stroke(context, pixels, bytes_of, colour, width, dashes) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dashes);
    context.beginPath();
    pixels.forEach((pixel, i) => {
      const y = this.y_of(bytes_of(pixel));
      if (i === 0) context.moveTo(pixel.x, y);
      else context.lineTo(pixel.x, y);
      context.lineTo(pixel.x + 1, y);
    });
    context.stroke();
    context.setLineDash([]);
  }

  draw_budget(context) {
    const {budget} = this.view.plan;
    if (budget === null || budget > this.most) return;
    const {left, right} = this.plot;
    const y = Math.round(this.y_of(budget)) + 0.5;
    context.strokeStyle = css_colour("budget");
    context.lineWidth = 1.5;
    context.setLineDash([6, 4]);
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(right, y);
    context.stroke();
    context.setLineDash([]);
    context.textAlign = "right";
    // Where there is little room, out of the way of the peak's label.
    const below = right - left < 480;
    context.textBaseline = below ? "top" : "bottom";
    this.label(context, `budget ${format_bytes(budget)}`, right - 4, y + (below ? 4 : -3), css_colour("budget"));
  }

  draw_peak(context) {
    const {view, plot} = this;
    const {plan} = view;
    const column = plan.peak_column;
    const x = this.x_of((view.position(column) + view.position(column + 1)) / 2);
    if (x < plot.left || x > plot.right || plan.num_runs === 0) return;
    const y = this.y_of(plan.peak_bytes);
    context.fillStyle = css_colour("text");
    context.beginPath();
    context.moveTo(x, y - 1);
    context.lineTo(x - 5, y - 9);
    context.lineTo(x + 5, y - 9);
    context.closePath();
    context.fill();
    const right = x > plot.left + plot.width / 2;
    context.textAlign = right ? "right" : "left";
    context.textBaseline = "bottom";
    this.label(context, `peak ${format_bytes(plan.peak_bytes)}`, x + (right ? -8 : 8),
               Math.max(plot.top - 4, y - 2), css_colour("text"));
  }

  // Text that stays readable on whatever is below it.
  label(context, text, x, y, colour) {
    context.lineWidth = 4;
    context.strokeStyle = css_colour("page");
    context.lineJoin = "round";
    context.strokeText(text, x, y);
    context.fillStyle = colour;
    context.fillText(text, x, y);
  }

  draw_strips(context, pixels) {
    const {plan} = this.view;
    const top = this.plot.bottom + 2;
    let run = null;
    const flush = (x) => {
      if (!run) return;
      context.fillStyle = css_colour(run.colour);
      context.fillRect(run.x, run.y, x - run.x, STRIP - 1);
    };
    pixels.forEach(({x, column}) => {
      const colour = PHASES[plan.graph.phase(plan.op[column])];
      if (run && run.colour === colour) return;
      flush(x);
      run = {x, y: top, colour};
    });
    flush(this.plot.right);
    context.fillStyle = css_colour("again");
    for (const {x, first, last} of pixels) {
      let again = false;
      for (let i = first; i <= last && !again; i += 1) again = plan.nth[i] > 0;
      if (again) context.fillRect(x, top + STRIP, 1, STRIP);
    }
  }

  // When the selected tensor is there, above the plot.
  draw_selected(context) {
    const {view, plot} = this;
    if (view.tensor === null) return;
    context.fillStyle = css_colour("selected");
    for (const {from, to} of view.plan.lives_of(view.tensor)) {
      const x0 = Math.max(plot.left, this.x_of(view.position(from)));
      const x1 = Math.min(plot.right, this.x_of(view.position(to + 1)));
      if (x1 < plot.left || x0 > plot.right) continue;
      context.fillRect(x0, 4, Math.max(2, x1 - x0), 6);
    }
  }

  draw_cursor(context) {
    super.draw_cursor(context);
    const {view} = this;
    const {cursor, plan} = view;
    const span = this.cursor_span();
    if (!span) return;
    const x = (span[0] + span[1]) / 2;
    context.fillStyle = css_colour("cursor");
    context.beginPath();
    context.arc(x, this.y_of(plan.footprint[cursor]), 4, 0, 2 * Math.PI);
    context.fill();
  }
}

// What the cursor shows, in words, and the largest things that are live there.
class Readout {
  constructor(view, picture) {
    this.view = view;
    this.picture = picture;
    this.said = el("p", {id: "readout", class: "readout", role: "status", "aria-live": "polite"});
    this.list = el("ol", {class: "live", "aria-label": "Live at the cursor, largest first"});
    this.element = el("aside", {class: "panel", "aria-label": "At the cursor"},
                      el("h3", {}, "At the cursor"), this.said, this.list);
    const show = at_next_frame(() => this.show());
    view.on("cursor", show);
    this.show();
  }

  show() {
    const {plan, cursor} = this.view;
    if (plan.num_runs === 0) return;
    const op = plan.op[cursor];
    const bytes = plan.footprint[cursor];
    const again = plan.nth[cursor] > 0;
    const runs = plan.runs[op];
    this.said.replaceChildren(
      el("span", {class: "where", "data-step": plan.step[cursor]},
         `Step ${exact_number(plan.step[cursor])}, run ${exact_number(cursor + 1)} of ${exact_number(plan.num_runs)}`),
      el("span", {}, again ? "computes again " : "computes ", name_el(plan.graph.op_name(op))),
      el("span", {class: `tag ${again ? "again" : PHASES[plan.graph.phase(op)]}`},
         PHASES[plan.graph.phase(op)] + (runs > 1 ? `, run ${plan.nth[cursor] + 1} of ${runs}` : "")),
      el("span", {class: "big", id: "cursor-bytes"}, bytes_el(bytes)),
      el("span", {class: "quiet"}, this.comparison(bytes)));
    this.show_live(cursor, bytes);
  }

  comparison(bytes) {
    const {plan, cursor} = this.view;
    const parts = [`${format_percent(bytes / (plan.peak_bytes || 1))} of the peak`];
    const keep_all = this.picture.lines[0].series[cursor];
    parts.push(`keeping everything: ${format_bytes(keep_all)}`);
    parts.push(`costs ${plan.graph.cost(plan.graph.ops.cost[plan.op[cursor]])}`);
    return parts.join(" · ");
  }

  show_live(cursor, bytes) {
    const {plan} = this.view;
    const {graph} = plan;
    const live = plan.live_at(cursor);
    const rows = live.slice(0, 8).map(({tensor, bytes: size}) => {
      const bar = el("span", {class: "bar"});
      bar.style.width = `${100 * size / bytes}%`;
      return el("li", {}, button("", () => this.view.select(graph.tensors.producer[tensor], tensor),
                                 {class: "row"}), bar);
    });
    rows.forEach((row, i) => {
      row.firstChild.append(bytes_el(live[i].bytes), " ", name_el(graph.tensor_name(live[i].tensor)));
    });
    const rest = live.slice(8).reduce((sum, one) => sum + one.bytes, 0);
    if (live.length > 8) {
      rows.push(el("li", {class: "quiet"}, bytes_el(rest), ` in ${count_of(live.length - 8, "more tensor")}`));
    }
    const workspace = graph.ops.workspace[plan.op[cursor]];
    if (workspace > 0) rows.push(el("li", {class: "quiet"}, bytes_el(workspace), " workspace"));
    if (graph.fixed_bytes > 0) {
      rows.push(el("li", {class: "quiet"}, bytes_el(graph.fixed_bytes), " fixed: inputs, weights, …"));
    }
    this.list.replaceChildren(...rows);
  }
}

function legend_item(kind, text, shape = "box") {
  const swatch = el("span", {class: `swatch ${shape}`, "aria-hidden": "true"});
  swatch.style.setProperty("--swatch", `var(--${kind})`);
  return el("li", {}, swatch, text);
}

function show_memory(view, report) {
  const picture = new MemoryPicture(view, report);
  const layers = el("ul", {class: "legend", "aria-label": "Layers, from the top"});
  const legend = el("ul", {class: "legend", "aria-label": "Lines and strips"});
  const fill_legend = () => {
    const plan = view.plan;
    layers.replaceChildren(
      ...[...picture.layers].reverse().map((layer) => legend_item(layer.kind, name_el(layer.name))));
    legend.replaceChildren(
      legend_item("keep-all", "keeping everything", "line"),
      ...(report.plans.length > 1 ? [legend_item("other-plan", "other plans", "dash")] : []),
      ...(plan.budget === null ? [] : [legend_item("budget", "budget", "dash")]),
      ...PHASES.filter((_, phase) => plan.graph.ops.phase.includes(phase)).map((phase) => legend_item(phase, phase)),
      ...(plan.extra_runs > 0 ? [legend_item("again", "recomputed")] : []));
  };
  picture.on_layers = fill_legend;
  fill_legend();
  const readout = new Readout(view, picture);
  const controls = el("div", {class: "controls"},
    choice("Group memory by", picture.ways.map(([way, text]) => [way, text]), picture.way,
           (way) => picture.set_way(way)),
    choice("Axis", [["runs", "Runs"], ["time", "Cost"]], view.axis, (axis) => view.set_axis(axis)),
    el("label", {class: "check"},
       el("input", {type: "checkbox", id: "with-others", checked: true, onchange: (event) => {
         picture.with_others = event.target.checked;
         picture.redraw();
       }}), report.plans.length > 1 ? "lines of other plans" : "keep-all line"),
    zoom_buttons(view), save_buttons(picture, view));
  if (!(report.graph.base_cost > 0)) {
    const cost = controls.querySelector("[aria-label=Axis] button:last-child");
    cost.disabled = true;
    cost.title = "Every op of this graph costs nothing";
  }
  const figure = el("figure", {class: "wide"}, picture.element, legend, layers,
    el("figcaption", {id: "memory-help", class: "quiet"},
       "Bytes in use while each op runs. Point, or use the arrow keys, Home, End and P (peak); ",
       "drag or press + and − to zoom, 0 to see all; click to hold the cursor."));
  by_id("memory").querySelector(".body").append(controls, el("div", {class: "beside"}, figure, readout.element));
  picture.start();
  return picture;
}

function zoom_buttons(view) {
  return el("div", {class: "choice", role: "group", "aria-label": "Zoom"},
    button("+", () => view.zoom(0.5), {"aria-label": "Zoom in"}),
    button("−", () => view.zoom(2), {"aria-label": "Zoom out"}),
    button("◂", () => view.pan(-0.5), {"aria-label": "Move left"}),
    button("▸", () => view.pan(0.5), {"aria-label": "Move right"}),
    button("All", () => view.show_all(), {"aria-label": "Show all"}));
}
