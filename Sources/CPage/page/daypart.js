// SPDX-License-Identifier: Apache-2.0

import { chart, csvOf } from './chart.js';
import { button, el, field, mark, notice, save, show } from './dom.js';
import { nameOf, withUnit } from './format.js';
import { wordsOf } from './gateway.js';
import { byInterest, limitsOf } from './quantities.js';
import { text } from './strings.js';

const t = text.sheet;
const RANGES = ['1h', '1d', '7d', '31d'];

/** The chart of a sensor: an hour to a month, a quantity, and the same as a file. */
export function dayPart(app, id) {
  let history = null;
  let span = '1d';
  let wanted = null;
  const place = el('div', {}, el('p', { class: 'busy-line' }, text.wait));
  const ranges = Object.fromEntries(RANGES.map((name) => [name, button(t.ranges[name], () => {
    span = name;
    load();
  }, { kind: 'small', 'aria-pressed': name === span ? 'true' : 'false', 'aria-label': t.rangeNames[name] })]));
  const pick = field(t.quantity, el('select', { id: 'sheet-quantity', on: { change: () => {
    wanted = pick.input.value;
    draw();
  } } }));
  const export_ = button(t.csv, () => save(`${id}-${span}.csv`, csvOf(history), 'text/csv'), { kind: 'small', hidden: true, 'aria-label': t.csvWhat });
  const node = el('section', { id: 'sheet-chart' }, el('h3', { tabindex: '-1' }, t.day),
    el('div', { class: 'chart-tools' }, el('div', { class: 'segments', role: 'group', 'aria-label': t.range }, Object.values(ranges)), pick, export_),
    place);
  show(pick, false);

  function draw() {
    const drawn = byInterest((history.series ?? []).filter((series) => series.points?.length));
    show(export_, drawn.length > 0);
    show(pick, drawn.length > 1);
    if (!drawn.length) {
      place.replaceChildren(el('p', { class: 'hint' }, t.noDay));
      return;
    }
    const series = drawn.find(({ quantity }) => quantity === wanted) ?? drawn[0];
    pick.input.replaceChildren(...drawn.map((each) => el('option', { value: each.quantity, selected: each === series },
      withUnit(text.quantities[each.quantity] ?? each.name ?? nameOf(each.quantity), each.unit ? `(${each.unit})` : ''))));
    const title = el('p', { class: 'hint' }, pick.input.selectedOptions[0].textContent);
    place.replaceChildren(...(drawn.length > 1 ? [] : [title]), chart(series, history, limitsOf(app.status, id, series.quantity)));
  }

  async function load() {
    for (const [name, node] of Object.entries(ranges)) mark(node, 'aria-pressed', name === span ? 'true' : 'false');
    const asked = span;
    try {
      const answer = await app.gateway.get('/api/chart', { sensor: id, range: asked });
      // Somebody may have chosen another range meanwhile.
      if (asked !== span) return;
      history = { range: asked, ...answer, series: answer.series ?? [] };
      draw();
    } catch (error) {
      if (asked === span) place.replaceChildren(notice('error', wordsOf(error)));
    }
  }

  return { node, load };
}
