// SPDX-License-Identifier: Apache-2.0

import { countryName } from '../countries.js';
import { button, el, icon, notice } from '../dom.js';
import { action } from '../form.js';
import { wordsOf } from '../gateway.js';
import { objects } from '../lines.js';
import { STEPS } from '../service.js';
import { language, text } from '../strings.js';
import { said } from '../told.js';
import { table } from './facts.js';

const t = text.apply;

/** Seconds that a step may be late before the gateway is asked. */
const GRACE = 10;
/** Which view mends what a step has failed with. */
const MENDS = { check: 'place', country: 'place', associate: 'wifi', address: 'wifi', name: 'broker', connect: 'broker',
  tls: 'broker', broker: 'broker' };
const MENDS_BY_REASON = { 'clock-wrong': 'place', 'no-country': 'place' };

/** What is set, then Apply with each step as the gateway tells it. */
export function view(app) {
  const outcome = el('div', { class: 'outcome' });
  const place = el('div', { class: 'review' });
  const start = action(t.button, async () => {
    const state = await app.gateway.readText('state');
    if (state === 'provisioned' || state === 'unprovisioned') {
      outcome.replaceChildren(notice('info', t.nothing), toSensors(app));
      return;
    }
    await run.begin();
  }, outcome, { kind: 'primary', id: 'apply' });
  const actions = el('div', { class: 'actions' },
    button(text.back, () => app.show('broker'), { kind: 'quiet' }), start);
  // While the gateway is at it, and when all is well, there is nothing to change.
  const run = new ProgressList(app, outcome, (phase) => {
    place.hidden = phase !== 'failed';
    actions.hidden = phase !== 'failed';
    start.textContent = t.buttonAgain;
    start.classList.replace('primary', 'plain');
  });
  draw();

  async function draw() {
    try {
      // The gateway knows best what it has: another phone may have been here.
      await app.readSettings();
    } catch (error) {
      outcome.replaceChildren(notice('error', wordsOf(error)));
      return;
    }
    place.replaceChildren(review(app));
    if (app.facts.state === 'applying') await run.follow();
  }

  return {
    leave: () => run.leave(),
    node: el('section', {}, el('h1', {}, t.title), el('p', { class: 'lead' }, t.lead), outcome, place, actions),
  };
}

function review(app) {
  const { name, country, wifi = {}, broker = {}, authority = {} } = app.settings;
  const r = t.rows;
  const change = (view, what) => button(t.change, () => app.show(view, { returnTo: 'apply' }), {
    kind: 'link', 'aria-label': t.changeWhat(what) });
  const password = ({ password_set: isSet }) => (isSet === undefined ? null
    : el('small', {}, ` · ${t.password(isSet)}`));
  const hasAuthority = authority.state === 'complete' || authority.state === 'in-use';
  return table([
    [r.name, name, change('place', r.name)],
    [r.country, country ? countryName(country, language) : text.none, change('place', r.country)],
    wifi.ssid ? [r.network, wifi.ssid, password(wifi), change('wifi', r.network)]
      : [r.network, t.cable, change('wifi', r.network)],
    [r.broker, broker.host ? `${broker.host}:${broker.port ?? ''}` : text.none, change('broker', r.broker)],
    [r.security, broker.tls
      ? `${t.tls}, ${hasAuthority ? t.ownAuthority : t.publicAuthority}` : t.noTLS, change('broker', r.security)],
    [r.user, broker.username || text.none, password(broker), change('broker', r.user)],
    // An older gateway knows nothing of it.
    [r.assistant, typeof broker.home_assistant === 'boolean' ? t.assistant(broker.home_assistant) : null,
      change('broker', r.assistant)],
  ]);
}

function toSensors(app) {
  return el('div', { class: 'actions' }, button(t.toSensors, () => app.show('sensors'), { kind: 'primary' }));
}

/** The steps of one `apply`, until its last line; a link that is lost in the middle does not end it. */
class ProgressList {
  #app;
  #outcome;
  #phase;
  #rows = new Map();
  #list = null;
  #end = null;
  #failure = null;
  #isOver = true;
  #limit = null;
  #timer = null;
  #linkListener = null;

  /** `phase` is told `running`, `failed` or `done`. */
  constructor(app, outcome, phase) {
    this.#app = app;
    this.#outcome = outcome;
    this.#phase = phase;
  }

  async begin() {
    await this.#watch();
    try {
      await this.#app.gateway.writeText('apply', 'apply', { again: false });
    } catch (error) {
      if (error.kind === 'lost') {
        await this.#ask();
        return;
      }
      this.#finish();
      this.#phase('failed');
      throw error;
    }
  }

  /** Of an `apply` that goes on already. */
  async follow() {
    await this.#watch();
    await this.#ask();
  }

  leave() {
    this.#finish();
    this.#end?.();
  }

  async #watch() {
    this.#rows.clear();
    this.#failure = null;
    this.#isOver = false;
    this.#list = el('ol', { class: 'progress', 'aria-label': t.title });
    this.#outcome.replaceChildren(el('p', { class: 'busy-line' }, t.running), this.#list);
    this.#phase('running');
    this.#app.announce(t.running);
    this.#end ??= await this.#app.gateway.subscribeObjects('apply', (line) => this.#take(line));
    this.#timer = setInterval(() => this.#tick(), 1000);
    this.#linkListener = () => { if (this.#app.link.state === 'up') this.#ask(); };
    this.#app.link.addEventListener('change', this.#linkListener);
  }

  /** After a link that was lost, or too long a silence: the newest line says how far it has come. */
  async #ask() {
    if (this.#isOver) return;
    try {
      const state = await this.#app.gateway.readText('state');
      const newest = objects(await this.#app.gateway.readLines('apply')).at(-1);
      if (this.#isOver) return;
      if (state === 'applying') {
        if (newest) this.#take(newest);
      } else if (newest?.step === 'done' || newest?.step === 'rolled-back') {
        this.#take(newest);
      } else {
        this.#finish();
        this.#phase('failed');
        this.#outcome.replaceChildren(notice('error', t.notBegun));
      }
    } catch {
      // The link is lost again; its return asks again.
    }
  }

  #take(line) {
    if (this.#isOver) return;
    if (line.step === 'done' || line.step === 'rolled-back') {
      this.#finish();
      if (line.step === 'done') this.#succeeded();
      else this.#failed();
      return;
    }
    if (!STEPS.includes(line.step)) return;
    // Steps are told in their order: one that runs ends those before it, whose last line may have been lost.
    if (line.state === 'running') {
      for (const [step, row] of this.#rows) {
        if (step !== line.step && row.state === 'running') this.#mark(step, 'done');
      }
      this.#limit = { step: line.step, until: Number.isFinite(line.limit) ? performance.now() + line.limit * 1000 : null };
    }
    this.#mark(line.step, line.state, line);
    if (line.state === 'failed') {
      this.#failure = line;
      this.#limit = null;
      this.#say(t.rollingBack);
    }
  }

  #mark(step, state, line = {}) {
    let row = this.#rows.get(step);
    if (!row) {
      row = { mark: el('span', { class: 'mark' }), note: el('span', { class: 'note' }), state: null };
      row.node = el('li', {}, row.mark, el('span', { class: 'what' }, t.steps[step]), row.note);
      this.#rows.set(step, row);
      this.#list.append(row.node);
    }
    if (row.state === state) return;
    row.state = state;
    row.node.className = state;
    row.note.textContent = '';
    row.mark.replaceChildren(
      state === 'done' ? icon('check', t.states.done) : state === 'failed' ? icon('cross', t.states.failed)
        : el('span', { class: 'spinner', role: 'img', 'aria-label': t.states.running }));
    this.#app.announce(`${t.steps[step]}: ${t.states[state] ?? state}`);
    if (state === 'failed') row.note.textContent = t.reasons[line.reason] ?? said(line.text) ?? '';
  }

  #tick() {
    if (!this.#limit?.until) return;
    const row = this.#rows.get(this.#limit.step);
    const left = Math.round((this.#limit.until - performance.now()) / 1000);
    if (row?.state !== 'running') return;
    row.note.textContent = left > 0 ? t.remaining(left) : t.late;
    if (left <= -GRACE) {
      this.#limit.until = performance.now();
      this.#ask();
    }
  }

  #say(words) {
    this.#outcome.querySelector('.busy-line')?.replaceChildren(words);
  }

  #finish() {
    this.#isOver = true;
    this.#limit = null;
    clearInterval(this.#timer);
    if (this.#linkListener) this.#app.link.removeEventListener('change', this.#linkListener);
    this.#linkListener = null;
    this.#outcome.querySelector('.busy-line')?.remove();
  }

  #succeeded() {
    for (const [step, row] of this.#rows) if (row.state === 'running') this.#mark(step, 'done');
    const ending = toSensors(this.#app);
    this.#outcome.append(notice('good', el('strong', {}, t.doneTitle), el('p', {}, t.done)), ending);
    this.#app.announce(`${t.doneTitle}. ${t.done}`);
    this.#phase('done');
    ending.querySelector('button').focus();
  }

  #failed() {
    this.#phase('failed');
    const { step, reason } = this.#failure ?? {};
    const words = said(this.#failure?.text);
    const mend = MENDS_BY_REASON[reason] ?? MENDS[step];
    this.#outcome.append(notice('error',
      el('strong', {}, this.#failure ? t.reasons[reason] ?? words ?? reason : t.unknown),
      words && t.reasons[reason] ? el('p', { class: 'hint' }, el('bdi', {}, words)) : null,
      this.#failure ? el('p', {}, t.rolledBack) : null));
    if (mend) {
      const node = button(t.mend[mend], () => this.#app.show(mend, { returnTo: 'apply' }), { kind: 'primary' });
      this.#outcome.append(el('div', { class: 'actions' }, node));
      node.focus();
    }
  }
}
