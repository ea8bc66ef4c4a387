// SPDX-License-Identifier: Apache-2.0

import { bars, button, el, field, icon, notice } from '../dom.js';
import { action, confirm } from '../form.js';
import { wordsOf } from '../gateway.js';
import { objects } from '../lines.js';
import { text } from '../strings.js';
import { said } from '../told.js';

const t = text.sensors;

/** Sensors that are shown at most; the gateway tells the strongest first. */
const LIMIT = 256;

/** What the gateway hears, live; a tap accepts. */
export function view(app) {
  const cards = new Map();
  const problem = el('div');
  const yours = el('ul', { class: 'cards' });
  const known = el('ul', { class: 'cards' });
  const unknown = el('ul', { class: 'cards' });
  const summary = el('summary', {});
  const others = el('details', { class: 'others', hidden: true }, summary, unknown);
  const yoursPart = el('div', { hidden: true }, el('h2', {}, t.yours), yours);
  const listening = el('p', { class: 'busy-line' }, t.listening);
  let end = null;
  let isHere = true;

  function put(sensor) {
    if (typeof sensor.address !== 'string') return;
    let card = cards.get(sensor.address);
    if (!card) {
      if (cards.size >= LIMIT) return;
      card = new Card(app, sensor.address, problem);
      cards.set(sensor.address, card);
    }
    card.show(sensor);
    const list = sensor.accepted ? yours : sensor.family ? known : unknown;
    if (card.node.parentElement !== list) {
      const hadFocus = card.node.contains(document.activeElement);
      list.append(card.node);
      if (hadFocus) card.focus();
    }
    yoursPart.hidden = yours.childElementCount === 0;
    others.hidden = unknown.childElementCount === 0;
    summary.textContent = t.others(unknown.childElementCount);
  }

  async function begin() {
    try {
      objects(await app.gateway.readLines('sensors')).forEach(put);
      end = await app.gateway.subscribeObjects('sensors', put);
      if (!isHere) end();
    } catch (error) {
      problem.replaceChildren(notice('error', wordsOf(error)));
    }
  }
  begin();

  return {
    leave: () => {
      isHere = false;
      end?.();
    },
    node: el('section', {}, el('h1', {}, t.title), el('p', { class: 'lead' }, t.lead), problem, yoursPart,
      el('h2', {}, t.heard), listening, known, others,
      el('div', { class: 'actions' }, button(t.finish, () => app.show('status'), { kind: 'primary' }))),
  };
}

/** One sensor. Its parts are changed in place, so that a new value takes nobody's focus or typing away. */
class Card {
  #app;
  #address;
  #problem = el('div', { role: 'status' });
  #name = el('h3', {});
  #kind = el('p', { class: 'kind' });
  #values = el('p', { class: 'values' });
  #signal = el('span', { class: 'signal' });
  #trouble = el('div');
  #accept;
  #forget;
  #options;
  #id;
  #passkey;
  #send;
  #label;
  #room;
  #rename;
  #sensor = {};

  constructor(app, address) {
    this.#app = app;
    this.#address = address;
    this.#id = field(t.id, el('input', { type: 'text', maxlength: 64, autocomplete: 'off', autocapitalize: 'none',
      spellcheck: 'false' }), t.idHint);
    this.#passkey = field(t.passkey, el('input', { type: 'text', inputmode: 'numeric', maxlength: 6,
      autocomplete: 'off' }), t.passkeyHint);
    this.#accept = action(t.accept, () => this.#doAccept(), this.#problem, { kind: 'primary small' });
    this.#forget = action(t.forget, () => this.#doForget(), this.#problem, { kind: 'quiet small' });
    this.#send = action(t.passkeySend, () => this.#doPasskey(), this.#problem, { kind: 'plain small' });
    this.#label = field(t.label, el('input', { type: 'text', maxlength: 64, autocomplete: 'off' }), t.labelHint);
    this.#room = field(t.room, el('input', { type: 'text', maxlength: 64, autocomplete: 'off' }));
    this.#rename = action(t.rename, () => this.#doRename(), this.#problem, { kind: 'plain small' });
    this.#options = el('details', {}, el('summary', {}, t.options), this.#id, this.#label, this.#room, this.#rename,
      this.#passkey, this.#send);
    this.node = el('li', { class: 'card' },
      el('div', { class: 'card-head' }, el('span', { class: 'card-icon' }, icon('sensor')),
        el('div', { class: 'card-title' }, this.#name, this.#kind), this.#signal),
      this.#values, this.#trouble, this.#problem,
      el('div', { class: 'card-foot' }, this.#options, this.#accept, this.#forget));
  }

  focus() {
    (this.#accept.hidden ? this.#forget : this.#accept).focus();
  }

  show(sensor) {
    this.#sensor = sensor;
    const name = this.#title;
    setText(this.#name, name);
    setText(this.#kind, [t.families[sensor.family] ?? sensor.family, sensor.id, this.#address]
      .filter((part) => part && part !== name && part !== this.#address.replaceAll(':', '').toLowerCase()).join(' · '));
    if (Number.isFinite(sensor.rssi)) {
      this.#signal.replaceChildren(bars(sensor.rssi + 105 < 1 ? 1 : Math.min(100, (sensor.rssi + 105) * 1.600),
        t.rssi(sensor.rssi)));
    }
    const values = Array.isArray(sensor.values) ? sensor.values.filter((value) => typeof value === 'string') : [];
    setText(this.#values, values.length > 0 ? values.join('   ') : sensor.accepted ? t.noValue : '');
    this.#values.classList.toggle('empty', values.length === 0);
    this.#values.hidden = values.length === 0 && !sensor.accepted;
    const trouble = typeof sensor.trouble === 'string' ? said(sensor.trouble) : '';
    if (this.#trouble.textContent !== trouble) {
      this.#trouble.replaceChildren(trouble ? notice('warning', el('bdi', {}, trouble)) : '');
      // What is wrong with an accepted sensor is mostly its passkey.
      if (trouble && sensor.accepted) this.#options.open = true;
    }
    this.#accept.hidden = sensor.accepted === true;
    this.#accept.setAttribute('aria-label', t.acceptWhat(name));
    this.#forget.hidden = sensor.accepted !== true;
    this.#forget.setAttribute('aria-label', t.forgetWhat(name));
    this.#id.hidden = sensor.accepted === true;
    this.#rename.hidden = sensor.accepted !== true;
    this.#send.hidden = sensor.accepted !== true;
  }

  get #title() {
    const { name, id } = this.#sensor;
    return (typeof name === 'string' && name) || (typeof id === 'string' && id) || t.unnamed;
  }

  async #doAccept() {
    const id = this.#id.input.value.trim();
    const passkey = this.#passkey.input.value.trim();
    this.#id.fail(id === '' || /^[a-z0-9][a-z0-9_-]*$/.test(id) ? null : t.idProblem);
    this.#passkey.fail(passkey === '' || /^[0-9]{6}$/.test(passkey) ? null : t.passkeyProblem);
    const wrong = this.#options.querySelector('[aria-invalid]');
    if (wrong) {
      wrong.focus();
      return;
    }
    const object = { address: this.#address };
    if (id) object.id = id;
    if (passkey) object.passkey = passkey;
    Object.assign(object, this.#names());
    await this.#app.gateway.writeObject('accept', object);
    this.#clear(passkey);
    if (!this.#sensor.trouble) this.#options.open = false;
    this.#app.announce(t.accepted(this.#title));
  }

  /** The names that are filled in. A gateway of before refuses the keys, which are therefore left out where they are empty. */
  #names() {
    const names = { label: this.#label.input.value.trim(), room: this.#room.input.value.trim() };
    return Object.fromEntries(Object.entries(names).filter(([, name]) => name !== ''));
  }

  async #doRename() {
    const names = this.#names();
    this.#label.fail(Object.keys(names).length > 0 ? null : t.labelProblem);
    if (Object.keys(names).length === 0) {
      this.#label.input.focus();
      return;
    }
    await this.#app.gateway.writeObject('accept', { address: this.#address, ...names });
    this.#app.announce(t.renamed(this.#title));
  }

  async #doForget() {
    if (!(await confirm(t.forgetAsk(this.#title), { yes: t.forget }))) return;
    await this.#app.gateway.writeText('forget', this.#address);
    this.#app.announce(t.forgotten(this.#title));
  }

  /** Takes the passkey that was sent out of its field. A person may have typed another one meanwhile, which stays. */
  #clear(passkey) {
    if (this.#passkey.input.value.trim() === passkey) this.#passkey.input.value = '';
  }

  async #doPasskey() {
    const passkey = this.#passkey.input.value.trim();
    this.#passkey.fail(/^[0-9]{6}$/.test(passkey) ? null : t.passkeyProblem);
    if (!/^[0-9]{6}$/.test(passkey)) {
      this.#passkey.input.focus();
      return;
    }
    await this.#app.gateway.writeObject('passkey', { address: this.#address, passkey });
    this.#clear(passkey);
    this.#problem.replaceChildren(notice('info', t.passkeySent));
  }
}

function setText(node, words) {
  if (node.textContent !== words) node.replaceChildren(el('bdi', {}, words));
}
