// SPDX-License-Identifier: Apache-2.0

import { button, el, icon, notice } from './dom.js';
import { Gateway } from './gateway.js';
import { Link } from './gatt.js';
import { missing } from './platform.js';
import { language, text } from './strings.js';
import * as apply from './views/apply.js';
import * as broker from './views/broker.js';
import * as find from './views/find.js';
import * as more from './views/more.js';
import * as pair from './views/pair.js';
import * as place from './views/place.js';
import * as sensors from './views/sensors.js';
import * as status from './views/status.js';
import * as unsupported from './views/unsupported.js';
import * as wifi from './views/wifi.js';

const VIEWS = { find, pair, place, wifi, broker, apply, sensors, status, more, unsupported };
const STEPS = ['find', 'pair', 'place', 'wifi', 'broker', 'apply', 'sensors'];
const TABS = { setup: 'place', sensors: 'sensors', status: 'status', more: 'more' };

/** What the views share: the link, what the gateway has said, and the way from one view to the next. */
class App {
  link = null;
  gateway = null;
  /** What is open to everybody: name, model, state, next. */
  facts = {};
  /** What was read of the settings: name, country, wifi, broker, authority, time. */
  settings = {};
  /** What this browser lacks; nil when nothing does. */
  lack = null;
  /** The newest line of `Status`. */
  status = null;

  #view = null;
  #leave = null;
  #reached = 0;
  #isPaired = false;

  async start() {
    document.documentElement.lang = language;
    document.title = text.title;
    document.getElementById('skip').textContent = text.skip;
    this.#drawTop();
    this.lack = await missing();
    if (this.lack?.isAdapter) this.#waitForAdapter();
    this.show(this.lack?.isFatal ? 'unsupported' : 'find', { isFirst: true });
  }

  /** Goes to a view; the focus goes to its heading, so that screen readers begin there. */
  show(name, { isFirst = false, ...options } = {}) {
    this.#leave?.();
    this.announce('');
    this.#view = name;
    this.#reached = Math.max(this.#reached, STEPS.indexOf(name));
    const { node, leave = null } = VIEWS[name].view(this, options);
    this.#leave = leave;
    const main = document.getElementById('main');
    main.replaceChildren(el('div', { class: `view view-${name}` }, node));
    main.querySelector('h1')?.setAttribute('tabindex', '-1');
    this.#drawTop();
    this.#drawSide();
    if (isFirst) return;
    window.scrollTo(0, 0);
    main.querySelector('h1')?.focus({ preventScroll: true });
  }

  /** The step after one of the way through the settings, or where somebody has come from to mend something. */
  showNext(step, returnTo = null) {
    this.show(returnTo ?? STEPS[STEPS.indexOf(step) + 1]);
  }

  /** Says something to people who do not see the page. */
  announce(words) {
    document.getElementById('live').textContent = words;
  }

  async connect(device) {
    this.link = new Link(device);
    this.gateway = new Gateway(this.link);
    this.link.addEventListener('change', () => this.#linkChanged());
    this.link.addEventListener('unpaired', () => this.show('pair', { problem: text.errors.unpaired }));
    await this.link.connect();
    await this.readFacts();
  }

  async readFacts() {
    for (const item of ['version', 'model', 'name', 'state', 'next']) {
      this.facts[item] = await this.gateway.readText(item);
    }
  }

  /** After pairing: everything that the views begin with. */
  async readSettings() {
    for (const item of ['time', 'wifi', 'broker', 'authority']) {
      this.settings[item] = await this.gateway.readObject(item);
    }
    this.settings.country = await this.gateway.readText('country');
    this.settings.name = this.facts.name = await this.gateway.readText('name');
    this.facts.state = await this.gateway.readText('state');
  }

  async paired() {
    await this.readSettings();
    this.#isPaired = true;
    this.status = objectOf(await this.gateway.readText('status'));
    await this.gateway.subscribeObjects('status', (line) => {
      this.status = line;
      this.facts.state = line.state ?? this.facts.state;
      document.dispatchEvent(new CustomEvent('gateway-status'));
    });
    this.show({ provisioned: 'status', applying: 'apply' }[this.facts.state] ?? 'place');
  }

  /** Everything from the beginning, with another gateway perhaps. */
  restart() {
    this.link?.disconnect();
    Object.assign(this, { link: null, gateway: null, facts: {}, settings: {}, status: null });
    this.#isPaired = false;
    this.#reached = 0;
    this.show('find');
  }

  /** After a factory reset this phone is a stranger. */
  erased() {
    this.restart();
    document.getElementById('main').querySelector('h1').after(
      notice('good', el('strong', {}, text.more.resetDone), el('p', {}, text.more.resetDoneDo)));
    this.announce(`${text.more.resetDone}. ${text.more.resetDoneDo}`);
  }

  #waitForAdapter() {
    navigator.bluetooth.addEventListener?.('availabilitychanged', async () => {
      this.lack = await missing();
      if (this.#view === 'unsupported' && !this.lack?.isFatal) this.show('find');
    });
  }

  #linkChanged() {
    const { state } = this.link ?? {};
    this.#drawTop();
    if (state === 'lost') this.announce(text.link.lost);
    if (state === 'up' && this.#isPaired) this.announce(text.link.restored);
    const banner = document.getElementById('link-banner');
    if (state === 'lost' && !banner) {
      document.getElementById('main').prepend(el('div', { id: 'link-banner' },
        notice('warning', el('strong', {}, text.link.lostTitle), ' ', text.link.lost2)));
    } else if (state === 'gone') {
      banner?.remove();
      document.getElementById('main').prepend(el('div', { id: 'link-banner' },
        notice('error', el('strong', {}, text.link.goneTitle), ' ', text.link.gone2,
          button(text.link.begin, () => this.restart()))));
    } else if (state !== 'lost') {
      banner?.remove();
    }
  }

  #drawTop() {
    const state = this.link?.state ?? 'down';
    const words = text.link[state];
    document.getElementById('top').replaceChildren(
      el('span', { class: 'brand' }, el('img', { src: 'martlet.svg', alt: '', width: 32, height: 32 }), text.brand),
      el('span', { class: `chip ${state}` }, el('span', { class: 'dot' }),
        typeof words === 'function' ? words(this.facts.name || this.link.deviceName || text.find.unnamed) : words));
  }

  #drawSide() {
    const here = STEPS.indexOf(this.#view);
    const tab = Object.keys(TABS).find((name) => TABS[name] === this.#view) ?? 'setup';
    document.getElementById('side').replaceChildren(
      here < 0 || this.#view === 'unsupported' ? '' : this.#stepList(here),
      this.#isPaired ? this.#tabList(tab) : '');
    document.body.classList.toggle('with-tabs', this.#isPaired);
  }

  #stepList(here) {
    return el('nav', { class: 'steps', 'aria-label': text.steps.label },
      el('p', { class: 'steps-now' },
        text.steps.of(here + 1, STEPS.length, text.steps[STEPS[here]])),
      el('ol', {}, STEPS.map((step, index) => {
        const isDone = index < here || (index <= this.#reached && index !== here);
        // The beginning of the way is behind whoever has paired.
        const canGo = this.#isPaired && index > 1 && index <= this.#reached && index !== here;
        const label = [
          el('span', { class: 'step-mark' }, isDone ? icon('check', text.steps.done) : String(index + 1)),
          el('span', { class: 'step-name' }, text.steps[step])];
        return el('li', { class: index === here ? 'now' : isDone ? 'past' : '',
          'aria-current': index === here ? 'step' : false },
        canGo ? el('button', { type: 'button', on: { click: () => this.show(step) } }, label)
          : el('span', {}, label));
      })));
  }

  #tabList(current) {
    const symbols = { setup: 'wifi', sensors: 'sensor', status: 'check', more: 'info' };
    return el('nav', { class: 'tabs', 'aria-label': text.tabs.label },
      Object.entries(TABS).map(([tab, view]) => el('button', {
        type: 'button', 'aria-current': tab === current ? 'page' : false, on: { click: () => this.show(view) } },
      icon(symbols[tab]), el('span', {}, text.tabs[tab]))));
  }
}

function objectOf(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

new App().start();
