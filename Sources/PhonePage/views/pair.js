// SPDX-License-Identifier: Apache-2.0

import { el, icon, notice } from '../dom.js';
import { form } from '../form.js';
import { pause } from '../queue.js';
import { text } from '../strings.js';
import { facts } from './facts.js';
import { ITEMS } from '../service.js';

const t = text.pair;

// A refusal this fast is none of a person: on Windows the first read fails while the dialog is still open.
const FASTER_THAN_PEOPLE = 2500;
const LOOK_AGAIN_AFTER = [1500, 3000, 6000, 10000, 15000];

/** Shows what is open, and pairs by reading what is not: there is no call for pairing in a browser. */
export function view(app, { problem = null } = {}) {
  const outcome = el('div', { class: 'outcome', 'aria-live': 'polite' });
  let isHere = true;

  async function pairUp() {
    outcome.replaceChildren(notice('info', t.asking));
    if (app.link.state === 'gone' || app.link.state === 'down') await app.link.connect();
    for (let attempt = 0; isHere; attempt += 1) {
      const began = performance.now();
      try {
        await app.link.read(ITEMS.time, { patient: false });
        break;
      } catch (error) {
        const isFast = performance.now() - began < FASTER_THAN_PEOPLE;
        if (error.kind === 'lost') {
          await linkIsBack();
          outcome.replaceChildren(notice('error', t.failed, el('p', {}, t.failedDo)));
          return;
        }
        if (!isFast || attempt === LOOK_AGAIN_AFTER.length) {
          const words = isFast ? [t.refused, el('p', {}, t.forget)] : [t.failed, el('p', {}, t.failedDo)];
          outcome.replaceChildren(notice('error', ...words));
          return;
        }
        outcome.replaceChildren(notice('info', t.asking, el('p', { class: 'hint' }, t.retry)));
        await pause(LOOK_AGAIN_AFTER[attempt]);
      }
    }
    if (!isHere) return;
    app.link.isPaired = true;
    app.announce(t.done);
    outcome.replaceChildren(notice('good', t.done));
    await app.paired();
  }

  // A pairing that failed may end the link; the next attempt needs it again.
  async function linkIsBack() {
    for (let waited = 0; waited < 150 && app.link.state === 'lost'; waited += 1) await pause(100);
  }

  if (problem) outcome.append(notice('error', problem));
  return {
    leave: () => { isHere = false; },
    node: el('section', {},
      el('h1', {}, t.title),
      el('p', { class: 'lead' }, t.lead),
      facts(app.facts),
      el('h2', {}, t.whereTitle),
      el('dl', { class: 'where' }, t.where.map(([where, what]) => [el('dt', {}, where), el('dd', {}, what)])),
      el('p', { class: 'aside' }, icon('key'), t.thirty),
      form({ submit: t.button, onSubmit: pairUp }, outcome)),
  };
}
