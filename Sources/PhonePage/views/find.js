// SPDX-License-Identifier: Apache-2.0

import { button, el, notice } from '../dom.js';
import { wordsOf } from '../gateway.js';
import { MissingService } from '../gatt.js';
import { SERVICE, VERSION } from '../service.js';
import { text } from '../strings.js';
import { linuxHelp } from './unsupported.js';

const t = text.find;

/** The browser's list of gateways, then the link. */
export function view(app) {
  const outcome = el('div', { class: 'outcome' });
  let isAtIt = false;
  const search = button(t.button, find, { kind: 'primary wide', id: 'find' });

  async function find() {
    if (isAtIt) return;
    isAtIt = true;
    outcome.replaceChildren(el('p', { class: 'busy-line' }, t.looking));
    try {
      const device = await navigator.bluetooth.requestDevice({ filters: [{ services: [SERVICE] }] });
      await connect(device);
    } catch (error) {
      outcome.replaceChildren(notice('error', ...explain(error)));
    } finally {
      isAtIt = false;
    }
  }

  async function connect(device) {
    const name = device.name || t.unnamed;
    outcome.replaceChildren(el('p', { class: 'busy-line' }, t.connecting(name)));
    app.announce(t.connecting(name));
    const slow = setTimeout(() => outcome.append(el('p', { class: 'hint' }, t.slow)), 8000);
    try {
      await app.connect(device);
    } catch (error) {
      if (error instanceof MissingService) throw error;
      outcome.replaceChildren(notice('error', error.kind ? t.failed(name) : wordsOf(error)));
      return;
    } finally {
      clearTimeout(slow);
    }
    if (app.facts.version !== VERSION) {
      app.link.disconnect();
      outcome.replaceChildren(notice('error', t.version(app.facts.version)));
      return;
    }
    app.show('pair');
  }

  return {
    node: el('section', {},
      el('h1', {}, t.title),
      el('p', { class: 'lead' }, t.lead),
      el('ol', { class: 'prepare' }, t.prepare.map((line) => el('li', {}, line))),
      app.lack?.isLinux ? notice('warning', el('strong', {}, app.lack.title), linuxHelp()) : null,
      el('div', { class: 'actions' }, search), outcome),
  };
}

function explain(error) {
  if (error instanceof MissingService) return [t.otherService];
  if (error?.name === 'NotFoundError') {
    return /adapter/i.test(error.message)
      ? [el('strong', {}, text.platform.adapterTitle), el('p', {}, text.platform.adapterDo)] : [t.cancelled];
  }
  if (error?.name === 'SecurityError') {
    return [el('strong', {}, text.platform.blockedTitle), el('p', {}, text.platform.blocked), el('p', {}, text.platform.blockedDo)];
  }
  return [wordsOf(error)];
}
