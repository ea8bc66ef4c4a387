// SPDX-License-Identifier: Apache-2.0

import { Card } from './card.js';
import { arrange, attention, button, el, field, icon, mark, notice, put, show } from './dom.js';
import { age, count, octets } from './format.js';
import { awaitedSensor, ofParts, ofSensor, open, stateOf, worst } from './health.js';
import { text } from './strings.js';

const t = text.overview;
/** Problems that are shown before somebody asks for all of them. */
const FIRST = 4;
/** With more problems than this, the title of each is shown alone, so that values stay above the fold. */
const SHORT = { phone: 1, wide: 2 };
/** From so many sensors on they are a list, unless somebody wants cards. */
const CROWD = 24;
/** States in which values come. */
const PRESENT = new Set(['fresh', 'late', 'elsewhere']);
/** No value can come. States of sensors wait half a minute for a controller that is set up again. */
const NO_RADIO = new Set(['radio-down']);
/** Problems because of which readings do not reach a broker that is connected. */
const HELD_BACK = new Set(['broker-refuses-readings', 'broker-complains', 'not-acknowledged']);
/** Problems because of which readings are not kept. */
const NOT_KEPT = new Set(['disk-full', 'disk-fails']);
const RANKS = { bad: 0, quiet: 1, off: 2, busy: 3, good: 4 };
const ORDERS = {
  trouble: (one, other) => RANKS[one.state] - RANKS[other.state],
  age: (one, other) => (other.age ?? Infinity) - (one.age ?? Infinity) || 0,
  signal: (one, other) => (one.sensor.rssi ?? -200) - (other.sensor.rssi ?? -200),
  name: () => 0,
};

/** Is it working, which sensor is quiet and why, what is stuck, and what did it cost. */
export function overview(app) {
  const cards = new Map();
  const headline = { icon: el('span', { class: 'headline-icon' }), title: el('strong', {}), lead: el('p', {}) };
  const headlineBox = el('div', { class: 'headline busy' }, headline.icon, el('div', {}, headline.title, headline.lead));
  const todo = el('ul', { class: 'todo' });
  const rest = el('ul', { class: 'todo' });
  const more = el('details', { hidden: true }, el('summary', {}), rest);
  const tiles = Object.fromEntries(Object.entries(t.tiles).map(([key, name]) => {
    const value = el('dd', { class: 'tile-value' });
    const note = el('dd', { class: 'tile-note' });
    return [key, { value, note, node: el('div', { class: 'tile' }, el('dt', {}, name), value, note) }];
  }));
  const list = el('div', { id: 'sensors' });
  const rooms = new Map();
  const isBusy = attention(list);
  const isWide = matchMedia('(min-width: 640px)');
  const empty = el('div', { hidden: true });
  const search = field(t.search, el('input', { type: 'search', id: 'sensor-search', placeholder: t.search, autocomplete: 'off', on: { input: () => filter() } }));
  const order = field(t.order, el('select', { id: 'sensor-order', on: { change: () => draw(true) } },
    Object.entries(t.orders).map(([value, name]) => el('option', { value }, name))));
  order.classList.add('whole');
  const dense = el('button', { type: 'button', class: 'button small', 'aria-pressed': 'false', on: { click: () => {
    wantsDense = !isDense();
    draw(true);
  } } }, t.dense);
  const found = el('p', { class: 'hint', role: 'status' });
  const tools = el('div', { class: 'tools' }, search, order, dense);
  let wantsDense = null;
  let arrangedAt = -Infinity;
  let drawn = [];
  let isShort = false;
  const isDense = () => wantsDense ?? cards.size > CROWD;

  function draw(isAsked = false) {
    const { status } = app;
    if (!status) {
      put(headline.title, t.waiting);
      return;
    }
    drawHealth(status);
    drawTiles(status);
    drawSensors(status, isAsked);
  }

  function drawHealth(status) {
    const { problems } = app;
    const isBad = problems.some(({ level }) => level === 'bad');
    const many = open(problems).length;
    const sensors = status.collector?.sensors ?? [];
    const kind = isBad ? 'bad' : many ? 'warn' : sensors.length ? 'good' : 'busy';
    if (!headlineBox.classList.contains(kind) || !headline.icon.firstChild) {
      headlineBox.className = `headline ${kind}`;
      headline.icon.replaceChildren(icon({ bad: 'warning', warn: 'warning', good: 'check', busy: 'info' }[kind]));
    }
    put(headline.title, many ? t.todo(many) : sensors.length ? t.good : t.nothingYet);
    const has = (codes) => (status.problems ?? []).some(({ code }) => codes.has(code));
    const working = has(NO_RADIO) ? 0 : sensors.filter(({ health }) => PRESENT.has(health)).length;
    put(headline.lead, !sensors.length ? t.noSensorsLead : !working ? t.noValues(count(sensors.length))
      : t.lead(count(working), count(sensors.length), status.mqtt?.connected ? status.mqtt.broker : null, !has(HELD_BACK), !has(NOT_KEPT)));
    // A list that is the same stays as it is: somebody may have the focus in it.
    const keys = JSON.stringify(problems.map(({ key, title, words, to }) => [key, title, words, to]));
    if (keys === drawn.keys) return;
    drawn.keys = keys;
    isShort = problems.length > SHORT[isWide.matches ? 'wide' : 'phone'];
    keep(todo, problems.slice(0, FIRST));
    keep(rest, problems.slice(FIRST));
    show(todo, problems.length > 0);
    show(more, problems.length > FIRST);
    put(more.firstChild, t.more(problems.length - FIRST));
  }

  /** Problems in place: the same one keeps its node, and so the focus. */
  function keep(place, problems) {
    const former = new Map([...place.children].map((node) => [node.key, node]));
    arrange(place, problems.map((problem) => {
      const node = former.get(problem.key) ?? todoItem();
      node.put(problem);
      return node;
    }));
  }

  function todoItem() {
    const title = el('strong', {});
    const brief = el('span', { class: 'brief' });
    const words = el('p', {});
    const way = button('', () => app.go(node.to), { kind: 'small' });
    const more = el('details', {}, el('summary', {}, icon('warning'), el('span', { class: 'todo-title' }, title, brief)), el('div', { class: 'todo-more' }, words, way));
    const node = el('li', {}, more);
    let isNew = true;
    node.put = (problem) => {
      Object.assign(node, { key: problem.key, to: problem.to });
      mark(node, 'class', problem.level);
      put(title, problem.title);
      put(brief, problem.brief ?? '');
      mark(brief, 'title', problem.brief);
      put(words, problem.words);
      put(way, problem.to.startsWith('sensor:') ? text.why : t.ways[problem.to]);
      mark(way, 'aria-label', `${way.textContent}: ${problem.title}`);
      // Later it is as the reader has left it.
      if (isNew) more.open = !isShort;
      isNew = false;
    };
    return node;
  }

  function drawTiles(status) {
    const sensors = status.collector?.sensors ?? [];
    const awaited = status.collector?.awaited ?? [];
    const states = sensors.map((sensor) => stateOf(sensor, ofSensor(status, sensor)));
    const many = (state) => states.filter((each) => each === state).length;
    const { mqtt, journal, system } = status;
    // The gateway judges: a tile has the colour of the worst problem of its parts that nobody knows of yet.
    const tile = (key, value, note, problems) => {
      put(tiles[key].value, value);
      put(tiles[key].note, note);
      mark(tiles[key].node, 'class', `tile ${{ bad: 'bad', warn: 'warn' }[worst(problems)] ?? ''}`);
    };
    tile('sensors', t.ofSensors(count(sensors.filter(({ health }) => PRESENT.has(health)).length), count(sensors.length)),
      t.sensorStates(many('busy'), many('off'), many('quiet'), many('bad') + awaited.length, sensors.length),
      ofParts(status, 'sensors'));
    tile('delivery', mqtt?.connected ? t.connected : t.notConnected,
      t.delivery(count(mqtt?.live), count(mqtt?.history), mqtt?.history_mode ?? 'normal'), ofParts(status, 'broker'));
    const waiting = (journal?.buffered ?? 0) + (journal?.waiting ?? 0);
    const dropped = Object.values(journal?.dropped ?? {}).reduce((sum, each) => sum + each, 0);
    tile('waiting', count(waiting), [
      journal?.oldest_age_seconds >= 1 ? t.oldest(age(journal.oldest_age_seconds * 1_000)) : null,
      dropped ? t.dropped(count(dropped)) : t.noneDropped].filter(Boolean).join(' · '), ofParts(status, 'disk'));
    tile('cost', octets(journal?.bytes_written ?? 0), [
      t.sinceStart, system?.disk ? t.free(octets(system.disk.free_bytes)) : null].filter(Boolean).join(' · '), []);
  }

  function drawSensors(status, isAsked) {
    const sensors = status.collector?.sensors ?? [];
    const all = [...(status.collector?.awaited ?? []).map(awaitedSensor), ...sensors];
    const later = app.since('status');
    const known = new Set();
    for (const sensor of all) {
      // An entry and a sensor may have the same name.
      const key = `${sensor.awaited ? 'entry' : 'sensor'} ${sensor.id}`;
      known.add(key);
      let card = cards.get(key);
      if (!card) cards.set(key, card = new Card(app));
      card.show(sensor, later, ofSensor(status, sensor));
    }
    for (const [key, card] of cards) {
      if (known.has(key)) continue;
      card.leave();
      cards.delete(key);
    }
    mark(list, 'class', `${isDense() ? 'dense' : ''}${cards.size > CROWD ? ' crowd' : ''}`);
    mark(dense, 'aria-pressed', isDense());
    const isOther = list.querySelectorAll('li').length !== cards.size || [...cards.values()].some(({ node, room }) => node.parentElement !== rooms.get(room)?.list);
    const now = performance.now();
    if (isAsked || isOther || (now - arrangedAt > 10_000 && !isBusy())) {
      arrangedAt = now;
      const compare = ORDERS[order.input.value];
      const sorted = [...cards.values()].sort((one, other) => compare(one, other) || one.title.localeCompare(other.title, text.language, { numeric: true }));
      arrangeRooms(sorted);
    }
    show(tools, cards.size > 1);
    filter();
  }

  /** The cards by room: rooms by their names, and the cards without a room at the end. */
  function arrangeRooms(sorted) {
    const names = [...new Set(sorted.map(({ room }) => room))]
      .sort((one, other) => (one === '') - (other === '') || one.localeCompare(other, text.language, { numeric: true }));
    for (const name of [...rooms.keys()]) if (!names.includes(name)) rooms.delete(name);
    for (const name of names) {
      if (rooms.has(name)) continue;
      const title = el('h3', {});
      const list = el('ul', { class: 'cards' });
      rooms.set(name, { title, list, node: el('section', { class: 'room' }, title, list) });
    }
    for (const name of names) {
      const { title, list } = rooms.get(name);
      // A house without rooms has one list, and its title is for those alone who do not see it.
      put(title, name || (names.length > 1 ? t.noRoom : t.allSensors));
      mark(title, 'class', name || names.length > 1 ? null : 'hidden');
      const inside = sorted.filter(({ room }) => room === name).map(({ node }) => node);
      arrange(list, inside);
      // Small rooms stand side by side.
      mark(rooms.get(name).node, 'data-many', Math.min(inside.length, 3));
    }
    arrange(list, names.map((name) => rooms.get(name).node));
  }

  function filter() {
    const wanted = search.input.value.trim().toLocaleLowerCase(text.language);
    let many = 0;
    for (const card of cards.values()) {
      const isWanted = wanted === '' || card.words.includes(wanted);
      show(card.node, isWanted);
      if (isWanted) many += 1;
    }
    for (const { node, list } of rooms.values()) show(node, [...list.children].some((child) => !child.hidden));
    put(found, wanted === '' ? '' : t.found(count(many), count(cards.size)));
    const isEmpty = cards.size === 0 && app.status !== null;
    show(empty, isEmpty);
    if (isEmpty && !empty.firstChild) {
      empty.append(el('div', { class: 'empty' }, icon('sensor'), el('h3', {}, t.emptyTitle), el('p', {}, t.empty),
        el('a', { class: 'button primary', href: '#air' }, t.emptyDo)));
    }
  }

  const node = el('div', { class: 'view overview' },
    el('h1', { tabindex: '-1' }, t.title),
    headlineBox, todo, more,
    el('h2', { class: 'hidden' }, t.figures),
    el('dl', { class: 'tiles' }, Object.values(tiles).map((tile) => tile.node)),
    el('div', { class: 'bar-head' }, el('h2', { id: 'sensors-title' }, t.sensors), tools),
    found, list, empty);
  draw(true);
  return {
    node,
    update: (name) => { if (name === 'status') draw(); },
    shown: () => draw(true),
    tick: () => {
      if (!app.status) return;
      const later = app.since('status');
      for (const card of cards.values()) card.tick(later);
    },
  };
}
