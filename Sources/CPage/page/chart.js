// SPDX-License-Identifier: Apache-2.0

// Charts of the last day: the band between low and high, and the mean in it.

import { el, put, shape } from './dom.js';
import { number, timeOfDay, withUnit } from './format.js';
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

function range(points) {
  let low = Infinity;
  let high = -Infinity;
  for (const [, least, , most] of points) {
    low = Math.min(low, least);
    high = Math.max(high, most);
  }
  // A flat line is drawn in the middle.
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

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
  return t.summary(series.name ?? series.quantity, withUnit(number(low), series.unit), withUnit(number(high), series.unit),
    withUnit(number(series.points.at(-1)[2]), series.unit));
}

/** A line without axes, of the last day until now. */
export function sparkline(series, step) {
  const [width, height] = [240, 40];
  const svg = shape('svg', { class: 'spark', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  if (!isGood(series)) return svg;
  const to = series.points.at(-1)[0];
  const [low, high] = range(series.points);
  svg.append(...drawing(series, step, {
    from: Math.min(series.points[0][0], to - 86_400_000), to, low, high, left: 0, top: 3, width, height: height - 6 }));
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

/** The large chart with axes, what it shows under the pointer, and the same as a table. */
export function chart(series, step) {
  const readout = el('p', { class: 'chart-readout' });
  const frame = el('div', { class: 'chart-frame' });
  const rest = () => put(readout, summary(series));
  const table = el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t.table(series.name ?? series.quantity) });
  const asTable = el('details', {}, el('summary', {}, t.asTable), table);
  asTable.addEventListener('toggle', () => { if (asTable.open && table.childElementCount === 0) table.append(tableOf(series, step)); });
  rest();
  let drawn = 0;

  function draw(width) {
    if (width < 60 || width === drawn) return;
    drawn = width;
    const height = 220;
    const box = { left: 52, top: 10, width: width - 62, height: height - 36 };
    const to = series.points.at(-1)[0];
    const from = Math.min(series.points[0][0], to - 86_400_000);
    const [least, most] = range(series.points);
    const margin = (most - least) * 0.06;
    const view = { ...box, from, to, low: least - margin, high: most + margin };
    const y = (value) => box.top + box.height * (1 - (value - view.low) / (view.high - view.low));
    const x = (time) => box.left + box.width * (time - from) / (to - from);
    const svg = shape('svg', { class: 'chart', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': summary(series) });
    for (const value of ticks(view.low, view.high, 4)) {
      svg.append(shape('line', { class: 'chart-grid', x1: box.left, x2: box.left + box.width, y1: y(value), y2: y(value) }),
        shape('text', { class: 'chart-text end', x: box.left - 8, y: y(value) + 4 }, number(value)));
    }
    const hours = box.width < 420 ? 6 : 3;
    const first = new Date(from);
    first.setMinutes(0, 0, 0);
    first.setHours(Math.ceil((first.getHours() + 1) / hours) * hours);
    for (let time = first.getTime(); time <= to; time += hours * 3_600_000) {
      svg.append(shape('line', { class: 'chart-grid', x1: x(time), x2: x(time), y1: box.top, y2: box.top + box.height }),
        shape('text', { class: 'chart-text middle', x: x(time), y: height - 8 }, timeOfDay(time)));
    }
    svg.append(...drawing(series, step, view));
    const cursor = shape('line', { class: 'chart-cursor', y1: box.top, y2: box.top + box.height, hidden: true });
    svg.append(cursor);
    svg.addEventListener('pointermove', (event) => {
      const time = from + (to - from) * (event.offsetX - box.left) / box.width;
      const point = series.points.reduce((best, each) => (Math.abs(each[0] - time) < Math.abs(best[0] - time) ? each : best));
      cursor.setAttribute('x1', x(point[0]));
      cursor.setAttribute('x2', x(point[0]));
      cursor.removeAttribute('hidden');
      put(readout, t.point(timeOfDay(point[0]), withUnit(number(point[2]), series.unit), number(point[1]), number(point[3])));
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
    el('caption', {}, t.caption(series.name ?? series.quantity, Math.round(step / 60))),
    el('thead', {}, el('tr', {}, [t.time, t.low + unit, t.mean + unit, t.high + unit].map((name) => el('th', { scope: 'col' }, name)))),
    el('tbody', {}, [...series.points].reverse().map(([time, low, mean, high]) => el('tr', {},
      el('th', { scope: 'row' }, timeOfDay(time)), [low, mean, high].map((value) => el('td', {}, number(value)))))));
}
