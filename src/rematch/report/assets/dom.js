// SPDX-License-Identifier: Apache-2.0
// Elements. Text reaches the page through text nodes only, never as markup.

// el("td", {class: "x", onclick: f}, "text", element, ...)
function el(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

function svg_el(tag, properties = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag),
                properties, children);
}

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function by_id(id) {
  return document.getElementById(id);
}

const LONGEST_SHOWN = 200;

// Text that a stranger chose. It cannot turn the direction of the text around
// it, and is cut if it is very long; `data-name` has all of it.
function name_el(text, most = LONGEST_SHOWN) {
  const points = text.length > most ? [...text] : [];
  const shown = points.length > most ? points.slice(0, most).join("") + "…" : text;
  return el("bdi", {class: "name", "data-name": text, title: shown}, shown);
}

// A number with its exact value, for people who hover and for programs.
function value_el(shown, exact, hint) {
  return el("data", {value: String(exact), title: hint ?? exact_number(exact)}, shown);
}

function bytes_el(bytes) {
  return value_el(format_bytes(bytes), bytes, `${exact_number(bytes)} bytes`);
}

function button(text, onclick, properties = {}) {
  return el("button", {type: "button", onclick, ...properties}, text);
}

// A row of buttons of which one is pressed. `options` are [value, text].
function choice(label, options, value, onchange) {
  const group = el("div", {class: "choice", role: "group", "aria-label": label});
  for (const [option, text] of options) {
    group.append(button(text, () => {
      for (const other of group.children) {
        other.setAttribute("aria-pressed", other.dataset.value === String(option));
      }
      onchange(option);
    }, {"aria-pressed": String(option === value), "data-value": option}));
  }
  return group;
}
