// SPDX-License-Identifier: Apache-2.0
// The report's data, made ready to be drawn: the graph, and each plan as columns.
//
// A column is one run of an op. What is dropped afterwards is still there in it,
// as in replay: footprints are replay's own numbers.

class GraphData {
  constructor(graph) {
    Object.assign(this, graph);
    this.num_ops = graph.ops.name.length;
    this.num_tensors = graph.tensors.bytes.length;
    this.outputs = Array.from({length: this.num_ops}, () => []);
    graph.tensors.producer.forEach((op, tensor) => {
      if (op >= 0) this.outputs[op].push(tensor);
    });
    this.readers = Array.from({length: this.num_tensors}, () => []);
    graph.inputs.forEach((inputs, op) => {
      for (const tensor of new Set(inputs)) this.readers[tensor].push(op);
    });
    // Those that ops made, by storage.
    this.tensors_in = Array.from({length: graph.storage_bytes.length}, () => []);
    graph.tensors.storage.forEach((storage, tensor) => {
      if (graph.tensors.producer[tensor] >= 0) this.tensors_in[storage].push(tensor);
    });
    this.has_modules = graph.ops.modules.length > 0;
    this.has_kinds = graph.ops.kinds.length > 1;
  }

  op_name(op) { return this.ops.name[op]; }
  tensor_name(tensor) {
    return this.tensors.name[tensor] || this.op_name(this.tensors.producer[tensor]);
  }
  kind(op) { return this.ops.kinds[this.ops.kind[op]]; }
  module(op) { return this.has_modules ? this.ops.modules[this.ops.module[op]] : ""; }
  phase(op) { return this.ops.phase[op]; }
  cost(cost, digits) { return format_cost(cost, this.cost_unit, digits); }
  // What the tensor takes while it is the only one in its storage.
  bytes(tensor) { return this.storage_bytes[this.tensors.storage[tensor]]; }
}

class PlanData {
  constructor(graph, plan, number) {
    this.graph = graph;
    this.number = number;
    this.label = plan.label;
    this.order = plan.order;
    this.peak_bytes = plan.peak_bytes;
    this.peak_step = plan.peak_step;
    this.cost = plan.cost;
    this.overhead = plan.overhead;
    this.certificate = plan.certificate;
    this.steps = plan.steps;
    this.exact_bytes = plan.exact_bytes;  // Of every step, if numbers are too short.
    this.footprint = Float64Array.from(plan.footprint_bytes);
    this.num_runs = this.footprint.length;
    this.read_runs();
    this.read_lives();
  }

  get budget() { return this.certificate ? this.certificate.budget_bytes : null; }

  read_runs() {
    const ops = this.graph.ops;
    this.op = new Int32Array(this.num_runs);
    this.step = new Int32Array(this.num_runs);  // Counted as replay does.
    this.nth = new Int32Array(this.num_runs);   // 0: the first run of its op.
    this.start = new Float64Array(this.num_runs + 1);  // Costs added up.
    this.runs = new Int32Array(this.graph.num_ops);
    this.first = new Int32Array(this.graph.num_ops);  // Column of the first run.
    let column = 0;
    this.steps.forEach((what, step) => {
      if (what < 0) return;
      if (this.runs[what] === 0) this.first[what] = column;
      this.op[column] = what;
      this.step[column] = step;
      this.nth[column] = this.runs[what]++;
      this.start[column + 1] = this.start[column] + ops.cost[what];
      column += 1;
    });
    this.peak_column = Math.max(0, this.step.indexOf(this.peak_step));
  }

  // Lives: from the run that made something to the last one before it was
  // dropped, both included. Of tensors, and of the storages that hold them.
  read_lives() {
    const graph = this.graph;
    const since = new Int32Array(graph.num_tensors).fill(-1);
    const held = new Int32Array(graph.storage_bytes.length);
    const held_since = new Int32Array(graph.storage_bytes.length);
    this.tensor_lives = {of: [], from: [], to: []};
    this.storage_lives = {of: [], from: [], to: []};
    this.live_after = new Float64Array(this.steps.length);
    this.lives = Array.from({length: graph.num_tensors}, () => []);
    const end = (lives, of, from, to) => {
      lives.of.push(of);
      lives.from.push(from);
      lives.to.push(to);
    };
    const drop = (tensor, column) => {
      const storage = graph.tensors.storage[tensor];
      end(this.tensor_lives, tensor, since[tensor], column);
      this.lives[tensor].push({from: since[tensor], to: column});
      since[tensor] = -1;
      held[storage] -= 1;
      if (held[storage] > 0) return 0;
      end(this.storage_lives, storage, held_since[storage], column);
      return graph.storage_bytes[storage];
    };
    let column = -1;
    let bytes = graph.fixed_bytes;
    this.steps.forEach((what, step) => {
      if (what < 0) {
        bytes -= drop(-1 - what, column);
      } else {
        column += 1;
        for (const tensor of graph.outputs[what]) {
          if (since[tensor] >= 0) continue;
          const storage = graph.tensors.storage[tensor];
          since[tensor] = column;
          if (held[storage] === 0) {
            held_since[storage] = column;
            bytes += graph.storage_bytes[storage];
          }
          held[storage] += 1;
        }
      }
      this.live_after[step] = bytes;
    });
    since.forEach((from, tensor) => { if (from >= 0) drop(tensor, column); });
  }

  get extra_runs() { return this.num_runs - this.graph.num_ops; }
  get ops_again() {
    return this.runs.reduce((count, runs) => count + (runs > 1 ? 1 : 0), 0);
  }

  // The storages in a column, largest first, as {tensor, bytes, since}, each named
  // by its first tensor that is live.
  live_at(column) {
    const {of, from, to} = this.storage_lives;
    const found = [];
    for (let i = 0; i < of.length; i += 1) {
      if (from[i] > column || to[i] < column) continue;
      const bytes = this.graph.storage_bytes[of[i]];
      if (bytes > 0) {
        const tensor = this.graph.tensors_in[of[i]].find((one) => this.is_live(one, column));
        found.push({tensor, bytes, since: from[i]});
      }
    }
    return found.sort((a, b) => b.bytes - a.bytes || a.tensor - b.tensor);
  }

  is_live(tensor, column) {
    return this.lives[tensor].some(({from, to}) => from <= column && column <= to);
  }

  // In order.
  lives_of(tensor) { return this.lives[tensor]; }

  // The largest footprint of another plan on the way to the same first run, for
  // each column of this one: what that plan needs at the same point of the work.
  aligned(other) {
    const at_op = new Float64Array(this.graph.num_ops);
    let most = 0;
    for (let column = 0; column < other.num_runs; column += 1) {
      most = Math.max(most, other.footprint[column]);
      if (other.nth[column] > 0) continue;
      at_op[other.op[column]] = most;
      most = 0;
    }
    const result = new Float64Array(this.num_runs);
    let next = at_op[this.op[this.num_runs - 1]] ?? 0;
    for (let column = this.num_runs - 1; column >= 0; column -= 1) {
      if (this.nth[column] === 0) next = at_op[this.op[column]];
      result[column] = next;
    }
    return result;
  }
}

function read_report() {
  const report = JSON.parse(by_id("data").textContent);
  const graph = new GraphData(report.graph);
  const plans = report.plans.map((plan, number) => new PlanData(graph, plan, number));
  return {graph, keep_all: plans[0], plans: plans.slice(1), curve: report.curve};
}
