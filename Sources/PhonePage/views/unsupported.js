// SPDX-License-Identifier: Apache-2.0

import { el, notice } from '../dom.js';
import { text } from '../strings.js';

/** What this browser lacks, and what to do. */
export function view(app) {
  const { title, what, todo, isLinux } = app.lack;
  return {
    node: el('section', {},
      el('h1', {}, text.platform.title),
      notice('warning', el('strong', {}, title), el('p', {}, what)),
      el('p', { class: 'lead' }, todo),
      isLinux ? linuxHelp() : el('p', { class: 'hint' }, text.platform.commandLine)),
  };
}

/** How to pair on Linux, where the browser cannot. */
export function linuxHelp() {
  return el('div', { class: 'help' },
    el('p', {}, text.platform.linux),
    el('p', {}, text.platform.linuxPair),
    el('pre', { tabindex: '0' }, text.platform.linuxCommands),
    el('p', { class: 'hint' }, text.platform.linuxOr));
}
