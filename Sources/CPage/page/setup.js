// SPDX-License-Identifier: Apache-2.0

import { configuration } from './configuration.js';
import { el, field, mark, notice, put, secretField, show } from './dom.js';
import { action, confirm, form } from './form.js';
import { dateAndTime } from './format.js';
import { wordsOf } from './gateway.js';
import { command, said } from './problems.js';
import { text } from './strings.js';

const t = text.setup;

/** Broker and name, the files of the configuration, bonds, phones, updates, restart. */
export function setup(app) {
  const parts = [settings(app), configuration(app), bonds(app), phones(app), updates(app), ending(app)];
  return {
    node: el('div', { class: 'view' }, el('h1', { tabindex: '-1' }, t.title), el('p', { class: 'lead' }, t.lead), parts.map(({ node }) => node)),
    update: (name) => parts.forEach((part) => part.update?.(name)),
    shown: () => parts.forEach((part) => part.shown?.()),
  };
}

function settings(app) {
  const s = t.settings;
  const plain = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' };
  const name = field(s.name, el('input', { type: 'text', id: 'name', maxlength: 32, autocomplete: 'off' }), s.nameHint);
  const host = field(s.host, el('input', { type: 'text', id: 'host', inputmode: 'url', maxlength: 255, ...plain }), s.hostHint);
  const port = field(s.port, el('input', { type: 'text', id: 'port', inputmode: 'numeric', maxlength: 5, ...plain }));
  const tls = field(s.tls, el('input', { type: 'checkbox', id: 'tls' }));
  const user = field(s.user, el('input', { type: 'text', id: 'username', maxlength: 255, ...plain }), s.userHint);
  const password = secretField(s.password, { hint: s.passwordHint, showText: text.show, hideText: text.hide, id: 'broker-password', maxlength: 255 });
  const assistant = field(s.homeAssistant, el('input', { type: 'checkbox', id: 'home-assistant' }), s.homeAssistantHint);
  const state = el('div', {});
  let former = null;
  let isAsked = false;

  /** What is another than what holds. */
  function changes() {
    const wanted = {};
    const note = (key, value) => { if (value !== (former?.[key] ?? '')) wanted[key] = value; };
    note('name', name.input.value.trim());
    note('host', host.input.value.trim());
    note('username', user.input.value.trim());
    if (port.input.value.trim() !== String(former?.port ?? '')) wanted.port = Number(port.input.value);
    if (tls.input.checked !== Boolean(former?.uses_tls)) wanted.uses_tls = tls.input.checked;
    if (assistant.input.checked !== Boolean(former?.home_assistant)) wanted.home_assistant = assistant.input.checked;
    if (password.input.value !== '') wanted.password = password.input.value;
    return wanted;
  }

  function isGood() {
    host.fail(host.input.value.trim() === '' ? s.hostProblem : null);
    const number = port.input.value.trim();
    port.fail(/^\d+$/.test(number) && Number(number) > 0 && Number(number) < 65_536 ? null : s.portProblem);
    return !body.querySelector('[aria-invalid]');
  }

  async function send(path) {
    if (!isGood()) {
      body.querySelector('[aria-invalid]').focus();
      return false;
    }
    const wanted = changes();
    if (Object.keys(wanted).length === 0) return s.nothing;
    const result = await app.gateway.post(path, wanted);
    if (path.endsWith('check')) return s.wouldBe[result?.effect] ?? s.good;
    password.take();
    await load(true);
    return s.done[result?.effect] ?? s.applied;
  }

  const outcome = el('div', { role: 'status' });
  let isApplying = false;
  app.gateway.addEventListener('progress', ({ detail }) => {
    if (!isApplying || detail.operation !== 'settings-apply') return;
    outcome.replaceChildren(el('p', { class: 'busy-line' }, s.steps[detail.step] ?? detail.step));
  });

  async function apply() {
    outcome.replaceChildren();
    isApplying = true;
    try {
      return await send('/api/settings-apply');
    } finally {
      isApplying = false;
      outcome.replaceChildren();
    }
  }

  const check = action(s.check, () => send('/api/settings-check'), outcome, { kind: 'plain' });
  const undo = action(s.undo, async () => {
    if (!await confirm(s.undoTitle, { yes: s.undoYes, detail: s.undoDetail })) return null;
    await app.gateway.post('/api/settings-undo');
    await load(true);
    return s.undone;
  }, outcome, { kind: 'quiet', hidden: true });
  const body = form({ submit: s.apply, busyText: s.applying, others: [undo, check], onSubmit: apply }, el('div', { class: 'pair' }, name), el('div', { class: 'pair' }, host, port), tls, el('div', { class: 'pair' }, user, password), assistant, outcome);

  async function load(isForced = false) {
    if (isAsked || (!isForced && former && Object.keys(changes()).length > 0)) return;
    isAsked = true;
    try {
      former = await app.gateway.get('/api/settings');
      name.input.value = former.name ?? '';
      host.input.value = former.host ?? '';
      port.input.value = former.port ?? '';
      user.input.value = former.username ?? '';
      tls.input.checked = Boolean(former.uses_tls);
      assistant.input.checked = Boolean(former.home_assistant);
      put(password.querySelector('.hint'), former.has_password ? s.passwordKept : s.passwordHint);
      show(undo, former.can_undo);
      state.replaceChildren(former.is_provisioned === false ? notice('info', s.notProvisioned) : '');
    } catch (error) {
      state.replaceChildren(notice('error', wordsOf(error)));
    } finally {
      isAsked = false;
    }
  }

  return { node: part(s.title, s.lead, state, body), shown: load };
}

function bonds(app) {
  const b = t.bonds;
  const place = el('div', {}, el('p', { class: 'busy-line' }, text.wait));
  const outcome = el('div', { role: 'status' });

  async function load() {
    try {
      const list = await app.gateway.get('/api/bonds');
      const problems = (list.problems ?? []).map((words) => notice('warning', said(words)));
      if (!list.bonds?.length) {
        place.replaceChildren(...problems, el('p', { class: 'hint' }, b.none));
        return;
      }
      place.replaceChildren(...problems, el('ul', { class: 'plain-rows' }, list.bonds.map(row)));
    } catch (error) {
      place.replaceChildren(notice('error', wordsOf(error)));
    }
  }

  function row(bond) {
    const title = bond.name ?? bond.device ?? bond.address;
    return el('li', {},
      el('div', {}, el('strong', {}, el('bdi', {}, title)), ' ', el('bdi', { class: 'card-id' }, bond.device && bond.device !== title ? `${bond.device} · ${bond.address}` : bond.address),
        el('p', { class: 'hint' }, b.worth(bond), Number.isFinite(Date.parse(bond.since)) ? ` ${b.since(dateAndTime(Date.parse(bond.since)))}` : '')),
      action(b.unpair, async () => {
        if (!await confirm(b.unpairTitle(title), { yes: b.unpair, detail: bond.central ? b.unpairPhone : b.unpairDetail })) return null;
        await app.gateway.post('/api/unpair', { sensor: bond.address });
        await load();
        return b.unpaired(title);
      }, outcome, { kind: 'small danger', 'aria-label': b.unpairWhat(title) }));
  }

  return { node: part(b.title, b.lead, outcome, place), shown: load };
}

function phones(app) {
  const p = t.phones;
  const words = el('p', {});
  const code = el('p', { class: 'passkey' });
  const outcome = el('div', { role: 'status' });
  const open = action(p.open, async () => {
    await app.gateway.post('/api/provision', { action: 'open' });
    return null;
  }, outcome);
  const image = el('div', {});
  const label = el('details', {}, el('summary', {}, p.label), el('p', { class: 'hint' }, p.labelHint), image);
  label.addEventListener('toggle', () => {
    // It is asked for when somebody wants to see it: whoever has it can set the gateway up.
    image.replaceChildren(label.open ? el('img', { class: 'label', src: '/api/provision-label', alt: p.labelAlt }) : '');
  });
  const node = part(p.title, p.lead, words, code, el('div', { class: 'row' }, open), outcome, label);

  function draw() {
    const { session, window: state } = app.gateway.last;
    show(node, session?.provisioning);
    show(open, !state?.open);
    show(code, state?.open && state.code);
    put(code, state?.open && state.code ? `${state.code.slice(0, 3)} ${state.code.slice(3)}` : '');
    mark(code, 'aria-label', state?.code ? p.code([...state.code].join(' ')) : null);
    put(words, state?.open ? p.isOpen(Math.ceil((state.seconds_left ?? 0) / 60)) : p.isClosed);
  }
  draw();
  return { node, update: (name) => { if (['session', 'window'].includes(name)) draw(); }, shown: draw };
}

function updates(app) {
  const u = t.updates;
  const words = el('p', {});
  const bar = el('progress', { max: 100, hidden: true, 'aria-label': u.progress });
  const problem = el('div', {});
  const outcome = el('div', { role: 'status' });
  const check = action(u.check, async () => {
    await app.gateway.post('/api/update', { action: 'check' });
    return null;
  }, outcome);
  const install = action(u.install, async () => {
    const { available } = app.gateway.last.update ?? {};
    if (!await confirm(u.installTitle(available ?? ''), { yes: u.installYes, detail: u.installDetail, kind: 'primary' })) return null;
    await app.gateway.post('/api/update', { action: 'install' });
    return null;
  }, outcome, { kind: 'primary' });
  const how = el('p', { class: 'hint' });
  const node = part(u.title, u.lead, words, bar, problem, how, el('div', { class: 'row' }, check, install), outcome);

  function draw() {
    const { session, update } = app.gateway.last;
    show(node, session?.update || update);
    const state = update?.state ?? 'idle';
    const isBusy = !['idle', 'installed', 'failed'].includes(state);
    const isNewer = update?.available && update.available !== update.installed;
    put(words, isBusy || state === 'installed' ? u.states[state] ?? state : isNewer ? u.isAvailable(update.available, update.installed) : u.isInstalled(update?.installed ?? session?.version ?? '–'));
    show(bar, isBusy);
    if (Number.isFinite(update?.progress) && state !== 'checking') bar.value = update.progress * 100;
    else bar.removeAttribute('value');
    // Who may not install says how it is done.
    const mayAct = Boolean(session?.update);
    put(how, u.how(command('machine update')));
    show(how, !mayAct && !isBusy && state !== 'installed');
    show(check, mayAct && !isBusy);
    show(install, mayAct && !isBusy && isNewer);
    const error = state === 'failed' ? said(update?.error) ?? u.failed : '';
    if (problem.dataset.words !== error) {
      problem.dataset.words = error;
      problem.replaceChildren(error ? notice('error', error) : '');
    }
  }
  draw();
  return { node, update: (name) => { if (['session', 'update'].includes(name)) draw(); }, shown: draw };
}

function ending(app) {
  const e = t.ending;
  const outcome = el('div', { role: 'status' });
  const restart = action(e.restart, async () => {
    if (!await confirm(e.restartTitle, { yes: e.restartYes, detail: e.restartDetail })) return null;
    await app.gateway.post('/api/restart');
    return e.restarting;
  }, outcome, { kind: 'danger' });
  return { node: part(e.title, e.lead, el('div', { class: 'row' }, restart), outcome) };
}

export function part(title, lead, ...content) {
  return el('section', { class: 'part' }, el('h2', {}, title), el('p', { class: 'hint' }, lead), ...content);
}
