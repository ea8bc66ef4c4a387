// SPDX-License-Identifier: Apache-2.0

// The one stream of events of the gateway, and what is asked of it.

import { learn, learnFindings, said } from './problems.js';
import { text } from './strings.js';

/** Nothing at all for so long, where the status changes every two seconds, is no gateway any more. */
const QUIET = 12_000;
/** A stream that is that quiet is opened anew. */
const DEAD = 30_000;
const EVENTS = ['session', 'status', 'heard', 'log', 'window', 'update', 'progress'];

/** The gateway said no, or did not answer; the message is for people. */
export class Refusal extends Error {}

export const wordsOf = (error) => (error instanceof Refusal ? error.message : text.errors.unexpected(String(error?.message ?? error)));

/**
 * Keeps the newest of each event in `last` and tells of each as an event of the same name with `detail`. `connection` is
 * told when the stream comes or goes: `isUp`, and `since`, when anything came last.
 */
export class Gateway extends EventTarget {
  last = {};
  isUp = false;
  /** By the page's own clock, which nobody sets. */
  heardAt = performance.now();
  /** When each event came last, by the same clock. */
  at = {};

  #source = null;
  #openedAt = 0;
  #retry = 0;

  open() {
    this.#source?.close();
    const source = new EventSource('/events');
    this.#source = source;
    this.#openedAt = performance.now();
    source.addEventListener('error', () => this.#failed(source));
    for (const name of EVENTS) source.addEventListener(name, (event) => this.#received(name, event.data));
  }

  /** Once a second: a stream that neither brings anything nor ends is noticed here. */
  watch() {
    const now = performance.now();
    if (this.isUp && now - this.heardAt > QUIET) this.#setUp(false);
    if (now - Math.max(this.heardAt, this.#openedAt) > DEAD) this.open();
  }

  #received(name, data) {
    let detail;
    try {
      detail = JSON.parse(data);
    } catch {
      return;
    }
    this.heardAt = performance.now();
    this.at[name] = this.heardAt;
    this.last[name] = detail;
    if (name === 'session') learn(detail.commands);
    this.#retry = 0;
    this.#setUp(true);
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  #setUp(isUp) {
    if (this.isUp === isUp) return;
    this.isUp = isUp;
    this.dispatchEvent(new CustomEvent('connection', { detail: isUp }));
  }

  async #failed(source) {
    if (source !== this.#source) return;
    this.#setUp(false);
    this.dispatchEvent(new CustomEvent('connection', { detail: false }));
    // An answer that is no stream closes it for good: that may be a session that has ended. A lost link is tried again by the
    // browser itself.
    if (source.readyState !== EventSource.CLOSED) return;
    try {
      await this.get('/api/settings');
    } catch {
      // Said already; a session that has ended has led to the password.
    }
    this.#retry = Math.min(this.#retry + 1, 5);
    setTimeout(() => { if (source === this.#source) this.open(); }, 1_000 * 2 ** this.#retry);
  }

  get(path, query = {}) {
    const parameters = new URLSearchParams(query).toString();
    return ask(parameters ? `${path}?${parameters}` : path, {});
  }

  /** What the gateway answered in `result`. */
  async post(path, body = {}) {
    const answer = await ask(path, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    if (answer?.ok !== true) throw await refusal(answer?.error, text.errors.noAnswer);
    return answer.result ?? null;
  }
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...options });
  } catch {
    throw new Refusal(text.errors.gone);
  }
  if (response.status === 401) {
    location.assign('/login');
    throw new Refusal(text.errors.signIn);
  }
  let answer = null;
  try {
    answer = await response.json();
  } catch {
    throw new Refusal(text.errors.status(response.status));
  }
  if (!response.ok) throw await refusal(answer?.error, text.errors.status(response.status));
  return answer;
}

/** The gateway's words, which may be about a configuration; `other` where it says nothing. */
async function refusal(words, other) {
  if (typeof words !== 'string') return new Refusal(other);
  await learnFindings();
  return new Refusal(said(words));
}
