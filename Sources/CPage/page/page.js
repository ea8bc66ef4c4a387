// SPDX-License-Identifier: Apache-2.0

import { air } from './air.js';
import { button, el, icon, mark, notice, put, show } from './dom.js';
import { age } from './format.js';
import { Gateway } from './gateway.js';
import { open, problems } from './health.js';
import { inside } from './inside.js';
import { log } from './log.js';
import { overview } from './overview.js';
import { setup } from './setup.js';
import { openSheet } from './sheet.js';
import { text } from './strings.js';

/** What is heard of the health is said to people who do not see it, but not each time that a link comes and goes. */
const SETTLES = 4_000;
const THEMES = ['system', 'light', 'dark'];

/** What the views share. A view has a `node`; `update(name)` when an event came, `shown()`, and `tick()` each second. */
class App {
  gateway = new Gateway();
  /** The gateway's problems, of the newest status. */
  problems = [];

  #views = {};
  #makers = { overview, air, inside, log, setup };
  #current = null;
  #tabs = {};
  #chip = el('span', { class: 'chip', id: 'connection' }, el('span', { class: 'dot' }), el('span', {}, text.connection.waiting));
  #name = el('bdi', {}, text.brand);
  #signOut = el('form', { method: 'post', action: '/logout', hidden: true }, el('button', { type: 'submit', class: 'button small quiet' }, text.signOut));
  #badge = el('span', { class: 'badge', hidden: true });
  #said = '';
  #saying = null;
  #hasSaid = false;
  #version = null;

  start() {
    document.documentElement.lang = text.language;
    const skip = put(document.getElementById('skip'), text.skip);
    skip.addEventListener('click', (event) => {
      // What is behind the # is the view; it stays.
      event.preventDefault();
      document.getElementById('main').focus();
    });
    this.#drawTop();
    this.#drawTabs();
    document.getElementById('main').replaceChildren(el('div', { id: 'banner' }), el('div', { id: 'view' }));
    this.gateway.addEventListener('connection', () => this.#drawConnection());
    for (const name of ['session', 'status', 'heard', 'log', 'window', 'update']) {
      this.gateway.addEventListener(name, () => this.#received(name));
    }
    this.#views.log = this.#makers.log(this);
    this.gateway.open();
    setInterval(() => {
      this.gateway.watch();
      this.#drawConnection();
      this.#views[this.#current]?.tick?.();
      this.sheet?.tick();
    }, 1_000);
    addEventListener('hashchange', () => this.#route(true));
    this.#route(false);
  }

  /** Milliseconds since an event came. */
  since(name) {
    return performance.now() - (this.gateway.at[name] ?? performance.now());
  }

  get status() {
    return this.gateway.last.status ?? null;
  }

  /** Says something to people who do not see the page. */
  announce(words) {
    const live = document.getElementById('live');
    // The same words twice would not be read again.
    live.textContent = '';
    setTimeout(() => { live.textContent = words; }, 50);
  }

  /** Goes to a view, or opens what is known of a sensor. */
  go(to) {
    if (to.startsWith('sensor:')) this.open(to.slice(7));
    else if (to === 'sensors') document.getElementById('sensors-title')?.scrollIntoView();
    else location.hash = to;
  }

  open(id, part = null) {
    this.sheet = openSheet(this, id, part, () => { this.sheet = null; });
  }

  #route(isAsked) {
    const wanted = location.hash.slice(1);
    const name = Object.hasOwn(this.#makers, wanted) ? wanted : this.#current ?? 'overview';
    if (name === this.#current) return;
    this.#current = name;
    this.#views[name] ??= this.#makers[name](this);
    const view = this.#views[name];
    document.getElementById('view').replaceChildren(view.node);
    for (const [tab, node] of Object.entries(this.#tabs)) mark(node, 'aria-current', tab === name ? 'page' : null);
    view.shown?.();
    this.#drawTitle();
    if (!isAsked) return;
    scrollTo(0, 0);
    view.node.querySelector('h1')?.focus({ preventScroll: true });
  }

  #received(name) {
    if (name === 'status') {
      this.problems = problems(this.status);
      this.#tellHealth();
    }
    if (name === 'session') this.#lookAtVersion();
    if (name === 'session' || name === 'status') this.#drawTitle();
    if (name === 'log') this.#views.log.received();
    this.#views[this.#current]?.update?.(name);
    if (name === 'status') this.sheet?.update();
  }

  #tellHealth() {
    const list = open(this.problems);
    const { length } = list;
    show(this.#badge, length > 0);
    put(this.#badge, String(length));
    mark(this.#badge, 'aria-label', text.health.badge(length));
    const keys = list.map(({ key }) => key).join('\n');
    if (keys === this.#said) return;
    clearTimeout(this.#saying);
    this.#saying = setTimeout(() => {
      // What is there when the page opens is in the page; only what becomes of it is said.
      if (this.#said !== '' || keys !== '') {
        if (this.#hasSaid) this.announce(length ? text.health.said(length, list[0].title) : text.health.good);
      }
      this.#said = keys;
      this.#hasSaid = true;
    }, SETTLES);
  }

  /** After an update the gateway may speak of what this page does not know. */
  #lookAtVersion() {
    const { version } = this.gateway.last.session;
    this.#version ??= version;
    if (version === this.#version) return;
    this.#version = version;
    document.getElementById('view').before(notice('info', text.connection.newVersion(version), ' ',
      button(text.connection.reload, () => location.reload(), { kind: 'small' })));
  }

  #drawTitle() {
    const { session } = this.gateway.last;
    const name = session?.name || session?.gateway || this.status?.gateway || text.brand;
    put(this.#name, name);
    show(this.#signOut, session?.password);
    const many = open(this.problems).length;
    const title = `${many ? `(${many}) ` : ''}${text.tabs[this.#current] ?? ''} · ${name}`;
    if (document.title !== title) document.title = title;
  }

  #drawConnection() {
    const { isUp, heardAt } = this.gateway;
    const hasHeard = this.status !== null;
    const ago = age(performance.now() - heardAt);
    const words = isUp ? text.connection.live : hasHeard ? text.connection.lost(ago) : text.connection.waiting;
    put(this.#chip.lastChild, words);
    mark(this.#chip, 'class', `chip ${isUp ? 'up' : 'lost'}`);
    const banner = document.getElementById('banner');
    if (isUp || (!hasHeard && performance.now() < 5_000)) {
      if (banner.childElementCount) {
        banner.replaceChildren();
        this.announce(text.connection.back);
      }
      document.body.classList.remove('stale');
      return;
    }
    if (!banner.childElementCount) {
      banner.append(notice('warning', el('strong', {}, text.connection.goneTitle), ' ', el('span', {})));
      document.body.classList.toggle('stale', hasHeard);
      this.announce(`${text.connection.goneTitle} ${text.connection.goneDo}`);
    }
    put(banner.querySelector('span'), hasHeard ? text.connection.gone(ago) : text.connection.goneDo);
  }

  #drawTop() {
    const theme = button('', () => {
      const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme ?? 'system') + 1) % THEMES.length];
      if (next === 'system') delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = next;
      try {
        localStorage.setItem('martlet-theme', next);
      } catch {
        // A browser that keeps nothing forgets it with the page.
      }
      draw();
    }, { kind: 'small quiet', id: 'theme' });
    const draw = () => {
      const now = document.documentElement.dataset.theme ?? 'system';
      theme.replaceChildren(icon(now), el('span', { class: 'wide-only' }, text.themes[now]));
      theme.setAttribute('aria-label', text.theme(text.themes[now]));
    };
    draw();
    document.getElementById('top').append(
      el('a', { class: 'brand', href: '#overview' }, el('img', { src: '/icon.svg', alt: '', width: 32, height: 32 }), this.#name),
      el('div', { class: 'top-end' }, this.#chip, theme, this.#signOut));
  }

  #drawTabs() {
    const symbols = { overview: 'check', air: 'air', inside: 'inside', log: 'log', setup: 'setup' };
    for (const name of Object.keys(this.#makers)) {
      this.#tabs[name] = el('a', { href: `#${name}` }, icon(symbols[name]), el('span', {}, text.tabs[name]),
        name === 'overview' ? this.#badge : null);
    }
    const tabs = document.getElementById('tabs');
    tabs.append(...Object.values(this.#tabs));
    tabs.setAttribute('aria-label', text.tabs.label);
    tabs.hidden = false;
  }
}

new App().start();
