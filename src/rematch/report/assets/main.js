// SPDX-License-Identifier: Apache-2.0
// Puts the page together.

function show_title(report) {
  const {graph} = report;
  const name = graph.name || "Unnamed graph";
  by_id("title").replaceChildren(name_el(name));
  document.title = `${name.slice(0, 80)} – Rematch report`;
  by_id("subtitle").append(`${count_of(graph.num_ops, "op")}, ${count_of(graph.edges, "edge")}`,
    ...(graph.description ? [" · ", name_el(graph.description, 400)] : []));
}

// Light or dark, as the system has it or as chosen; paper is white. Pictures take
// their colours from the style, so they are drawn again.
function show_theme_choice(pictures) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const print = matchMedia("print");
  let theme = "auto";
  const apply = (on_paper) => {
    const is_dark = !on_paper && (theme === "dark" || (theme === "auto" && dark.matches));
    document.documentElement.dataset.scheme = is_dark ? "dark" : "light";
    pictures.forEach((picture) => picture.draw());
  };
  by_id("page-controls").append(
    choice("Theme", [["auto", "Auto"], ["light", "Light"], ["dark", "Dark"]], theme, (chosen) => {
      theme = chosen;
      apply(false);
    }),
    button("Print", () => window.print()));
  dark.addEventListener("change", () => apply(print.matches));
  print.addEventListener("change", () => apply(print.matches));
  window.addEventListener("beforeprint", () => apply(true));
  window.addEventListener("afterprint", () => apply(false));
  apply(print.matches);
}

function show_sections() {
  const sections = [...document.querySelectorAll("main > section[aria-labelledby]")].filter((section) => !section.hidden);
  by_id("sections").append(...sections.map((section) =>
    el("a", {href: `#${section.id}`}, section.querySelector("h2").textContent)));
}

function show_pictures(view, report) {
  show_comparison(view, report);
  const pictures = [show_memory(view, report), show_schedule(view, report)];
  show_frontier(view, report);
  show_tables(view, report);
  return pictures;
}

function show_nothing() {
  for (const section of document.querySelectorAll("main > section[aria-labelledby]")) section.hidden = true;
  by_id("main").append(el("p", {class: "notice"}, "This graph has no ops: there is nothing to draw."));
  return [];
}

function show_report() {
  const report = read_report();
  const view = new View(report.plans[0]);
  show_title(report);
  show_summary(view, report);
  const pictures = report.graph.num_ops > 0 ? show_pictures(view, report) : show_nothing();
  show_theme_choice(pictures);
  show_sections();
  // For the tests: when the page can be used, in milliseconds.
  document.documentElement.dataset.ready = Math.round(performance.now());
}

show_report();
