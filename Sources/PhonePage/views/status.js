// SPDX-License-Identifier: Apache-2.0

import { el, icon } from '../dom.js';
import { action } from '../form.js';
import { wordsOf } from '../gateway.js';
import { text } from '../strings.js';
import { problemOf, said } from '../told.js';
import { table } from './facts.js';

const t = text.status;

/** How the gateway is, as it says so itself. */
export function view(app) {
  const place = el('div');
  const problem = el('div', { role: 'status' });
  const draw = () => place.replaceChildren(...content(app));
  document.addEventListener('gateway-status', draw);
  draw();
  const identify = action(t.identify, async () => {
    try {
      await app.gateway.writeText('identify', 'blink');
      problem.replaceChildren(el('p', { class: 'hint' }, t.identified));
    } catch (error) {
      problem.replaceChildren(el('p', { class: 'hint' }, wordsOf(error)));
    }
  }, problem, { kind: 'plain' });
  return {
    leave: () => document.removeEventListener('gateway-status', draw),
    node: el('section', {}, el('h1', {}, t.title), place,
      el('div', { class: 'part' }, el('h2', {}, t.identify), el('p', { class: 'hint' }, t.identifyHint), identify, problem)),
  };
}

/** The sensors without values, by the states that the gateway tells. */
const statesOf = ({ states }) => Object.entries(states ?? {}).sort().map(([state, count]) => `${count} ${t.states[state] ?? state}`);

function content(app) {
  const s = app.status ?? {};
  const isSetUp = app.facts.state !== 'unprovisioned';
  const isGood = isSetUp && s.broker_connected === true && !s.problem;
  const [kind, title, lead] = !isSetUp ? ['info', t.notSetUp, t.notSetUpLead]
    : isGood ? ['good', t.good, s.sensors ? t.goodLead(s.collecting ?? 0, s.sensors) : t.goodNoSensor]
      : ['warning', t.attention, problemOf(s) || said(s.broker_error) || t.noBroker];
  const format = new Intl.NumberFormat();
  const r = t.rows;
  return [
    el('div', { class: `headline ${kind}` }, el('span', { class: 'headline-icon' },
      icon(kind === 'good' ? 'check' : kind === 'info' ? 'info' : 'warning')),
    el('div', {}, el('strong', {}, title), el('p', {}, el('bdi', {}, lead)))),
    table([
      [r.name, app.facts.name],
      [r.state, text.find.states[app.facts.state] ?? app.facts.state],
      [r.network, s.connected ? s.ssid || text.apply.cable : t.notConnected],
      [r.addresses, (s.addresses ?? []).join(', ')],
      [r.broker, s.broker ? `${s.broker}: ${s.broker_connected ? t.connected : said(s.broker_error) || t.notConnected}` : text.none],
      [r.sensors, s.sensors ? [t.collecting(s.collecting ?? 0, s.sensors), ...statesOf(s)].join(', ') : t.noSensor],
      [r.received, format.format(s.received ?? 0)],
      [r.buffered, format.format(s.buffered ?? 0)],
    ]),
  ];
}
