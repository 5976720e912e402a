// SPDX-License-Identifier: Apache-2.0
// Saves pictures and numbers as files, made here in the browser.

function save_file(name, blob) {
  const link = el("a", {href: URL.createObjectURL(blob), download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function save_buttons(picture, view) {
  const name = () => `${(view.plan.graph.name || "graph").replace(/[^\w.-]+/g, "_").slice(0, 60)}-memory`;
  return el("div", {class: "choice", role: "group", "aria-label": "Save the memory curve"},
    button("SVG", () => save_file(`${name()}.svg`, new Blob([svg_of(picture)], {type: "image/svg+xml"})), {"aria-label": "Save as SVG"}),
    button("PNG", () => png_of(picture).toBlob((blob) => save_file(`${name()}.png`, blob)), {"aria-label": "Save as PNG"}),
    button("CSV", () => save_file(`${name()}.csv`, new Blob([csv_of(view.plan)], {type: "text/csv"})), {"aria-label": "Save as CSV"}));
}

// The picture on a page of its own.
function png_of(picture) {
  const canvas = el("canvas", {width: picture.base.width, height: picture.base.height});
  const context = canvas.getContext("2d");
  context.fillStyle = css_colour("page");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture.base, 0, 0);
  return canvas;
}

function svg_of(picture) {
  const context = new SvgContext();
  context.fillStyle = css_colour("page");
  context.fillRect(0, 0, picture.width, picture.height);
  picture.draw_on(context);
  const root = svg_el("svg", {width: picture.width, height: picture.height,
    viewBox: `0 0 ${picture.width} ${picture.height}`, "font-family": "system-ui, sans-serif", "font-size": "12"}, ...context.parts);
  return new XMLSerializer().serializeToString(root);
}

// As much of a canvas context as the pictures use, which writes SVG.
class SvgContext {
  constructor() {
    this.parts = [];
    this.globalAlpha = 1;
    this.lineWidth = 1;
    this.dashes = [];
    this.path = "";
  }

  add(tag, properties, ...children) {
    if (this.globalAlpha !== 1) properties.opacity = this.globalAlpha;
    this.parts.push(svg_el(tag, properties, ...children));
  }
  fillRect(x, y, width, height) {
    this.add("rect", {x: short(x), y: short(y), width: short(width), height: short(height), fill: this.fillStyle});
  }
  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${short(x)},${short(y)}`; }
  lineTo(x, y) { this.path += `L${short(x)},${short(y)}`; }
  closePath() { this.path += "Z"; }
  fill() { this.add("path", {d: this.path, fill: this.fillStyle}); }
  setLineDash(dashes) { this.dashes = dashes; }
  stroke() {
    this.add("path", {d: this.path, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth,
                      "stroke-dasharray": this.dashes.length > 0 ? this.dashes.join(" ") : null});
  }
  fillText(text, x, y) { this.add("text", {...this.text_place(x, y), fill: this.fillStyle}, text); }
  strokeText(text, x, y) {
    this.add("text", {...this.text_place(x, y), fill: "none", stroke: this.strokeStyle,
                      "stroke-width": this.lineWidth, "stroke-linejoin": "round"}, text);
  }
  text_place(x, y) {
    const shift = {top: 10, middle: 4, bottom: -3}[this.textBaseline] ?? 0;
    const anchor = {left: "start", right: "end", center: "middle"}[this.textAlign] ?? "start";
    return {x: short(x), y: short(y + shift), "text-anchor": anchor};
  }
}

function short(number) {
  return Number(number.toFixed(2));
}

// Every step, with the numbers of replay.
function csv_of(plan) {
  const {graph} = plan;
  const exact = (step, bytes) => plan.exact_bytes?.[step] ?? bytes;
  const lines = ["step,action,name,phase,run,cost,footprint_bytes"];
  let column = 0;
  plan.steps.forEach((what, step) => {
    if (what >= 0) {
      lines.push([step, "compute", csv_text(graph.op_name(what)), PHASES[graph.phase(what)],
                  plan.nth[column] + 1, graph.ops.cost[what], exact(step, plan.footprint[column])].join(","));
      column += 1;
    } else {
      lines.push([step, "drop", csv_text(graph.tensor_name(-1 - what)), "", "", "", exact(step, plan.live_after[step])].join(","));
    }
  });
  return `${lines.join("\n")}\n`;
}

function csv_text(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
