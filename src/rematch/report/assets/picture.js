// SPDX-License-Identifier: Apache-2.0
// A picture along the axis of runs: a canvas that fits its place, a second one
// on top for the cursor, and the gestures that all such pictures share.

const FONT = "12px system-ui, sans-serif";

function css_colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Redraws on the next frame, however often it is asked.
function at_next_frame(draw) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  };
}

class Picture {
  // `margins` has left, right, top and bottom.
  constructor(view, {id, label, describedby, height, margins}) {
    this.view = view;
    this.margins = margins;
    this.height = height;
    this.width = 0;
    this.base = el("canvas", {"aria-hidden": "true"});
    this.overlay = el("canvas", {
      id, tabindex: "0", role: "slider", "aria-label": label,
      "aria-describedby": describedby, "aria-valuemin": "0",
    });
    this.element = el("div", {class: "picture"}, this.base, this.overlay);
    this.element.style.height = `${height}px`;
    this.redraw = at_next_frame(() => this.draw());
    this.redraw_overlay = at_next_frame(() => this.draw_overlay());
    this.listen();
  }

  // Once it is part of the page.
  start() {
    new ResizeObserver(() => this.fit()).observe(this.element);
    this.fit();
  }

  fit() {
    const width = this.element.clientWidth;
    if (width === 0 || (width === this.width && this.scale === devicePixelRatio)) return;
    this.width = width;
    this.scale = devicePixelRatio;
    for (const canvas of [this.base, this.overlay]) {
      canvas.width = Math.round(width * this.scale);
      canvas.height = Math.round(this.height * this.scale);
    }
    this.draw();
  }

  // A context on which one unit is one pixel of the page, wiped clean.
  context(canvas) {
    const context = canvas.getContext("2d");
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.font = FONT;
    return context;
  }

  get plot() {
    const {left, right, top, bottom} = this.margins;
    return {left, top, right: this.width - right, bottom: this.height - bottom,
            width: Math.max(1, this.width - left - right),
            height: Math.max(1, this.height - top - bottom)};
  }

  x_of(position) {
    const {left, width} = this.plot;
    return left + (position - this.view.from) / (this.view.to - this.view.from) * width;
  }
  position_of(x) {
    const {left, width} = this.plot;
    return this.view.from + (x - left) / width * (this.view.to - this.view.from);
  }

  draw() {
    if (this.width === 0) return;
    // The columns that are visible, both included.
    this.element.dataset.from = this.view.column_at(this.view.from);
    this.element.dataset.to = this.view.column_at(this.view.to - 1e-9 * this.view.length);
    this.draw_on(this.context(this.base));
    this.draw_overlay();
  }

  draw_overlay() {
    if (this.width === 0) return;
    const context = this.context(this.overlay);
    this.draw_cursor(context);
    if (this.brush) this.draw_brush(context);
  }

  draw_cursor(context) {
    const {view, plot} = this;
    const span = this.cursor_span();
    if (!span) return;
    const [from, to] = span;
    const middle = (from + to) / 2;
    context.fillStyle = css_colour("cursor");
    if (to - from > 3) {
      context.globalAlpha = 0.14;
      context.fillRect(from, plot.top, to - from, plot.height);
      context.globalAlpha = 1;
    }
    context.fillRect(Math.round(middle) - 0.5, plot.top, view.pinned ? 2 : 1, plot.height);
  }

  // The part of the cursor's column that is visible; null if none is.
  cursor_span() {
    const {view, plot} = this;
    const from = this.x_of(view.position(view.cursor));
    const to = this.x_of(view.position(view.cursor + 1));
    if (to < plot.left || from > plot.right) return null;
    return [Math.max(plot.left, from), Math.min(plot.right, to)];
  }

  draw_brush(context) {
    const {plot, brush} = this;
    const x = Math.min(brush.x0, brush.x1);
    context.fillStyle = css_colour("cursor");
    context.globalAlpha = 0.15;
    const [y, height] = this.brush_is_box
      ? [Math.min(brush.y0, brush.y1), Math.abs(brush.y1 - brush.y0)]
      : [plot.top, plot.height];
    context.fillRect(x, y, Math.abs(brush.x1 - brush.x0), height);
    context.globalAlpha = 1;
  }

  listen() {
    const target = this.overlay;
    target.addEventListener("pointerdown", (event) => this.pointer_down(event));
    target.addEventListener("pointermove", (event) => this.pointer_move(event));
    target.addEventListener("pointerup", (event) => this.pointer_up(event));
    target.addEventListener("pointercancel", () => this.end_brush());
    target.addEventListener("dblclick", () => this.show_all());
    target.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
    target.addEventListener("keydown", (event) => this.key(event));
  }

  show_all() { this.view.show_all(); }
  key(event) { navigation_key(event, this.view); }

  where(event) {
    const box = this.overlay.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  pointer_down(event) {
    if (event.button !== 0 || event.pointerType === "touch") return;
    const {x, y} = this.where(event);
    this.brush = {x0: x, x1: x, y0: y, y1: y};
    this.overlay.setPointerCapture(event.pointerId);
  }

  pointer_move(event) {
    const {x, y} = this.where(event);
    if (this.brush) {
      this.brush.x1 = x;
      this.brush.y1 = y;
      this.redraw_overlay();
    } else if (!this.view.pinned) {
      this.hover(x, y);
    }
  }

  pointer_up(event) {
    const {x, y} = this.where(event);
    const brush = this.brush;
    this.end_brush();
    if (brush && Math.abs(x - brush.x0) > 5) {
      const [from, to] = [brush.x0, x].sort((a, b) => a - b);
      this.zoom_to(this.position_of(from), this.position_of(to), brush.y0, y);
    } else if (this.is_inside(x, y)) {
      this.click(x, y);
    }
  }

  end_brush() {
    this.brush = null;
    this.redraw_overlay();
  }

  is_inside(x, y) {
    const {left, right, top, bottom} = this.plot;
    return x >= left && x <= right && y >= top && y <= bottom;
  }

  zoom_to(from, to) { this.view.set_range(from, to); }

  hover(x) {
    const {left, right} = this.plot;
    if (x < left || x > right) return;
    this.view.cursor = this.view.column_at(this.position_of(x));
    this.view.tell("cursor");
  }

  click(x) {
    this.view.pinned = !this.view.pinned;
    this.view.cursor = this.view.column_at(this.position_of(x));
    this.view.tell("cursor");
  }

  // Like in a map: with Ctrl the wheel zooms, sideways it pans.
  wheel(event) {
    if (event.ctrlKey) {
      event.preventDefault();
      this.view.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.position_of(this.where(event).x));
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) && !this.view.is_whole()) {
      event.preventDefault();
      this.view.pan(event.deltaX / 1000);
    }
  }
}

// The axis of runs or costs, below a plot.
function draw_axis(context, picture, y) {
  const {view, plot} = picture;
  const graph = view.plan.graph;
  const span = view.to - view.from;
  const steps = ticks(span, Math.max(2, Math.floor(plot.width / 110)));
  const step = steps.length > 1 ? steps[1] : span;
  context.fillStyle = css_colour("quiet");
  context.textAlign = "center";
  context.textBaseline = "top";
  const whole = view.axis === "runs";
  const marks = [];
  for (let at = Math.ceil(view.from / step) * step; at <= view.to + step * 1e-6; at += step) {
    if (!whole || Number.isInteger(at)) marks.push(at);
  }
  const texts = whole ? marks.map((at) => exact_number(Math.round(at))) : different_costs(graph, marks);
  // Every second label where they are long.
  const every = texts.some((text) => text.length > 12) ? 2 : 1;
  marks.forEach((at, i) => {
    const x = picture.x_of(at);
    context.fillRect(Math.round(x), y, 1, 4);
    if (i % every !== 0) return;
    context.fillText(texts[i], Math.max(plot.left + 8, Math.min(plot.right - 16, x)), y + 6);
  });
  context.textAlign = "right";
  context.fillText(whole ? "runs of ops" : "cost so far", plot.right, y + 22);
}

// Costs with as many digits as it takes to tell them apart.
function different_costs(graph, costs) {
  for (let digits = 4; digits < 15; digits += 1) {
    const texts = costs.map((cost) => graph.cost(cost, digits));
    if (new Set(texts).size === texts.length) return texts;
  }
  return costs.map((cost) => String(cost));
}

// For each pixel across a plot, the columns that it shows.
function* pixel_columns(picture) {
  const {view, plot} = picture;
  let first = view.column_at(view.from);
  for (let pixel = 0; pixel < plot.width; pixel += 1) {
    const end = view.from + (pixel + 1) / plot.width * (view.to - view.from);
    let last = view.column_at(end);
    if (last > first && view.position(last) >= end) last -= 1;
    yield [plot.left + pixel, first, last];
    first = Math.min(view.plan.num_runs - 1, view.column_at(end));
  }
}
