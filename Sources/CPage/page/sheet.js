// SPDX-License-Identifier: Apache-2.0

import { fieldsOf } from './card.js';
import { dayPart } from './daypart.js';
import { el, facts, field, notice, put, secretField, show } from './dom.js';
import { action, confirm, dialog, form } from './form.js';
import { age, count, dateAndTime, duration, nameOf, reasons, valueOf, withUnit } from './format.js';
import { wordsOf } from './gateway.js';
import { awaitedSensor, ofSensor, stateOf, titleOf } from './health.js';
import { said, wantsIn } from './problems.js';
import { text } from './strings.js';

const t = text.sheet;

/** All that is known of a sensor: why it is as it is, its last day, its values, and what can be done to it. */
export function openSheet(app, id, part, onClose) {
  const find = () => {
    const collector = app.status?.collector;
    const sensor = collector?.sensors?.find((each) => each.id === id);
    const awaited = collector?.awaited?.find((each) => (each.id ?? each.entry) === id || each.entry === id);
    return sensor ?? (awaited ? { ...awaitedSensor(awaited), id } : null);
  };
  const sensor = find() ?? { id, values: [] };
  const query = sensor.awaited?.id ?? sensor.awaited?.entry ?? id;
  const why = el('div', {}, el('p', { class: 'busy-line' }, text.wait));
  const events = el('div', {});
  const day = dayPart(app, id);
  const values = el('tbody', {});
  const valuePart = el('section', {}, el('h3', {}, t.values), el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t.values },
    el('table', {}, el('thead', {}, el('tr', {}, t.valueColumns.map((name) => el('th', { scope: 'col' }, name)))), values)));
  const figures = facts(t.figures);
  const rows = new Map();
  const node = dialog(el('bdi', {}, titleOf(sensor)), { kind: 'sheet', onClose },
    el('div', { class: 'sheet-body' },
      el('section', {}, el('h3', {}, t.why), why),
      sensor.awaited ? null : day.node, valuePart, el('section', {}, el('h3', {}, t.facts), figures.node),
      el('section', {}, el('h3', {}, t.happened), events), sensor.awaited ? null : actions(app, sensor, () => node)));

  function update() {
    const now = find();
    if (!now) return;
    const later = app.since('status');
    const books = app.status.journal?.sensors?.[id];
    figures.set({
      link: text.links[now.link] ?? now.link, id: now.id, address: now.address, family: now.family, identifier: now.identifier, owner: now.owner,
      rssi: Number.isFinite(now.rssi) ? `${now.rssi} dBm` : null,
      readings: now.awaited ? null : count(now.readings),
      delivered: books ? count(books.delivered) : null,
      dropped: reasons(books?.dropped), missing: books?.missing > 0 ? count(books.missing) : null,
      gap: now.gap > 0 ? count(now.gap) : null, repeats: now.repeats > 0 ? count(now.repeats) : null,
      refused: reasons(now.refused, (reason) => text.refused[reason] ?? reason),
      drops: now.drops > 0 ? count(now.drops) : null, last_drop: said(now.last_drop), reconnects: reasons(now.reconnects, said),
      security: said(now.security), wants: now.awaited ? wantsIn(now.awaited.wants ?? '') : null,
      nearest: now.awaited?.nearest?.map((near) => `${near.name ?? ''} ${near.address ?? ''} ${near.rssi ?? '?'} dBm`.trim()).join(', '),
    });
    const fields = fieldsOf(now);
    const known = new Set();
    fields.forEach((each, index) => {
      const key = `${each.from} ${each.quantity} ${index}`;
      known.add(key);
      let row = rows.get(key);
      if (!row) {
        row = { value: el('bdi', {}), age: el('span', {}), how: el('span', {}) };
        row.node = el('tr', {}, el('th', { scope: 'row' }, each.isRaw ? each.quantity : nameOf(each.quantity)),
          el('td', {}, row.value), el('td', {}, row.age), el('td', {}, row.how));
        rows.set(key, row);
        values.append(row.node);
      }
      put(row.value, withUnit(each.isRaw ? String(each.value) : valueOf(each.value), each.unit));
      put(row.age, t.ago(age(each.age_ms + later)));
      put(row.how, text.sources[each.source] ?? each.source);
    });
    for (const [key, row] of rows) show(row.node, known.has(key));
    show(valuePart, known.size > 0);
  }

  async function explain() {
    try {
      const told = await app.gateway.get('/api/why', { sensor: query });
      const now = { ...(find() ?? sensor), ...(told.health ? { health: told.health } : {}) };
      why.replaceChildren(el('div', { class: `answer ${stateOf(now, ofSensor(app.status, now))}` }, el('p', { class: 'answer-text' }, said(told.answer) ?? '')),
        told.advice ? el('p', { class: 'advice' }, el('strong', {}, t.advice), ' ', said(told.advice)) : '',
        told.ends?.length ? el('p', { class: 'hint' }, t.ends, ' ', told.ends.map(end).join(', '), '.') : '');
      events.replaceChildren(told.events?.length ? eventTable(told) : el('p', { class: 'hint' }, t.nothingHappened));
    } catch (error) {
      why.replaceChildren(notice('error', wordsOf(error)));
      events.replaceChildren(el('p', { class: 'hint' }, t.nothingHappened));
    }
  }

  update();
  explain();
  if (!sensor.awaited) day.load().then(() => { if (part === 'chart') day.node.scrollIntoView({ block: 'start' }); });
  (part === 'chart' ? day.node.querySelector('h3') : node.querySelector('h2')).focus({ preventScroll: part !== 'chart' });
  return { update, tick: update };
}

const end = ({ reason, count: many }) => (reason ? `${count(many)} × ${code(reason)}` : t.others(count(many)));
const code = ({ code: number, name }) => `0x${Number(number).toString(16).toUpperCase().padStart(2, '0')} ${name}`;

/** What an event was, in words. */
function wordsOfEvent(event) {
  return [
    text.events[event.kind] ?? event.kind,
    Number.isFinite(event.lasted_ms) ? t.after(duration(event.lasted_ms)) : null,
    event.reason ? code(event.reason) : null,
    event.ended_by ? text.endedBy[event.ended_by] ?? event.ended_by : null,
    said(event.detail), Number.isFinite(event.wait_ms) ? t.pause(duration(event.wait_ms)) : null,
    Number.isFinite(event.rssi) ? `${event.rssi} dBm` : null,
    event.link ? t.link(event.link) : null,
  ].filter(Boolean).join(', ');
}

function eventTable(said) {
  const when = (event) => (event.unix_ms ? dateAndTime(event.unix_ms)
    : !event.earlier_boot && Number.isFinite(event.uptime_ms) && Number.isFinite(said.uptime_ms) ? t.ago(duration(said.uptime_ms - event.uptime_ms)) : '–');
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t.happened },
    el('table', { class: 'events' },
      el('thead', {}, el('tr', {}, t.eventColumns.map((name) => el('th', { scope: 'col' }, name)))),
      el('tbody', {}, [...said.events].reverse().map((event) => el('tr', {},
        el('td', { class: 'when' }, when(event)),
        el('td', {}, wordsOfEvent(event), event.count > 1 ? el('span', { class: 'times' }, t.times(count(event.count))) : null))))));
}

function actions(app, sensor, node) {
  const outcome = el('div', { role: 'status' });
  const key = secretField(t.key, {
    hint: t.keyHint, showText: text.show, hideText: text.hide, maxlength: 48, id: 'sheet-key', pattern: '[0-9A-Fa-f]*' });
  const keyForm = form({ submit: t.giveKey, onSubmit: async () => {
    const isKey = /^([0-9a-f]{24}){1,2}$|^[0-9a-f]{32}$/i.test(key.input.value.trim());
    key.fail(isKey ? null : t.keyProblem);
    if (!isKey) return false;
    await app.gateway.post('/api/key', { sensor: sensor.id, key: key.take().trim() });
    return t.keyGiven;
  } }, key);
  const entity = field(t.drop, el('input', { maxlength: 32, autocapitalize: 'none', spellcheck: false, id: 'sheet-drop' }), t.dropHint);
  const dropForm = form({ submit: t.dropYes, onSubmit: async () => {
    const name = entity.input.value.trim();
    entity.fail(name ? null : t.dropProblem);
    if (!name) return false;
    await app.gateway.post('/api/forget', { sensor: sensor.id, quantity: name });
    return t.dropped(name);
  } }, entity);
  const label = field(t.label, el('input', { maxlength: 64, id: 'sheet-label', autocomplete: 'off', value: sensor.label ?? '' }), t.labelHint);
  const room = field(t.room, el('input', { maxlength: 64, id: 'sheet-room', autocomplete: 'off', value: sensor.room ?? '' }));
  const renameForm = form({ submit: t.rename, onSubmit: async () => {
    await app.gateway.post('/api/rename', { sensor: sensor.id, label: label.input.value.trim(), room: room.input.value.trim() });
    return t.renamed;
  } }, el('div', { class: 'pair' }, label, room));
  const forget = action(t.forget, async () => {
    if (!await confirm(t.forgetTitle(titleOf(sensor)), { yes: t.forgetYes, detail: t.forgetDetail })) return null;
    await app.gateway.post('/api/forget', { sensor: sensor.id });
    app.announce(t.forgotten(titleOf(sensor)));
    node().close();
    return null;
  }, outcome, { kind: 'danger' });
  const trust = (label, title, detail, address) => action(label, async () => {
    if (!await confirm(title, { yes: label, detail })) return null;
    await app.gateway.post('/api/trust', { sensor: sensor.id, address });
    return t.trusted;
  }, outcome, { kind: 'small' });
  const name = titleOf(sensor);
  const doubts = [
    sensor.counter_back ? trust(t.batteryChanged, t.batteryTitle(name), t.batteryDetail) : null,
    sensor.claimed_by ? trust(t.isSensor(sensor.claimed_by), t.isSensorTitle(name, sensor.claimed_by), t.isSensorDetail, sensor.claimed_by) : null,
  ].filter((doubt) => doubt !== null);
  const isLocked = Object.keys(sensor.refused ?? {}).some((reason) => ['no-key', 'wrong-key'].includes(reason));
  return el('section', {}, el('h3', {}, t.actions),
    sensor.family ? el('details', { open: isLocked }, el('summary', {}, t.keyTitle), keyForm) : null,
    el('details', {}, el('summary', {}, t.renameTitle), renameForm),
    el('details', {}, el('summary', {}, t.dropTitle), dropForm),
    el('div', { class: 'row' }, ...doubts, forget), outcome);
}
