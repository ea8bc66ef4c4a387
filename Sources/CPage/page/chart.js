// SPDX-License-Identifier: Apache-2.0

// Charts: the band between low and high, and the mean in it.

import { el, put, shape } from './dom.js';
import { dayAndTimeOf, dayOf, nameOf, number, timeOfDay, withUnit, zoneOf } from './format.js';
import { text } from './strings.js';

const t = text.chart;

/** Points without a value between them that are so many steps apart are not joined. */
const GAP = 2.5;

/** The points as runs without a gap. */
function runs(points, step) {
  const list = [];
  let former = null;
  for (const point of points) {
    if (former === null || point[0] - former > step * 1_000 * GAP) list.push([]);
    list.at(-1).push(point);
    former = point[0];
  }
  return list;
}

/** The times between which there are no values: between points, and at both ends of the range. */
function gaps(points, step, from, to) {
  const length = step * 1_000 * GAP;
  const list = [];
  let former = from;
  for (const [time] of points) {
    if (time - former > length) list.push([former, time]);
    former = time + step * 1_000;
  }
  if (to - former > length) list.push([former, to]);
  return list;
}

function range(points, limits = []) {
  let low = Math.min(Infinity, ...limits);
  let high = Math.max(-Infinity, ...limits);
  for (const [, least, , most] of points) {
    low = Math.min(low, least);
    high = Math.max(high, most);
  }
  // A flat line is drawn in the middle.
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

const nameOfSeries = (series) => text.quantities[series.quantity] ?? series.name ?? nameOf(series.quantity);

/** Band and line in the given box. */
function drawing(series, step, { from, to, low, high, left, top, width, height }) {
  const x = (time) => left + width * (time - from) / Math.max(1, to - from);
  const y = (value) => top + height * (1 - (value - low) / (high - low));
  const at = (time, value) => `${x(time).toFixed(1)} ${y(value).toFixed(1)}`;
  return runs(series.points, step).flatMap((run) => {
    const mean = run.map(([time, , middle]) => at(time, middle));
    if (run.length === 1) return [shape('circle', { class: 'chart-dot', cx: x(run[0][0]).toFixed(1), cy: y(run[0][2]).toFixed(1), r: 1.5 })];
    const upper = run.map(([time, , , most]) => at(time, most));
    const lower = run.map(([time, least]) => at(time, least)).reverse();
    return [
      shape('path', { class: 'chart-band', d: `M${[...upper, ...lower].join('L')}Z` }),
      shape('path', { class: 'chart-line', d: `M${mean.join('L')}` }),
    ];
  });
}

const isGood = (series) => Array.isArray(series?.points) && series.points.length > 0;

/** The words of a series: what it was, and how low and high. */
export function summary(series) {
  if (!isGood(series)) return t.empty;
  const [low, high] = [Math.min(...series.points.map((point) => point[1])), Math.max(...series.points.map((point) => point[3]))];
  return t.summary(nameOfSeries(series), withUnit(number(low), series.unit), withUnit(number(high), series.unit),
    withUnit(number(series.points.at(-1)[2]), series.unit));
}

/** A line without axes, of the last day until now. */
export function sparkline(series, { step_s: step, from, to }) {
  const [width, height] = [240, 40];
  const svg = shape('svg', { class: 'spark', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  if (!isGood(series)) return svg;
  const last = series.points.at(-1)[0];
  const [low, high] = range(series.points);
  svg.append(...drawing(series, step, {
    from: from ?? Math.min(series.points[0][0], last - 86_400_000), to: Math.max(to ?? last, last), low, high, left: 0, top: 3, width, height: height - 6 }));
  return svg;
}

/** Round numbers between low and high. */
function ticks(low, high, wanted) {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  const list = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6 && list.length < 20; at += step) {
    list.push(Math.abs(at) < step / 1e6 ? 0 : at);
  }
  return list;
}

const HOUR = 3_600_000;
/** Hours between the lines of a chart, on a broad and on a narrow screen. */
const LINES = { '1h': [0.25, 0.25], '1d': [3, 6], '7d': [24, 48], '31d': [96, 168] };

/** The times of the lines across the time axis, and their words. */
function times(range, from, to, isNarrow) {
  const step = (LINES[range] ?? LINES['1d'])[isNarrow ? 1 : 0];
  const at = new Date(from);
  const list = [];
  if (step < 1) {
    at.setMinutes(Math.ceil((at.getMinutes() + 1) / (step * 60)) * step * 60, 0, 0);
    for (let time = at.getTime(); time <= to; time += step * HOUR) list.push([time, timeOfDay(time)]);
  } else if (step < 24) {
    at.setMinutes(0, 0, 0);
    at.setHours(Math.ceil((at.getHours() + 1) / step) * step);
    // The day is said where it begins.
    for (let time = at.getTime(); time <= to; time += step * HOUR) list.push([time, new Date(time).getHours() === 0 ? dayOf(time) : timeOfDay(time)]);
  } else {
    // By days of the calendar: a change of the clock leaves the line at midnight.
    at.setHours(24, 0, 0, 0);
    for (; at.getTime() <= to; at.setDate(at.getDate() + step / 24)) list.push([at.getTime(), dayOf(at.getTime())]);
  }
  return list;
}

/**
 * The large chart with axes, what it shows under the pointer, and the same as a table. `history` is the gateway's answer;
 * `limits` has `low` and `high` where there are limits.
 */
export function chart(series, history, limits = {}) {
  const { step_s: step, range: span = '1d' } = history;
  const [from, to] = [history.from ?? Math.min(series.points[0][0], series.points.at(-1)[0] - 24 * HOUR), history.to ?? series.points.at(-1)[0]];
  const bounds = ['low', 'high'].filter((name) => Number.isFinite(limits[name]));
  const when = span === '1h' || span === '1d' ? timeOfDay : dayAndTimeOf;
  const readout = el('p', { class: 'chart-readout' });
  const frame = el('div', { class: 'chart-frame' });
  const holes = gaps(series.points, step, from, to);
  const rest = () => put(readout, [summary(series), holes.length ? t.gaps(holes.length) : '',
    ...bounds.map((name) => t.limits[name](withUnit(number(limits[name]), series.unit)))].filter(Boolean).join(' '));
  const table = el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t.table(nameOfSeries(series)) });
  const asTable = el('details', {}, el('summary', {}, t.asTable), table);
  asTable.addEventListener('toggle', () => { if (asTable.open && table.childElementCount === 0) table.append(tableOf(series, step)); });
  rest();

  function draw(width) {
    const height = Math.round(Math.min(300, Math.max(220, width * 0.42)));
    const box = { left: 46, top: 16, width: width - 46 - 10, height: height - 16 - 28 };
    if (box.width < 80) return;
    const [low, high] = range(series.points, bounds.map((name) => limits[name]));
    const margin = (high - low) * 0.06;
    const view = { from, to, low: low - margin, high: high + margin, ...box };
    const y = (value) => box.top + box.height * (1 - (value - view.low) / (view.high - view.low));
    const x = (time) => box.left + box.width * (time - from) / Math.max(1, to - from);
    const svg = shape('svg', { class: 'chart', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': summary(series) });
    for (const [start, end] of holes) {
      svg.append(shape('rect', { class: 'chart-gap', x: x(start), y: box.top, width: Math.max(1, x(end) - x(start)), height: box.height }));
    }
    if (series.unit) svg.append(shape('text', { class: 'chart-text end', x: box.left - 8, y: 10 }, series.unit));
    svg.append(shape('text', { class: 'chart-text end', x: box.left + box.width, y: 10 }, zoneOf(to)));
    for (const value of ticks(view.low, view.high, 4)) {
      svg.append(shape('line', { class: 'chart-grid', x1: box.left, x2: box.left + box.width, y1: y(value), y2: y(value) }),
        shape('text', { class: 'chart-text end', x: box.left - 8, y: y(value) + 4 }, number(value)));
    }
    for (const [time, words] of times(span, from, to, box.width < 420)) {
      svg.append(shape('line', { class: 'chart-grid', x1: x(time), x2: x(time), y1: box.top, y2: box.top + box.height }),
        // The last words are not cut off.
        shape('text', { class: 'chart-text middle', x: Math.min(x(time), box.left + box.width - 14), y: height - 8 }, words));
    }
    svg.append(...drawing(series, step, view));
    for (const name of bounds) {
      svg.append(shape('line', { class: 'chart-limit', x1: box.left, x2: box.left + box.width, y1: y(limits[name]), y2: y(limits[name]) }));
    }
    const cursor = shape('line', { class: 'chart-cursor', y1: box.top, y2: box.top + box.height, hidden: true });
    svg.append(cursor);
    svg.addEventListener('pointermove', (event) => {
      const time = from + (to - from) * (event.offsetX - box.left) / box.width;
      const point = series.points.reduce((best, each) => (Math.abs(each[0] - time) < Math.abs(best[0] - time) ? each : best));
      cursor.setAttribute('x1', x(point[0]));
      cursor.setAttribute('x2', x(point[0]));
      cursor.removeAttribute('hidden');
      put(readout, t.point(when(point[0]), withUnit(number(point[2]), series.unit), number(point[1]), number(point[3])));
    });
    svg.addEventListener('pointerleave', () => {
      cursor.setAttribute('hidden', '');
      rest();
    });
    frame.replaceChildren(svg);
  }

  new ResizeObserver(([entry]) => draw(Math.floor(entry.contentRect.width))).observe(frame);
  return el('div', { class: 'chart-box' }, frame, readout, asTable);
}

function tableOf(series, step) {
  const unit = series.unit ? ` (${series.unit})` : '';
  return el('table', {},
    el('caption', {}, t.caption(nameOfSeries(series), Math.round(step / 60))),
    el('thead', {}, el('tr', {}, [t.time, t.low + unit, t.mean + unit, t.high + unit].map((name) => el('th', { scope: 'col' }, name)))),
    el('tbody', {}, [...series.points].reverse().map(([time, low, mean, high]) => el('tr', {},
      el('th', { scope: 'row' }, dayAndTimeOf(time)), [low, mean, high].map((value) => el('td', {}, number(value)))))));
}

/** All series of an answer as comma-separated values (RFC 4180): times of ISO 8601, numbers with a point. */
export function csvOf(history) {
  const cell = (words) => (/[",\r\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words);
  // A spreadsheet would take such a text for a formula.
  const name = (words) => cell(/^[=+@\t-]/.test(words) ? `'${words}` : words);
  const rows = new Map();
  history.series.forEach((series, index) => {
    for (const [time, ...numbers] of series.points) {
      if (!rows.has(time)) rows.set(time, history.series.map(() => ['', '', '']));
      rows.get(time)[index] = numbers;
    }
  });
  const head = ['time', ...history.series.flatMap(({ quantity, unit }) => ['low', 'mean', 'high'].map((which) => `${quantity} ${which}${unit ? ` (${unit})` : ''}`))];
  const lines = [...rows].sort(([one], [other]) => one - other).map(([time, cells]) => [new Date(time).toISOString(), ...cells.flat()].join(','));
  return [head.map(name).join(','), ...lines, ''].join('\r\n');
}
