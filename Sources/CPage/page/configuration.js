// SPDX-License-Identifier: Apache-2.0

import { button, el, field, mark, notice, put, save, show } from './dom.js';
import { action } from './form.js';
import { shortPath } from './format.js';
import { wordsOf } from './gateway.js';
import { learnFindings, said } from './problems.js';
import { text } from './strings.js';

const t = text.configuration;
// Of a list that drops down, in pixels, with some room.
const ARROW = 24;

/** The files of the configuration, and whether an edited one would be good. The gateway never writes them. */
export function configuration(app) {
  const state = el('div', {}, el('p', { class: 'busy-line' }, text.wait));
  const file = field(t.file, el('select', { id: 'file', on: { change: () => choose() } }));
  const whole = el('p', { class: 'hint' });
  const content = field(t.text, el('textarea', {
    id: 'configuration', rows: 16, wrap: 'off', spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off' }), t.hint);
  const outcome = el('div', { role: 'status' });
  const problems = el('ol', { class: 'problems', hidden: true });
  const body = el('div', { hidden: true }, file, whole, content,
    el('div', { class: 'row' },
      action(t.check, check, outcome, { kind: 'small' }),
      action(t.copy, copy, outcome, { kind: 'small' }),
      button(t.save, () => save((chosen()?.path ?? 'martlet.toml').split('/').at(-1), content.input.value), { kind: 'small' }),
      action(t.again, async () => {
        outcome.replaceChildren();
        problems.replaceChildren();
        await load();
        return t.loaded;
      }, outcome, { kind: 'small' })),
    outcome, problems);
  let files = [];
  let isLoaded = false;

  const chosen = () => files[file.input.selectedIndex];

  /** Paths in the list are as long as there is room; the whole path of the chosen file is below. */
  function fit() {
    const style = getComputedStyle(file.input);
    const room = file.input.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight) - ARROW;
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    // A list that is not to be seen has no room yet.
    const fits = (words) => file.input.clientWidth === 0 || pen.measureText(words).width <= room;
    for (const option of file.input.options) put(option, shortPath(option.value, fits));
    const path = chosen()?.path ?? '';
    mark(file.input, 'title', path || null);
    put(whole, file.input.selectedOptions[0]?.textContent === path ? '' : path);
  }

  function choose() {
    fit();
    content.input.value = chosen()?.text ?? '';
    outcome.replaceChildren(chosen()?.problem ? notice('warning', said(chosen().problem)) : '');
    list([]);
  }

  async function load() {
    try {
      const answer = await app.gateway.get('/api/configuration');
      files = answer.files ?? [];
      if (answer.warnings?.length || files.some(({ problem }) => problem)) await learnFindings();
      isLoaded = true;
      const former = file.input.value;
      file.input.replaceChildren(...files.map(({ path }) => el('option', { value: path }, path)));
      if (files.some(({ path }) => path === former)) file.input.value = former;
      state.replaceChildren(...(answer.warnings ?? []).map((words) => notice('warning', said(words))),
        files.length ? '' : el('p', { class: 'hint' }, t.none));
      show(body, files.length > 0);
      choose();
    } catch (error) {
      state.replaceChildren(notice('error', wordsOf(error)));
    }
  }

  async function check() {
    const result = await app.gateway.post('/api/check-config', { path: chosen()?.path ?? '', text: content.input.value });
    const found = result?.problems ?? [];
    if (found.length || result?.warnings?.length) await learnFindings();
    list(found);
    const warnings = (result?.warnings ?? []).map((words) => notice('warning', said(words)));
    outcome.replaceChildren(...warnings, found.length ? notice('warning', t.found(found.length)) : notice('good', t.good));
    return null;
  }

  function list(found) {
    problems.replaceChildren(...found.map(({ line, message }) => el('li', {},
      Number.isFinite(line) ? button(t.line(line), () => goTo(line), { kind: 'small' }) : null, el('span', {}, said(message)))));
    show(problems, found.length > 0);
  }

  /** Selects a line of the text. */
  function goTo(line) {
    const lines = content.input.value.split('\n');
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    content.input.focus();
    content.input.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
    const height = Number.parseFloat(getComputedStyle(content.input).lineHeight) || 20;
    content.input.scrollTop = Math.max(0, (line - 4) * height);
  }

  /** By the browser's own means where it lets pages of http: do that, else by a selection. */
  async function copy() {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(content.input.value);
      return t.copied;
    }
    content.input.select();
    return t.selected;
  }

  new ResizeObserver(fit).observe(file.input);

  return {
    node: el('section', { class: 'part' }, el('h2', {}, t.title), el('p', { class: 'hint' }, t.lead), state, body),
    shown: () => { if (!isLoaded) load(); },
  };
}
