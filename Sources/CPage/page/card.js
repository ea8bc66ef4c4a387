// SPDX-License-Identifier: Apache-2.0

import { sparkline, summary } from './chart.js';
import { el, icon, mark, put, show } from './dom.js';
import { age, count, nameOf, reasons, sentence, valueOf, withUnit } from './format.js';
import { ageOf, stateOf, stateWords, titleOf, troubleOf, wantsOf } from './health.js';
import { byInterest } from './quantities.js';
import { text } from './strings.js';

const t = text.card;
const SYMBOLS = { good: 'check', busy: 'clock', quiet: 'clock', bad: 'warning', off: 'cross' };
/** Values on a card; the others are in what opens. */
const VALUES = 4;

/** Which cards are to be seen, so that only their charts are asked for; two at a time. */
const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) target.card.appear(isIntersecting);
}, { rootMargin: '200px' });
const waiting = [];
let loading = 0;

function loadNext() {
  while (loading < 2 && waiting.length) {
    const job = waiting.shift();
    loading += 1;
    job().finally(() => {
      loading -= 1;
      loadNext();
    });
  }
}

/** Fields of the newest values, those that people look for first. */
export function fieldsOf(sensor) {
  return byInterest((sensor.values ?? []).flatMap((value) => {
    if (value.fields) return value.fields.map((each) => ({ ...each, age_ms: value.age_ms, source: value.source, from: value.characteristic }));
    return [{ quantity: value.characteristic, value: value.text ?? value.value, isRaw: true, isText: value.text !== undefined, age_ms: value.age_ms, source: value.source, from: value.characteristic }];
  }));
}

/** Four bars, as strong as the signal. */
export function signal() {
  const node = el('span', { class: 'bars', 'aria-hidden': 'true' }, [1, 2, 3, 4].map((bar) => el('span', { class: `bar bar-${bar}` })));
  return { node, set: (rssi) => mark(node, 'data-strength', Number.isFinite(rssi) ? (rssi > -60 ? 4 : rssi > -72 ? 3 : rssi > -85 ? 2 : 1) : 0) };
}

/** A sensor, or an entry that none has answered to. Its parts are changed in place. */
export class Card {
  title = '';
  words = '';
  state = 'busy';
  age = null;
  room = '';
  sensor = { id: '' };

  #app;
  #name = el('bdi', {});
  #heading = el('h4', {}, this.#name);
  #id = el('bdi', { class: 'card-id' });
  #state = el('span', { class: 'state' }, el('span', { class: 'state-icon' }), el('span', {}));
  #values = Array.from({ length: VALUES }, () => {
    const value = el('bdi', { class: 'value' });
    const name = el('span', { class: 'value-name' });
    return { value, name, node: el('div', { hidden: true }, el('dt', {}, name), el('dd', {}, value)) };
  });
  #valueList = el('dl', { class: 'values' }, this.#values.map(({ node }) => node));
  #more = el('p', { class: 'values-more', hidden: true });
  #none = el('p', { class: 'values-none' });
  #spark = el('button', { type: 'button', class: 'spark-button', hidden: true, on: { click: () => this.#open('chart') } });
  #trouble = el('p', { class: 'trouble', hidden: true }, icon('warning'), el('span', {}));
  #ageText = el('span', {});
  #signal = signal();
  #rssi = el('span', {});
  #air = el('span', { class: 'fact' });
  #readings = el('span', { class: 'fact' });
  #losses = el('span', { class: 'fact losses' });
  #why = el('button', { type: 'button', class: 'button small', on: { click: () => this.#open(null) } }, text.why);
  #isSeen = false;
  #history = null;
  #isAsked = false;

  constructor(app) {
    this.#app = app;
    this.#air.append(this.#signal.node, this.#rssi);
    this.node = el('li', { class: 'card' },
      el('div', { class: 'card-head' }, el('div', { class: 'card-title' }, this.#heading, this.#id), this.#state),
      el('div', { class: 'card-body' }, this.#valueList, this.#more, this.#none),
      this.#spark, this.#trouble,
      el('div', { class: 'card-foot' },
        el('div', { class: 'card-facts' }, el('span', { class: 'fact' }, this.#ageText), this.#air, this.#readings, this.#losses),
        this.#why));
    this.node.card = this;
    seen.observe(this.node);
  }

  /** `problems` are those of the sensor, as the gateway tells them. */
  show(sensor, later, problems) {
    this.sensor = sensor;
    this.title = titleOf(sensor);
    this.room = sensor.room ?? '';
    put(this.#name, this.title);
    // A long name is cut off where many sensors share a narrow screen.
    mark(this.#heading, 'title', this.title);
    put(this.#id, this.title !== sensor.id ? sensor.id : sensor.address ?? '');
    this.words = [this.title, this.room, sensor.name, sensor.id, sensor.address, sensor.family, text.links[sensor.link]].join(' ').toLocaleLowerCase(text.language);
    mark(this.#why, 'aria-label', `${text.why}: ${this.title}`);
    this.#showState(stateOf(sensor, problems));
    this.#showValues();
    const told = sensor.awaited ? null : troubleOf(problems);
    const trouble = sensor.awaited ? wantsOf(sensor.awaited) : told && sentence(told.words);
    mark(this.#trouble, 'class', told?.isKnown ? 'trouble known' : 'trouble');
    show(this.#trouble, trouble !== null);
    put(this.#trouble.lastChild, trouble);
    this.#signal.set(sensor.rssi);
    show(this.#air, Number.isFinite(sensor.rssi));
    put(this.#rssi, Number.isFinite(sensor.rssi) ? `${sensor.rssi} dBm` : '');
    show(this.#readings, sensor.readings > 0);
    put(this.#readings, t.readings(count(sensor.readings), sensor.readings));
    this.#showLosses();
    this.tick(later);
    this.#refresh();
  }

  /** What changes with time alone. */
  tick(later) {
    this.age = ageOf(this.sensor, later);
    put(this.#ageText, this.sensor.link === 'not-seen-yet' ? t.neverSeen : this.age === null ? t.noValue : t.age(age(this.age)));
  }

  appear(isSeen) {
    this.#isSeen = isSeen;
    this.#refresh();
  }

  leave() {
    seen.unobserve(this.node);
    this.node.remove();
  }

  #open(part) {
    this.#app.open(this.sensor.id, part);
  }

  #showState(state) {
    const [symbol, words] = this.#state.children;
    if (state !== this.state || !symbol.firstChild) {
      this.state = state;
      symbol.replaceChildren(icon(SYMBOLS[state]));
      mark(this.node, 'class', `card state-${state}`);
    }
    put(words, stateWords(this.sensor) ?? text.links[this.sensor.link] ?? this.sensor.link);
  }

  #showValues() {
    const fields = fieldsOf(this.sensor);
    this.#values.forEach((place, index) => {
      const field = fields[index];
      show(place.node, field);
      if (!field) return;
      put(place.value, withUnit(field.isRaw ? (field.isText ? field.value : String(field.value).slice(0, 16)) : valueOf(field.value), field.unit));
      put(place.name, field.isRaw ? field.quantity : nameOf(field.quantity));
    });
    show(this.#valueList, fields.length > 0);
    show(this.#more, fields.length > VALUES);
    put(this.#more, t.more(fields.length - VALUES));
    show(this.#none, fields.length === 0 && !this.sensor.awaited);
    put(this.#none, t.nothing);
  }

  #showLosses() {
    const { gap, repeats, refused, drops } = this.sensor;
    const words = [
      gap > 0 ? t.gap(count(gap), gap) : null, repeats > 0 ? t.repeats(count(repeats), repeats) : null,
      drops > 0 ? t.drops(count(drops), drops) : null,
      reasons(refused, (reason) => text.refused[reason] ?? reason) || null].filter(Boolean).join(' · ');
    show(this.#losses, words !== '');
    put(this.#losses, words);
  }

  /** Asks for the last day when the card is to be seen, and again when its newest step has passed. */
  #refresh() {
    if (!this.#isSeen || this.#isAsked || this.sensor.awaited || !this.sensor.readings) return;
    const step = Math.max(60, this.#history?.step_s ?? 300) * 1_000;
    if (this.#history && performance.now() - this.#history.at < step) return;
    this.#isAsked = true;
    const { id } = this.sensor;
    waiting.push(async () => {
      try {
        const history = this.#isSeen ? await this.#app.gateway.get('/api/chart', { sensor: id }) : null;
        if (history) this.#draw(history);
      } catch {
        // A card without its chart says all the rest; it is asked for again after a step.
        this.#history = { ...this.#history, at: performance.now() };
      } finally {
        this.#isAsked = false;
      }
    });
    loadNext();
  }

  #draw(history) {
    this.#history = { ...history, at: performance.now() };
    const [series] = byInterest(history.series ?? []);
    const isDrawn = series?.points?.length > 1;
    show(this.#spark, isDrawn);
    if (!isDrawn) return;
    mark(this.#spark, 'aria-label', t.chart(this.title, summary(series)));
    this.#spark.replaceChildren(sparkline(series, history));
  }
}
