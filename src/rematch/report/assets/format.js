// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

// Four significant digits: "15.57 GiB".
function format_bytes(bytes) {
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit + 1 < BYTE_UNITS.length) {
    value /= 1024;
    unit += 1;
  }
  if (unit === 0) return `${bytes} B`;
  let digits = significant(value, 4);
  if (Number(digits) >= 1024 && unit + 1 < BYTE_UNITS.length) {
    digits = significant(value / 1024, 4);
    unit += 1;
  }
  return `${digits} ${BYTE_UNITS[unit]}`;
}

// So many digits, but never fewer than those before the point; with a power of
// ten where most of them would be zeros.
function significant(value, digits) {
  if (value === 0) return "0";
  const before = Math.floor(Math.log10(Math.abs(value))) + 1;
  if (before > 15 || before < -5) return value.toExponential(digits - 1);
  return value.toFixed(Math.max(0, Math.min(12, digits - before)));
}

// A round number of bytes, without zeros that say nothing: "2.5 GiB".
function format_round_bytes(bytes) {
  return format_bytes(bytes).replace(/(\.\d*?)0+ /, "$1 ").replace(". ", " ");
}

// "16,717,054,976".
function exact_number(value) {
  if (!Number.isInteger(value)) return String(value);
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

// A share of one: "3.6%", "0.0120%".
function format_percent(share) {
  const percent = 100 * share;
  const size = Math.abs(percent);
  if (size === 0) return "0%";
  if (size < 0.00005) return `${percent < 0 ? "-" : ""}<0.0001%`;
  if (size >= 1e15) return `${percent.toExponential(2)}%`;
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4;
  return `${percent.toFixed(digits)}%`;
}

// A round share, without zeros that say nothing: "+0.05%".
function format_round_overhead(share) {
  return format_overhead(share).replace(/(\.\d*?)0+%$/, "$1%").replace(".%", "%");
}

function format_overhead(share) {
  return share < 0 ? format_percent(share) : `+${format_percent(share)}`;
}

const SECONDS_PER_UNIT = {ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1};

// A cost with its unit: times in the unit that suits them, others with a prefix.
function format_cost(cost, unit, digits = 4) {
  if (Object.hasOwn(SECONDS_PER_UNIT, unit)) {
    return format_seconds(cost * SECONDS_PER_UNIT[unit], digits);
  }
  return `${with_prefix(cost, digits)}${unit === "" ? "" : ` ${unit.slice(0, 24)}`}`;
}

function format_seconds(seconds, digits) {
  if (seconds === 0) return "0 s";
  if (seconds < 1e-3) return `${significant(seconds * 1e6, digits)} µs`;
  if (seconds < 1) return `${significant(seconds * 1e3, digits)} ms`;
  return `${significant(seconds, digits)} s`;
}

const PREFIXES = ["", "k", "M", "G", "T", "P", "E"];

function with_prefix(value, digits) {
  if (Number.isInteger(value) && value < 10000) return exact_number(value);
  let at = 0;
  while (value >= 1000 && at + 1 < PREFIXES.length) {
    value /= 1000;
    at += 1;
  }
  return `${significant(value, digits)}${at > 0 ? ` ${PREFIXES[at]}` : ""}`;
}

// "1 op", "2 ops".
function count_of(count, what) {
  return `${exact_number(count)} ${what}${count === 1 ? "" : "s"}`;
}

// Round numbers that divide [0, most] into a few parts; bytes in powers of 1024.
function ticks(most, count, base = 10) {
  if (!(most > 0)) return [0];
  const scale = base === 1024
    ? 1024 ** Math.max(0, Math.floor(Math.log(most) / Math.log(1024))) : 1;
  const rough = most / scale / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough) * scale;
  // There is no half of a byte.
  const step = base === 1024 ? Math.max(1, Math.round(round)) : round;
  const found = [];
  for (let i = 0; i * step <= most * 1.0001; i += 1) found.push(i * step);
  return found;
}

const PHASES = ["forward", "backward", "other"];
