// SPDX-License-Identifier: Apache-2.0

import { el, field, put, show } from './dom.js';
import { count } from './format.js';
import { command } from './problems.js';
import { text } from './strings.js';

const t = text.log;
/** Lines that are kept; older ones go. */
const KEPT = 1_000;
const LEVELS = ['trace', 'debug', 'info', 'notice', 'warning', 'error', 'critical'];
/** As syslog counts, from `<0>` on. */
const PRIORITIES = ['critical', 'critical', 'critical', 'error', 'warning', 'notice', 'info', 'debug'];

/** The level of a line: `<4>` at its beginning, or a word before its message. A line without one is of the level info. */
function levelOf(line) {
  const number = /^<([0-7])>/.exec(line);
  if (number) return PRIORITIES[Number(number[1])];
  return /^(?:\S+\s+){0,5}?(trace|debug|info|notice|warning|error|critical)\s/.exec(line)?.[1] ?? 'info';
}

/** The log of the gateway, as it grows. */
export function log(app) {
  const lines = [];
  const list = el('ol', { class: 'log', id: 'log-lines', tabindex: '0', 'aria-label': t.title });
  const level = field(t.level, el('select', { id: 'log-level', on: { change: () => filterAll() } },
    Object.entries(t.levels).map(([value, name]) => el('option', { value }, name))));
  const search = field(t.search, el('input', { type: 'search', id: 'log-search', autocomplete: 'off', on: { input: () => filterAll() } }));
  const follow = field(t.follow, el('input', { type: 'checkbox', id: 'log-follow', checked: true, on: { change: () => toEnd() } }));
  const summary = el('p', { class: 'hint', role: 'status' });
  const empty = el('p', { class: 'empty', hidden: true }, t.empty);
  let wanted = '';
  let least = 0;
  let shown = 0;
  level.input.value = 'trace';

  const isWanted = (line) => LEVELS.indexOf(line.level) >= least && (wanted === '' || line.words.includes(wanted));

  function append(texts) {
    const fresh = texts.filter((each) => typeof each === 'string').slice(-KEPT).map((words) => {
      const kind = levelOf(words);
      const line = { level: kind, words: words.toLocaleLowerCase(text.language) };
      line.node = el('li', { class: kind }, words.replace(/^<[0-7]>/, `${kind}: `));
      line.isShown = isWanted(line);
      line.node.hidden = !line.isShown;
      if (line.isShown) shown += 1;
      return line;
    });
    lines.push(...fresh);
    list.append(...fresh.map(({ node }) => node));
    for (const old of lines.splice(0, Math.max(0, lines.length - KEPT))) {
      old.node.remove();
      if (old.isShown) shown -= 1;
    }
    told();
    toEnd();
  }

  function filterAll() {
    wanted = search.input.value.trim().toLocaleLowerCase(text.language);
    least = LEVELS.indexOf(level.input.value);
    shown = 0;
    for (const line of lines) {
      line.isShown = isWanted(line);
      show(line.node, line.isShown);
      if (line.isShown) shown += 1;
    }
    told();
    toEnd();
  }

  function told() {
    // Counted aloud only while somebody looks for something.
    const isFiltered = wanted !== '' || least > 0;
    put(summary, isFiltered ? t.filtered(count(shown), count(lines.length)) : '');
    show(empty, shown === 0);
    put(empty, lines.length ? t.nothing : t.empty);
  }

  function toEnd() {
    if (follow.input.checked && list.isConnected) list.scrollTop = list.scrollHeight;
  }

  const lead = el('p', { class: 'lead' }, t.lead(null));

  // Who scrolls up wants to read: the log stays where it is until its end is reached again.
  list.addEventListener('scroll', () => {
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 24;
    if (!isAtEnd && list.matches(':hover, :focus')) follow.input.checked = false;
  });
  // After the stream has come back the newest lines come again.
  let isNew = true;
  app.gateway.addEventListener('connection', ({ detail }) => { if (!detail) isNew = true; });

  return {
    node: el('div', { class: 'view' }, el('h1', { tabindex: '-1' }, t.pageTitle), lead,
      el('div', { class: 'tools' }, search, level, follow), summary, list, empty,
      el('div', { class: 'row' }, el('a', { class: 'button', href: '/api/support-text', download: 'martlet-support.txt' }, t.support)),
      el('p', { class: 'hint' }, t.supportHint)),
    update: (name) => { if (name === 'session') put(lead, t.lead(command('machine log'))); },
    received: () => {
      if (isNew) {
        isNew = false;
        lines.splice(0).forEach(({ node }) => node.remove());
        shown = 0;
      }
      append(app.gateway.last.log?.lines ?? []);
    },
    shown: toEnd,
  };
}
