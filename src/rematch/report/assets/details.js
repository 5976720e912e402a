// SPDX-License-Identifier: Apache-2.0
// What there is to say about one tensor: its lives, what it costs, and why it is
// kept, dropped or brought back.

const MOST_LISTED = 12;

class Details {
  constructor(view, report) {
    this.view = view;
    this.report = report;
    this.body = el("div", {id: "details", "aria-live": "polite"});
    this.element = el("aside", {class: "panel", "aria-label": "Selected"}, el("h3", {}, "Selected"), this.body);
    view.on("selection", () => this.show());
    view.on("plan", () => this.show());
    this.show();
  }

  show() {
    const {selected, tensor} = this.view;
    this.element.classList.toggle("empty", selected === null);
    if (selected === null) {
      this.body.replaceChildren(el("p", {class: "quiet"}, "Nothing is selected. Click a row, or a name anywhere on this page."));
      return;
    }
    this.body.replaceChildren(...this.op_part(selected), ...(tensor === null ? [] : this.tensor_part(tensor)));
  }

  op_part(op) {
    const {plan} = this.view;
    const {graph} = plan;
    const cost = graph.ops.cost[op];
    const runs = plan.runs[op];
    const facts = [
      ["op", [name_el(graph.op_name(op))]],
      ...(graph.kind(op) ? [["kind", [name_el(graph.kind(op))]]] : []),
      ...(graph.module(op) ? [["module", [name_el(graph.module(op))]]] : []),
      ["phase", [PHASES[graph.phase(op)]]],
      ["cost", [value_el(graph.cost(cost), cost), ` a run, ${format_percent(cost / (graph.base_cost || 1))} of all ops once`]],
      ["runs", [el("span", {id: "selected-runs"}, exact_number(runs)),
                runs > 1 ? `, reruns cost ${graph.cost((runs - 1) * cost)}` : graph.ops.runs_once[op] ? ", must run exactly once" : ""]],
    ];
    const outputs = graph.outputs[op];
    const choose = outputs.length < 2 ? [] : [el("label", {class: "check"}, "Tensor ",
      el("select", {id: "choose-tensor", onchange: (event) => this.view.select(op, Number(event.target.value))},
         outputs.map((tensor) => el("option", {value: tensor, selected: tensor === this.view.tensor},
                                    `${short_name(graph.tensor_name(tensor), 40)} (${format_bytes(graph.tensors.bytes[tensor])})`))))];
    return [fact_list(facts), ...choose];
  }

  tensor_part(tensor) {
    const {plan} = this.view;
    const {graph} = plan;
    const storage = graph.tensors.storage[tensor];
    const shared = graph.tensors.storage.filter((other) => other === storage).length;
    const readers = graph.readers[tensor];
    const lives = plan.lives_of(tensor);
    const facts = [
      ["tensor", [name_el(graph.tensor_name(tensor))]],
      ["size", [bytes_el(graph.tensors.bytes[tensor]), graph.storage_bytes[storage] === 0 ? ", no memory of its own"
        : shared > 1 ? `, in a storage of ${format_bytes(graph.storage_bytes[storage])} that ${shared} tensors share` : ""]],
      ["read by", readers.length === 0 ? ["nothing"] : [
        ...readers.slice(0, 6).flatMap((op, i) => [i > 0 ? ", " : "", this.op_link(op)]),
        readers.length > 6 ? ` and ${readers.length - 6} more` : ""]],
    ];
    const items = lives.slice(0, MOST_LISTED).map((life, i) => el("li", {}, ...this.life_words(tensor, lives, i)));
    if (lives.length > MOST_LISTED) items.push(el("li", {}, `${lives.length - MOST_LISTED} more lives`));
    return [fact_list(facts), el("h4", {}, count_of(lives.length, "life").replace("lifes", "lives")),
            el("ol", {class: "lives", id: "lives"}, items)];
  }

  op_link(op) {
    const link = button("", () => this.view.select(op), {class: "link"});
    link.append(name_el(this.view.plan.graph.op_name(op)));
    return link;
  }

  // One life, and why it begins and ends.
  life_words(tensor, lives, i) {
    const {plan} = this.view;
    const {graph} = plan;
    const {from, to} = lives[i];
    const step = (column) => button(`step ${exact_number(plan.step[column])}`, () => this.view.set_cursor(column), {class: "link"});
    const words = [el("span", {"data-from": plan.step[from], "data-to": plan.step[to]},
                      step(from), " to ", step(to)), ". "];
    words.push(plan.nth[from] > 0 ? `Computed again for ${graph.cost(graph.ops.cost[plan.op[from]])}. ` : "Computed. ");
    const reads = this.reads(tensor, from, to);
    if (reads.length > 0) {
      const last = reads[reads.length - 1];
      words.push(`Read ${count_of(reads.length, "time")}, last by `, name_el(graph.op_name(plan.op[last])), ". ");
    } else {
      words.push("Not read. ");
    }
    words.push(...this.end_words(tensor, lives, i));
    return words;
  }

  end_words(tensor, lives, i) {
    const {plan} = this.view;
    const {graph} = plan;
    const {to} = lives[i];
    if (to === plan.num_runs - 1) {
      return [graph.tensors.is_output[tensor] ? "Kept to the end: it is an output of the graph." : "There to the end."];
    }
    if (i + 1 === lives.length) return ["Dropped: nothing needs it any more."];
    const away = lives[i + 1].from - to - 1;
    return [`Dropped, which leaves room for ${format_bytes(graph.bytes(tensor))} during ${count_of(away, "run")}, `,
            `and brought back for ${graph.cost(graph.ops.cost[graph.tensors.producer[tensor]])}.`];
  }

  // The columns in which the tensor is read during a life.
  reads(tensor, from, to) {
    const {plan} = this.view;
    const readers = new Set(plan.graph.readers[tensor]);
    const found = [];
    for (let column = from + 1; column <= to; column += 1) {
      if (readers.has(plan.op[column])) found.push(column);
    }
    return found;
  }
}

function fact_list(facts) {
  return el("dl", {class: "facts"}, facts.flatMap(([term, what]) => [el("dt", {}, term), el("dd", {}, ...what)]));
}
