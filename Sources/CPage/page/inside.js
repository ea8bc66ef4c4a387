// SPDX-License-Identifier: Apache-2.0

import { el, facts, mark, notice, put, show } from './dom.js';
import { action } from './form.js';
import { age, count, dateAndTime, duration, nameOf, octets, reasons, sentence } from './format.js';
import { ofParts, worst } from './health.js';
import { wordsOf } from './problems.js';
import { text } from './strings.js';

const t = text.inside;

// The operation that brings each mode of the history about.
const OPERATIONS = { normal: '/api/buffer-resume', paused: '/api/buffer-pause', draining: '/api/buffer-drain' };

/** Radio, journal, delivery, clock and machine. */
export function inside(app) {
  const radio = facts(t.radioRows);
  const slots = meter(t.slots);
  const counters = el('tbody', {});
  const counterRows = new Map();
  const journal = facts(t.journalRows);
  const books = balance();
  const drops = el('ul', { class: 'reasons', hidden: true });
  const disk = meter(t.disk);
  const bySensor = el('tbody', {});
  const sensorRows = new Map();
  const delivery = facts(t.deliveryRows);
  const clock = facts(t.clockRows);
  const machine = facts(t.machineRows);
  const late = el('div', {});
  const places = { controller: el('div', {}), broker: el('div', {}), journal: el('div', {}) };
  const mode = el('p', { class: 'mode' });
  const outcome = el('div', { role: 'status' });
  const modes = Object.entries(t.modes).map(([name, label]) => {
    const node = action(label, async () => {
      await app.gateway.post(OPERATIONS[name]);
      return t.modeDone[name];
    }, outcome, { kind: 'small' });
    node.mode = name;
    return node;
  });

  function draw() {
    const { status } = app;
    if (!status) return;
    const { controller, collector, journal: file, mqtt, time, system } = status;
    say(late, ofParts(status, 'service'));
    say(places.controller, ofParts(status, 'radio'));
    const taken = Object.entries(controller?.health?.taken ?? {}).sort();
    say(places.broker, ofParts(status, 'broker'));
    say(places.journal, ofParts(status, 'disk'));
    radio.set({
      name: controller?.name, state: controller?.state === 'powered on' ? t.poweredOn : t.notReady,
      scanning: collector?.scanning ? text.yes : text.no, restarts: taken.length ? taken.map(([step, many]) => t.stepLine(step, count(many))).join(', ') : t.noSteps,
      sensors: count(collector?.sensors?.length ?? 0), unexpected: collector?.unexpected > 0 ? count(collector.unexpected) : null });
    slots.set(controller?.slots?.used, controller?.slots?.limit, t.slotsOf);
    table(counters, counterRows, Object.entries(controller?.counters ?? {}).sort(), ([name]) => nameOf(name), ([, many]) => [count(many)]);
    books.set(file ?? {});
    const lost = Object.entries(file?.dropped ?? {}).filter(([, many]) => many > 0);
    show(drops, lost.length > 0);
    const words = lost.map(([reason, many]) => t.dropLine(count(many), reason, t.dropReasons[reason]));
    if (words.join('\n') !== drops.words) {
      drops.words = words.join('\n');
      drops.replaceChildren(...words.map((line) => el('li', {}, line)));
    }
    journal.set({
      path: file?.path, bytes: octets(file?.bytes ?? 0),
      oldest: Number.isFinite(file?.oldest_age_seconds) ? duration(file.oldest_age_seconds * 1_000) : t.nothingWaits,
      committed: count(file?.committed), written: written(file?.bytes_written, status.uptime_s),
      missing: file?.missing > 0 ? count(file.missing) : null });
    const total = system?.disk?.total_bytes;
    disk.set(total > 0 ? total - system.disk.free_bytes : undefined, total, (used, all) => t.diskOf(octets(all - used), octets(all)));
    table(bySensor, sensorRows, Object.entries(file?.sensors ?? {}).sort(([one], [other]) => one.localeCompare(other)), ([name]) => name,
      ([, entry]) => [count(entry.received), count(entry.delivered), reasons(entry.dropped) || '0', count(entry.missing)]);
    delivery.set({
      broker: mqtt?.broker, state: mqtt?.connected ? t.connected(mqtt.protocol_version) : t.notConnected,
      live: count(mqtt?.live), history: count(mqtt?.history), in_flight: count(mqtt?.in_flight), acknowledged: count(mqtt?.acknowledged),
      suppressed: mqtt?.suppressed > 0 ? count(mqtt.suppressed) : null, reconnects: count(mqtt?.reconnects) });
    put(mode, t.modeIs[mqtt?.history_mode] ?? mqtt?.history_mode);
    for (const each of modes) mark(each, 'aria-pressed', each.mode === mqtt?.history_mode);
    const difference = time ? time.system_unix_ms - (time.unix_ms ?? time.system_unix_ms) : 0;
    clock.set({
      state: t.clockStates[status.clock] ?? status.clock, source: t.clockSources[time?.source] ?? time?.source,
      now: time?.unix_ms ? dateAndTime(time.unix_ms) : null, error: Number.isFinite(time?.error_ms) ? `± ${short(time.error_ms)}` : null,
      age: status.clock === 'holdover' && Number.isFinite(time?.age_s) ? age(time.age_s * 1_000) : null,
      system: Math.abs(difference) >= 100 ? short(difference) : null,
      steps: time?.steps > 0 ? t.steps(count(time.steps), short(time.last_step_ms ?? 0)) : null });
    machine.set({
      version: status.version, gateway: status.gateway, uptime: duration((status.uptime_s ?? 0) * 1_000),
      memory: Number.isFinite(system?.memory?.resident_bytes) ? octets(system.memory.resident_bytes) : null,
      load: Number.isFinite(system?.load) ? system.load.toFixed(2) : null,
      temperature: Number.isFinite(system?.temperature_c) ? `${system.temperature_c.toFixed(0)} °C` : null });
  }

  const node = el('div', { class: 'view' }, el('h1', { tabindex: '-1' }, t.title), el('p', { class: 'lead' }, t.lead), late,
    el('div', { class: 'columns' },
      el('section', { class: 'part' }, el('h2', {}, t.journal), places.journal, books.node, drops, journal.node, disk.node,
        details(t.bySensor, t.bySensorColumns, bySensor)),
      el('section', { class: 'part' }, el('h2', {}, t.delivery), places.broker, delivery.node,
        el('h3', {}, t.history), mode, el('div', { class: 'row', role: 'group', 'aria-label': t.history }, modes), outcome),
      el('section', { class: 'part' }, el('h2', {}, t.radio), places.controller, radio.node, slots.node,
        details(t.counters, t.counterColumns, counters)),
      el('section', { class: 'part' }, el('h2', {}, t.clock), clock.node),
      el('section', { class: 'part' }, el('h2', {}, t.machine), machine.node)));
  return { node, update: (name) => { if (name === 'status') draw(); }, shown: draw };
}

/** A notice of problems, as severe as the worst of them. It changes only with its words and its kind. */
function say(place, problems) {
  const kind = { bad: 'error', warn: 'warning' }[worst(problems)] ?? 'info';
  const words = problems.map((problem) => sentence(wordsOf(problem).text)).join(' · ');
  const wanted = words && `${kind} ${words}`;
  if ((place.dataset.words ?? '') === wanted) return;
  place.dataset.words = wanted;
  const line = wanted ? notice(kind, words) : '';
  // It is in the list of what to do as well, which is where it is announced.
  line?.removeAttribute?.('role');
  place.replaceChildren(line);
}

const short = (milliseconds) => (Math.abs(milliseconds) < 10_000 ? `${Math.round(milliseconds)} ms` : duration(Math.abs(milliseconds)));

/** What was written since the start, and how much that is a day, once that can be told. */
function written(size, uptime) {
  if (!Number.isFinite(size)) return null;
  return uptime > 600 ? t.writtenDaily(octets(size), octets(size / uptime * 86_400)) : octets(size);
}

function meter(name) {
  const words = el('span', {});
  const fill = el('span', { class: 'meter-fill' });
  const node = el('div', { class: 'meter', hidden: true }, el('div', { class: 'meter-head' }, el('span', {}, name), words),
    el('div', { class: 'meter-line', 'aria-hidden': 'true' }, fill));
  return {
    node,
    set: (used, all, wordsOf) => {
      const isKnown = Number.isFinite(used) && all > 0;
      show(node, isKnown);
      if (!isKnown) return;
      put(words, wordsOf(used, all));
      const part = Math.max(0, Math.min(1, used / all));
      fill.style.width = `${(part * 100).toFixed(1)}%`;
      mark(fill, 'class', part > 0.95 ? 'meter-fill full' : 'meter-fill');
    },
  };
}

/** Received = delivered + buffered + not on disk yet + dropped, as a line and in numbers. */
function balance() {
  const parts = Object.fromEntries(Object.keys(t.books).map((key) => [key, {
    bar: el('span', { class: `book-${key}` }), many: el('dd', {}) }]));
  const received = el('strong', {});
  const wrong = el('p', { class: 'problem', hidden: true }, t.doesNotBalance);
  const node = el('div', { class: 'books' }, el('p', { class: 'books-head' }, received, ' ', t.received),
    el('div', { class: 'books-bar', 'aria-hidden': 'true' }, Object.values(parts).map(({ bar }) => bar)),
    el('dl', {}, Object.entries(t.books).map(([key, name]) => el('div', { class: `book-${key}` }, el('dt', {}, name), parts[key].many))), wrong);
  return {
    node,
    set: (file) => {
      const numbers = {
        delivered: file.delivered ?? 0, buffered: file.buffered ?? 0, waiting: file.waiting ?? 0,
        dropped: Object.values(file.dropped ?? {}).reduce((sum, each) => sum + each, 0) };
      put(received, count(file.received));
      for (const [key, { bar, many }] of Object.entries(parts)) {
        bar.style.flexGrow = String(numbers[key]);
        bar.hidden = numbers[key] === 0;
        put(many, count(numbers[key]));
      }
      show(wrong, file.received !== numbers.delivered + numbers.buffered + numbers.waiting + numbers.dropped);
    },
  };
}

/** Rows in place: the first column names the row. */
function table(body, rows, entries, nameOfRow, cellsOf) {
  const known = new Set();
  for (const entry of entries) {
    const name = nameOfRow(entry);
    known.add(name);
    const cells = cellsOf(entry);
    let row = rows.get(name);
    if (!row) {
      row = { cells: cells.map(() => el('td', {})) };
      row.node = el('tr', {}, el('th', { scope: 'row' }, el('bdi', {}, name)), row.cells);
      rows.set(name, row);
      body.append(row.node);
    }
    cells.forEach((words, index) => put(row.cells[index], words));
  }
  for (const [name, row] of rows) {
    if (known.has(name)) continue;
    row.node.remove();
    rows.delete(name);
  }
}

function details(title, columns, body) {
  return el('details', {}, el('summary', {}, title), el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title },
    el('table', { class: 'numbers' }, el('thead', {}, el('tr', {}, columns.map((name) => el('th', { scope: 'col' }, name)))), body)));
}
