// SPDX-License-Identifier: Apache-2.0

import { button, el, notice } from '../dom.js';
import { action, confirm } from '../form.js';
import { text } from '../strings.js';

const t = text.more;
const LOG_LINES = 500;
const WINDOW_EVERY = 5000;

/** The next phone, the log, ways back, and the factory reset. */
export function view(app) {
  const window = windowPart(app);
  const log = logPart(app);
  return {
    leave: () => {
      window.leave();
      log.leave();
    },
    node: el('section', {}, el('h1', {}, t.title), window.node, log.node, backPart(app), resetPart(app),
      el('div', { class: 'actions' }, button(t.leave, () => app.restart(), { kind: 'quiet' }))),
  };
}

function part(title, lead, ...content) {
  return el('div', { class: 'part' }, el('h2', {}, title), el('p', { class: 'hint' }, lead), ...content);
}

function windowPart(app) {
  const state = el('div', { class: 'window', 'aria-live': 'polite' });
  const problem = el('div');
  let timer = null;
  const open = action(t.windowOpen, () => set('open'), problem, { id: 'window-open' });
  const close = action(t.windowClose, () => set('close'), problem, { kind: 'quiet' });
  close.hidden = true;

  async function set(word) {
    await app.gateway.writeText('window', word);
    await show();
  }

  // The passkey is read while the window is open and this part is in sight: each attempt has another one.
  async function show() {
    clearTimeout(timer);
    const { open: isOpen, seconds, passkey } = await app.gateway.readObject('window');
    open.hidden = isOpen === true;
    close.hidden = isOpen !== true;
    const minutes = Number.isFinite(seconds)
      ? new Intl.NumberFormat(undefined, { style: 'unit', unit: 'minute', unitDisplay: 'long' })
        .format(Math.max(1, Math.ceil(seconds / 60))) : null;
    state.replaceChildren(
      el('p', {}, !isOpen ? t.windowClosed : minutes ? t.windowIs(minutes) : t.windowUnlimited),
      isOpen && passkey ? el('p', { class: 'passkey-line' }, t.windowPasskey, el('output', { class: 'passkey' }, passkey))
        : isOpen ? el('p', { class: 'hint' }, t.windowNoPasskey) : '');
    if (isOpen) timer = setTimeout(() => show().catch(() => {}), WINDOW_EVERY);
  }

  show().catch(() => {});
  return {
    leave: () => {
      clearTimeout(timer);
      state.replaceChildren();
    },
    node: part(t.windowTitle, t.window, state, el('div', { class: 'row' }, open, close), problem),
  };
}

function logPart(app) {
  const lines = el('pre', { class: 'log', tabindex: '0', role: 'log', 'aria-label': t.logLabel, hidden: true });
  const problem = el('div');
  let end = null;
  const toggle = action(t.logOpen, async () => {
    if (end) {
      end();
      end = null;
      lines.hidden = true;
      lines.replaceChildren();
    } else {
      (await app.gateway.readLines('log')).forEach(put);
      lines.hidden = false;
      end = await app.gateway.subscribe('log', put);
    }
    toggle.textContent = end ? t.logClose : t.logOpen;
    toggle.setAttribute('aria-expanded', String(end !== null));
  }, problem, { 'aria-expanded': 'false' });

  function put(line) {
    const isAtEnd = lines.scrollHeight - lines.scrollTop - lines.clientHeight < 40;
    lines.append(el('span', { class: 'log-line' }, line, '\n'));
    while (lines.childElementCount > LOG_LINES) lines.firstElementChild.remove();
    if (isAtEnd) lines.scrollTop = lines.scrollHeight;
  }

  return { leave: () => end?.(), node: part(t.logTitle, t.log, toggle, lines, problem) };
}

function backPart(app) {
  const outcome = el('div', { role: 'status' });
  const drop = action(t.dropStaged, async () => {
    await app.gateway.writeText('rollBack', 'staged', { again: false });
    await app.readSettings();
    outcome.replaceChildren(notice('good', t.dropped));
  }, outcome);
  const undo = action(t.undo, async () => {
    if (!(await confirm(t.undoAsk, { yes: t.undo }))) return;
    await app.gateway.writeText('rollBack', 'applied', { again: false });
    await app.readSettings();
    outcome.replaceChildren(notice('good', t.undone));
  }, outcome);
  return part(t.backTitle, t.back, el('div', { class: 'row' }, drop, undo), outcome);
}

function resetPart(app) {
  const outcome = el('div');
  const reset = action(t.resetButton, async () => {
    const isSure = await confirm(t.resetAsk, {
      yes: t.resetConfirm, detail: t.resetAsk2, word: t.resetWord, wordLabel: t.resetLabel });
    if (!isSure) return;
    try {
      await app.gateway.writeText('factoryReset', 'erase everything', { again: false });
    } catch (error) {
      // The gateway may be gone before it has answered.
      if (error.kind !== 'lost') throw error;
    }
    app.erased();
  }, outcome, { kind: 'danger' });
  return part(t.resetTitle, t.reset, reset, outcome);
}
