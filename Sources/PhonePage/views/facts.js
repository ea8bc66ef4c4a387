// SPDX-License-Identifier: Apache-2.0

import { el } from '../dom.js';
import { text } from '../strings.js';
import { said } from '../told.js';

/** What the gateway tells everybody. */
export function facts({ name, model, state, next }) {
  const t = text.find;
  return table([[t.rows.name, name], [t.rows.model, model], [t.rows.state, t.states[state] ?? state],
    [t.rows.next, said(next)]]);
}

/** Names and values, those that there are. Values come from the air: their direction of writing stays their own. */
export function table(rows) {
  return el('dl', { class: 'table' }, rows.filter(([, value]) => value).map(([name, value, ...more]) =>
    el('div', {}, el('dt', {}, name), el('dd', {}, typeof value === 'string' ? el('bdi', {}, value) : value, ...more))));
}
