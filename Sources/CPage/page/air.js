// SPDX-License-Identifier: Apache-2.0

import { signal } from './card.js';
import { arrange, attention, el, field, icon, mark, notice, put, secretField, show } from './dom.js';
import { dialog, form } from './form.js';
import { age, count, sentence } from './format.js';
import { said } from './problems.js';
import { text } from './strings.js';

const t = text.air;
/** From so many on, what is not to be seen is not laid out. */
const CROWD = 40;
/** Names of sensors in topics. */
const ID = /^[a-z0-9_-]{1,32}$/;

/** What the gateway hears, the strongest first, and what of it can be accepted. */
export function air(app) {
  const rows = new Map();
  const list = el('ul', { class: 'rows', id: 'heard' });
  const isBusy = attention(list);
  const search = field(t.search, el('input', { type: 'search', id: 'air-search', autocomplete: 'off', on: { input: () => filter() } }));
  const which = field(t.which, el('select', { id: 'air-which', on: { change: () => filter() } },
    Object.entries(t.kinds).map(([value, name]) => el('option', { value }, name))));
  const summary = el('p', { class: 'hint', role: 'status' });
  const held = el('p', { class: 'hint', hidden: true }, t.held);
  const empty = el('div', { class: 'empty', hidden: true }, icon('air'), el('h2', {}, t.emptyTitle), el('p', {}, t.empty));
  let arrangedAt = -Infinity;

  function draw(isAsked = false) {
    const heard = app.gateway.last.heard;
    if (!Array.isArray(heard)) return;
    const known = new Set();
    for (const device of heard) {
      if (typeof device?.address !== 'string') continue;
      known.add(device.address);
      let row = rows.get(device.address);
      if (!row) rows.set(device.address, row = new Row(app));
      row.show(device);
    }
    const isHeld = !isAsked && isBusy();
    const now = performance.now();
    for (const [address, row] of rows) row.isGone = !known.has(address);
    if (!isHeld && (isAsked || now - arrangedAt > 10_000 || list.childElementCount === 0)) {
      arrangedAt = now;
      for (const [address, row] of rows) if (row.isGone) rows.delete(address);
      arrange(list, [...rows.values()].sort((one, other) => (other.device.rssi ?? -200) - (one.device.rssi ?? -200)).map(({ node }) => node));
    } else {
      // While somebody reads, what is new comes last, and what is gone stays.
      for (const row of rows.values()) if (!row.node.isConnected || row.node.parentElement !== list) list.append(row.node);
    }
    mark(list, 'class', rows.size > CROWD ? 'rows crowd' : 'rows');
    show(held, isHeld);
    filter();
    tick();
  }

  function filter() {
    const wanted = search.input.value.trim().toLocaleLowerCase(text.language);
    const kind = which.input.value;
    let many = 0;
    for (const row of rows.values()) {
      const { device } = row;
      const isWanted = (wanted === '' || row.words.includes(wanted))
        && (kind === 'all' || (!device.is_accepted && (kind === 'new' || device.family)));
      show(row.node, isWanted);
      if (isWanted) many += 1;
    }
    const isReady = app.status?.controller?.state === 'powered on' || app.status === null;
    put(summary, !isReady ? t.radioOff : t.summary(count(many), count(rows.size)));
    show(empty, rows.size === 0 && isReady && app.gateway.last.heard !== undefined);
  }

  function tick() {
    const later = app.since('heard');
    for (const row of rows.values()) row.tick(later);
  }

  return {
    node: el('div', { class: 'view' }, el('h1', { tabindex: '-1' }, t.title), el('p', { class: 'lead' }, t.lead),
      el('div', { class: 'tools' }, search, which), summary, held, list, empty),
    update: (name) => { if (name === 'heard') draw(); },
    shown: () => draw(true),
    tick,
  };
}

class Row {
  device = {};
  words = '';
  isGone = false;

  #app;
  #name = el('bdi', {});
  #address = el('bdi', { class: 'card-id' });
  #family = el('span', { class: 'tag', hidden: true });
  #values = el('bdi', { class: 'row-values' });
  #trouble = el('p', { class: 'trouble', hidden: true }, icon('warning'), el('span', {}));
  #signal = signal();
  #rssi = el('span', {});
  #age = el('span', { class: 'fact' });
  #accept;
  #accepted = el('button', { type: 'button', class: 'button small quiet', hidden: true });

  constructor(app) {
    this.#app = app;
    this.#accept = el('button', { type: 'button', class: 'button small', on: { click: () => acceptDialog(app, this.device) } }, t.accept);
    this.#accepted.addEventListener('click', () => app.open(this.device.id ?? this.device.address));
    this.node = el('li', { class: 'device' },
      el('div', { class: 'device-main' },
        el('h2', {}, this.#name), el('div', { class: 'device-sub' }, this.#address, this.#family), this.#values, this.#trouble),
      el('div', { class: 'device-facts' }, el('span', { class: 'fact' }, this.#signal.node, this.#rssi), this.#age),
      el('div', { class: 'device-do' }, this.#accept, this.#accepted));
  }

  show(device) {
    this.device = device;
    const title = device.title || device.name || t.unnamed;
    put(this.#name, title);
    put(this.#address, device.address);
    show(this.#family, device.family);
    put(this.#family, device.family);
    const values = Array.isArray(device.values) ? device.values.join(', ') : '';
    put(this.#values, values);
    show(this.#values, values !== '');
    show(this.#trouble, device.trouble);
    put(this.#trouble.lastChild, sentence(said(device.trouble)));
    this.#signal.set(device.rssi);
    put(this.#rssi, Number.isFinite(device.rssi) ? `${device.rssi} dBm` : '–');
    show(this.#accept, !device.is_accepted);
    mark(this.#accept, 'aria-label', t.acceptWhat(title, device.address));
    show(this.#accepted, device.is_accepted);
    put(this.#accepted, t.acceptedAs(device.id ?? device.address));
    this.words = [device.title, device.name, device.address, device.family, device.id].join(' ').toLocaleLowerCase(text.language);
  }

  tick(later) {
    put(this.#age, this.isGone ? t.gone : t.age(age((this.device.age_ms ?? 0) + later)));
    mark(this.node, 'class', this.isGone ? 'device gone' : 'device');
  }
}

/** Asks how a sensor shall be called, and for what it needs to be read. */
function acceptDialog(app, device) {
  const title = device.name || device.address;
  const id = field(t.id, el('input', { type: 'text', id: 'accept-id', maxlength: 32, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' }), t.idHint);
  const passkey = device.is_connectable ? field(t.passkey, el('input', {
    type: 'text', inputmode: 'numeric', id: 'accept-passkey', maxlength: 6, autocomplete: 'off' }), t.passkeyHint) : null;
  const key = device.family ? secretField(t.key, {
    hint: t.keyHint, showText: text.show, hideText: text.hide, maxlength: 48, id: 'accept-key' }) : null;
  // Until it has been accepted once: a key that was wrong is then given to what is accepted already.
  let isAccepted = false;
  const body = form({ submit: t.accept, busyText: t.accepting, onSubmit: async () => {
    const name = id.input.value.trim();
    const digits = passkey?.input.value.trim() ?? '';
    const secret = key?.input.value.trim() ?? '';
    id.fail(name === '' || ID.test(name) ? null : t.idProblem);
    passkey?.fail(digits === '' || /^\d{6}$/.test(digits) ? null : t.passkeyProblem);
    key?.fail(secret === '' || /^([0-9a-f]{24}){1,2}$|^[0-9a-f]{32}$/i.test(secret) ? null : text.sheet.keyProblem);
    if (body.querySelector('[aria-invalid]')) return false;
    if (!isAccepted) {
      await app.gateway.post('/api/accept', { address: device.address, ...(name && { id: name }), ...(digits && { passkey: digits }) });
      isAccepted = true;
    }
    if (secret) await app.gateway.post('/api/key', { sensor: name || device.address, key: secret });
    key?.take();
    app.announce(t.accepted(title));
    node.close();
    return null;
  } }, id, passkey, key);
  const node = dialog(el('span', {}, t.acceptTitle, ' ', el('bdi', {}, title)), {},
    el('p', { class: 'hint' }, [device.name ? device.address : null, device.family].filter(Boolean).join(' · ')),
    device.trouble ? notice('info', sentence(said(device.trouble))) : null, body);
  id.input.focus();
}
