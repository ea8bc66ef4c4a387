// SPDX-License-Identifier: Apache-2.0

import { button, el, notice } from './dom.js';
import { wordsOf } from './gateway.js';
import { text } from './strings.js';

/**
 * A form whose button is busy while `onSubmit` goes on, and that shows in words why it failed. `onSubmit` gives false when
 * a field was not good; the first such field is focused.
 */
export function form({ submit = text.next, onSubmit, onBack = null, kind = 'primary' }, ...content) {
  const problem = el('div', { class: 'form-problem' });
  const send = el('button', { type: 'submit', class: `button ${kind}` }, submit);
  const node = el('form', { novalidate: true, autocomplete: 'off' }, ...content, problem,
    el('div', { class: 'actions' }, onBack ? button(text.back, onBack, { kind: 'quiet' }) : null, send));
  const busy = (isBusy) => {
    node.classList.toggle('busy', isBusy);
    send.setAttribute('aria-disabled', String(isBusy));
    send.textContent = isBusy ? text.wait : submit;
  };
  node.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (node.classList.contains('busy')) return;
    problem.replaceChildren();
    busy(true);
    try {
      if (await onSubmit() === false) node.querySelector('[aria-invalid]')?.focus();
    } catch (error) {
      problem.replaceChildren(notice('error', wordsOf(error)));
    } finally {
      busy(false);
    }
  });
  return node;
}

/** A button whose action may fail: it is busy meanwhile, and what failed is said in `place`. */
export function action(label, run, place, options) {
  const node = button(label, async () => {
    if (node.getAttribute('aria-disabled') === 'true') return;
    node.setAttribute('aria-disabled', 'true');
    place.replaceChildren();
    try {
      await run();
    } catch (error) {
      place.replaceChildren(notice('error', wordsOf(error)));
    } finally {
      node.removeAttribute('aria-disabled');
    }
  }, options);
  return node;
}

/** Asks before something that cannot be taken back; the browser's dialog element keeps the focus inside. */
export function confirm(question, { yes, detail = null, kind = 'danger', word = null, wordLabel = '' }) {
  return new Promise((resolve) => {
    const input = word === null ? null : el('input', {
      type: 'text', autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false', id: 'confirm-word' });
    const agree = el('button', { type: 'submit', class: `button ${kind}` }, yes);
    const matches = () => input === null || input.value.trim() === word;
    const update = () => agree.setAttribute('aria-disabled', String(!matches()));
    input?.addEventListener('input', update);
    update();
    const body = el('form', { novalidate: true },
      el('h2', { id: 'confirm-title' }, question),
      detail ? el('p', { id: 'confirm-detail' }, detail) : null,
      input ? el('div', { class: 'field' }, el('label', { for: 'confirm-word' }, wordLabel), input) : null,
      el('div', { class: 'actions' }, button(text.cancel, () => dialog.close(), { kind: 'quiet' }), agree));
    const dialog = el('dialog', {
      'aria-labelledby': 'confirm-title', 'aria-describedby': detail ? 'confirm-detail' : null }, body);
    let answer = false;
    body.addEventListener('submit', (event) => {
      event.preventDefault();
      if (!matches()) return;
      answer = true;
      dialog.close();
    });
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
