// SPDX-License-Identifier: Apache-2.0

import { button, el, notice } from './dom.js';
import { wordsOf } from './gateway.js';
import { text } from './strings.js';

/** A button whose action may fail: it is busy meanwhile, and what became of it is said in `place`. */
export function action(label, run, place, options) {
  const node = button(label, async () => {
    if (node.getAttribute('aria-disabled') === 'true') return;
    node.setAttribute('aria-disabled', 'true');
    place.replaceChildren();
    try {
      const done = await run();
      if (typeof done === 'string') place.replaceChildren(notice('good', done));
    } catch (error) {
      place.replaceChildren(notice('error', wordsOf(error)));
    } finally {
      node.removeAttribute('aria-disabled');
    }
  }, options);
  return node;
}

/**
 * A form whose button is busy while `onSubmit` goes on, and that shows in words why it failed. `onSubmit` gives false when
 * a field was not good; the first such field is focused.
 */
export function form({ submit, onSubmit, kind = 'primary', busyText = text.wait, others = [] }, ...content) {
  const outcome = el('div', { role: 'status' });
  const send = el('button', { type: 'submit', class: `button ${kind}` }, submit);
  const node = el('form', { novalidate: true, autocomplete: 'off' }, ...content, outcome,
    el('div', { class: 'actions' }, ...others, send));
  node.outcome = outcome;
  node.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (send.getAttribute('aria-disabled') === 'true') return;
    outcome.replaceChildren();
    send.setAttribute('aria-disabled', 'true');
    send.textContent = busyText;
    try {
      const done = await onSubmit();
      if (done === false) node.querySelector('[aria-invalid]')?.focus();
      else if (typeof done === 'string') outcome.replaceChildren(notice('good', done));
    } catch (error) {
      outcome.replaceChildren(notice('error', wordsOf(error)));
    } finally {
      send.removeAttribute('aria-disabled');
      send.textContent = submit;
    }
  });
  return node;
}

let dialogs = 0;

/** A dialog of the browser's own, which keeps the focus inside and gives it back. It is taken away when it closes. */
export function dialog(title, { kind = '', onClose = null }, ...content) {
  dialogs += 1;
  const id = `dialog-${dialogs}`;
  const close = el('button', { type: 'button', class: 'close', 'aria-label': text.close, on: { click: () => node.close() } }, '×');
  const node = el('dialog', { class: kind, 'aria-labelledby': id },
    el('div', { class: 'dialog-head' }, el('h2', { id, tabindex: '-1' }, title), close), ...content);
  node.addEventListener('close', () => {
    node.remove();
    onClose?.();
  });
  // A click on what is behind it closes it, as people expect.
  node.addEventListener('click', (event) => { if (event.target === node && kind === 'sheet') node.close(); });
  document.body.append(node);
  node.showModal();
  return node;
}

/** Asks before something that cannot be taken back. */
export function confirm(question, { yes, detail, kind = 'danger' }) {
  return new Promise((resolve) => {
    let answer = false;
    const agree = () => {
      answer = true;
      node.close();
    };
    const node = dialog(question, { onClose: () => resolve(answer) },
      el('p', {}, detail),
      el('div', { class: 'actions' }, button(text.cancel, () => node.close(), { kind: 'quiet', autofocus: true }),
        button(yes, agree, { kind })));
    node.setAttribute('role', 'alertdialog');
  });
}
