// SPDX-License-Identifier: Apache-2.0

import { bars, button, el, field, icon, notice, secretField } from '../dom.js';
import { form } from '../form.js';
import { Refusal, wordsOf } from '../gateway.js';
import { pause } from '../queue.js';
import { text } from '../strings.js';
import { said } from '../told.js';

const t = text.wifi;
const SCAN_LIMIT = 60_000;
const UNSUPPORTED = ['wep', 'enterprise'];

/** The networks that the gateway hears, live; one that hides its name; or the cable. */
export function view(app, { returnTo = null } = {}) {
  const known = app.settings.wifi ?? {};
  const networks = new Map();
  const list = el('div', { class: 'choices' });
  const state = el('p', { class: 'busy-line', role: 'status' });
  const rescan = button(t.again, scan, { kind: 'quiet small' });
  const ssid = field(t.ssid, el('input', {
    type: 'text', maxlength: 32, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', id: 'ssid' }));
  const password = secretField(t.password, { id: 'wifi-password', maxlength: 64, hint: t.passwordHint })
    .labels(text.show, text.hide, text.showPassword);
  const advice = el('div');
  let end = null;
  let chosen = null;

  const choose = (choice) => {
    chosen = choice;
    const security = networks.get(choice.ssid)?.security;
    ssid.hidden = choice.kind !== 'hidden';
    password.hidden = choice.kind === 'cable' || (choice.kind === 'listed' && security === 'open');
    password.fail(null);
    password.querySelector('.hint').textContent = keeps() ? t.passwordKept : t.passwordHint;
    advice.replaceChildren(
      UNSUPPORTED.includes(security) ? notice('warning', t.unsupported)
        : security === 'open' && choice.kind === 'listed' ? notice('warning', t.open) : '');
  };
  // Of a network in use nobody says whether it has a password; a key that is left out keeps what was there.
  const keeps = () => wantedName() === known.ssid;
  const wantedName = () => (chosen?.kind === 'hidden' ? ssid.input.value : chosen?.ssid);
  ssid.input.addEventListener('input', () => {
    password.querySelector('.hint').textContent = keeps() ? t.passwordKept : t.passwordHint;
  });

  function row(choice, ...content) {
    const radio = el('input', { type: 'radio', name: 'network', on: { change: () => {
      choose(choice);
      // On a phone the list may be longer than the screen.
      (ssid.hidden ? password : ssid).scrollIntoView({ block: 'nearest' });
    } } });
    return el('label', { class: 'choice' }, radio, ...content);
  }

  function put(network) {
    const former = networks.get(network.ssid);
    const isChosen = chosen?.kind === 'listed' && chosen.ssid === network.ssid;
    const choice = row({ kind: 'listed', ssid: network.ssid },
      el('span', { class: 'choice-name' }, el('bdi', {}, network.ssid),
        el('small', {}, t.securities[network.security] ?? String(network.security),
          network.joined ? ` · ${t.joined}` : '')),
      network.security === 'open' ? null : icon('lock'),
      bars(network.strength ?? 0, t.strength(network.strength ?? 0)));
    network.row = choice;
    networks.set(network.ssid, network);
    // A list that is told again must not take the focus or the choice away.
    if (former) {
      const hadFocus = former.row.contains(document.activeElement);
      former.row.replaceWith(choice);
      if (hadFocus) choice.querySelector('input').focus();
    } else {
      const weaker = [...networks.values()].find((other) => other !== network && other.strength < network.strength);
      if (weaker) weaker.row.before(choice);
      else other.before(choice);
    }
    if (isChosen || (chosen === null && network.ssid === known.ssid)) {
      choice.querySelector('input').checked = true;
      choose({ kind: 'listed', ssid: network.ssid });
    }
  }

  const other = row({ kind: 'hidden' }, el('span', { class: 'choice-name' }, t.hiddenChoice));
  const cable = row({ kind: 'cable' }, el('span', { class: 'choice-name' }, t.cable));
  list.append(other, cable);

  async function scan() {
    rescan.hidden = true;
    advice.replaceChildren();
    state.className = 'busy-line';
    state.textContent = t.scanning;
    let finish;
    const isFinished = new Promise((resolve) => { finish = resolve; });
    const timer = setTimeout(() => finish({ text: text.apply.reasons['timed-out'] }), SCAN_LIMIT);
    try {
      end ??= await app.gateway.subscribeObjects('networks', (line) => {
        if (line.end) finish(line);
        else if (typeof line.ssid === 'string' && line.ssid !== '') put(line);
      });
      await beginScan();
      const { reason, text: words } = await isFinished;
      state.textContent = reason || words ? t.failed(text.apply.reasons[reason] ?? said(words) ?? reason)
        : networks.size === 0 ? t.empty : '';
    } catch (error) {
      state.textContent = t.failed(wordsOf(error));
    } finally {
      clearTimeout(timer);
      state.className = 'hint';
      rescan.hidden = false;
      stop();
    }
  }

  // A scan that another view, or another phone, has begun is under way for a few seconds.
  async function beginScan() {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await app.gateway.writeText('networks', 'scan');
        return;
      } catch (error) {
        if (attempt === 5 || !(error instanceof Refusal)) throw error;
        await pause(2000);
      }
    }
  }

  function stop() {
    end?.();
    end = null;
  }

  async function save() {
    if (!chosen) throw new Refusal(t.choose);
    if (chosen.kind === 'cable') {
      // Nothing is staged where nothing changes: a gateway without Wi-Fi would refuse it.
      if (known.ssid) await app.gateway.writeObject('wifi', { ssid: '' });
      app.settings.wifi = { ssid: '' };
      app.showNext('wifi', returnTo);
      return true;
    }
    const name = wantedName();
    const security = networks.get(name)?.security;
    const octets = new TextEncoder().encode(name).length;
    ssid.fail(octets < 1 || octets > 32 ? t.ssidProblem : null);
    if (ssid.input.hasAttribute('aria-invalid')) return false;
    if (chosen.kind === 'listed' && UNSUPPORTED.includes(security)) throw new Refusal(t.unsupported);
    const object = { ssid: name, hidden: chosen.kind === 'hidden' };
    const isOpen = chosen.kind === 'listed' && security === 'open';
    const typed = password.input.value;
    if (isOpen) object.password = '';
    else if (typed !== '') {
      if (!/^[\x20-\x7e]{8,63}$/.test(typed) && !/^[0-9A-Fa-f]{64}$/.test(typed)) password.fail(t.passwordProblem);
      object.password = typed;
    } else if (!keeps()) {
      if (chosen.kind === 'listed') password.fail(t.passwordMissing);
      else object.password = '';
    }
    if (password.input.hasAttribute('aria-invalid')) return false;
    if (keeps() && typed === '' && object.hidden === (known.hidden === true)) {
      app.showNext('wifi', returnTo);
      return true;
    }
    await app.gateway.writeObject('wifi', object);
    password.take();
    app.settings.wifi = await app.gateway.readObject('wifi');
    app.showNext('wifi', returnTo);
    return true;
  }

  choose({ kind: 'none' });
  chosen = null;
  password.hidden = true;
  if (known.ssid && known.hidden) {
    ssid.input.value = known.ssid;
    other.querySelector('input').checked = true;
    choose({ kind: 'hidden' });
  }
  scan();
  return {
    leave: () => {
      password.take();
      stop();
    },
    node: el('section', {}, el('h1', {}, t.title), el('p', { class: 'lead' }, t.lead),
      form({ onSubmit: save, onBack: () => app.show(returnTo ?? 'place') },
        el('fieldset', {}, el('legend', {}, t.list), el('div', { class: 'list-state' }, state, rescan), list),
        ssid, password, advice)),
  };
}
