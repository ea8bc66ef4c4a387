// SPDX-License-Identifier: Apache-2.0

import { button, el, field, notice, secretField } from '../dom.js';
import { form } from '../form.js';
import { LONGEST_CERTIFICATE } from '../service.js';
import { text } from '../strings.js';

const t = text.broker;
const PORTS = { true: 8883, false: 1883 };

/** Where the readings go, and how the broker proves who it is. */
export function view(app, { returnTo = null } = {}) {
  const known = app.settings.broker ?? {};
  const authority = app.settings.authority ?? {};
  const hasAuthority = authority.state === 'complete' || authority.state === 'in-use';
  const plain = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' };
  const host = field(t.host, el('input', { type: 'text', inputmode: 'url', id: 'host', maxlength: 253,
    value: known.host ?? '', ...plain }), t.hostHint);
  const tls = field(t.tls, el('input', { type: 'checkbox', id: 'tls' }), t.tlsHint);
  tls.input.checked = known.host ? known.tls === true : true;
  const port = field(t.port, el('input', { type: 'text', inputmode: 'numeric', id: 'port', maxlength: 5,
    value: String(known.host && known.port ? known.port : PORTS[tls.input.checked]), ...plain }));
  const username = field(t.username, el('input', { type: 'text', id: 'username', maxlength: 128,
    value: known.username ?? '', ...plain }), t.usernameHint);
  const password = secretField(t.password, { id: 'broker-password', maxlength: 128,
    hint: known.password_set ? t.passwordKept : null }).labels(text.show, text.hide, text.showPassword);
  const assistant = field(t.homeAssistant, el('input', { type: 'checkbox', id: 'home-assistant' }), t.homeAssistantHint);
  // A gateway that is set up for the first time offers it; an older gateway does not know it.
  assistant.input.checked = known.host ? known.home_assistant === true : true;
  assistant.hidden = typeof known.home_assistant !== 'boolean';
  const file = field(t.authority, el('input', {
    type: 'file', id: 'authority', accept: '.pem,.crt,.cer,application/x-pem-file' }),
  authority.state === 'partial' ? t.authorityPart(authority.received ?? 0, authority.size)
    : hasAuthority ? t.authorityHas : t.authorityHint);
  const meter = el('progress', { max: '100', value: 0, hidden: true, 'aria-label': t.authority });
  const advice = el('div');
  let removes = false;
  const remove = button(t.authorityRemove, () => {
    removes = true;
    file.input.value = '';
    remove.replaceWith(el('p', { class: 'hint', role: 'status' }, t.authorityRemoved));
  }, { kind: 'quiet small' });

  const tlsChanged = () => {
    if (port.input.value === '' || Number(port.input.value) === PORTS[!tls.input.checked]) {
      port.input.value = String(PORTS[tls.input.checked]);
    }
    security.hidden = !tls.input.checked;
    advice.replaceChildren(tls.input.checked ? '' : notice('warning', t.plain));
  };
  tls.input.addEventListener('change', tlsChanged);
  file.input.addEventListener('change', () => { removes = false; });
  const security = el('div', { class: 'group' }, file, hasAuthority ? remove : null, meter);

  async function certificate() {
    const [chosen] = file.input.files;
    if (!chosen) return null;
    const octets = new Uint8Array(await chosen.arrayBuffer());
    const isGood = octets.length <= LONGEST_CERTIFICATE &&
      new TextDecoder().decode(octets).includes('-----BEGIN CERTIFICATE-----');
    file.fail(isGood ? null : t.authorityProblem);
    return octets;
  }

  async function save() {
    const number = Number(port.input.value);
    const address = host.input.value.trim();
    host.fail(/^[^\s/@]+$/.test(address) ? null : t.hostProblem);
    port.fail(/^[0-9]+$/.test(port.input.value) && number >= 1 && number <= 65535 ? null : t.portProblem);
    const pem = tls.input.checked ? await certificate() : null;
    // The gateway sends a password to no other broker than the one that it was written for.
    const isOther = address !== known.host || number !== known.port || tls.input.checked !== (known.tls === true) ||
      pem !== null || removes;
    const wantsPassword = known.password_set && isOther && username.input.value !== '' && password.input.value === '';
    password.fail(wantsPassword ? t.passwordAgain : null);
    if ([host, port, file, password].some((box) => box.input.hasAttribute('aria-invalid'))) return false;
    const object = { host: address, port: number, tls: tls.input.checked, username: username.input.value };
    if (typeof known.home_assistant === 'boolean') object.home_assistant = assistant.input.checked;
    if (password.input.value !== '') object.password = password.input.value;
    else if (username.input.value === '' && known.password_set) object.password = '';
    await app.gateway.writeObject('broker', object);
    password.take();
    app.settings.broker = await app.gateway.readObject('broker');
    if (removes) await app.gateway.writeObject('authority', { size: 0 });
    if (pem) {
      meter.hidden = false;
      await app.gateway.sendAuthority(pem, (part) => {
        meter.value = Math.round(part * 100);
        if (part === 0 || part === 1) app.announce(t.authoritySending(meter.value));
      });
    }
    if (pem || removes) app.settings.authority = await app.gateway.readObject('authority');
    app.showNext('broker', returnTo);
    return true;
  }

  tlsChanged();
  return {
    leave: () => password.take(),
    node: el('section', {}, el('h1', {}, t.title), el('p', { class: 'lead' }, t.lead),
      form({ onSubmit: save, onBack: () => app.show(returnTo ?? 'wifi') },
        el('div', { class: 'pair-row' }, host, port), tls, advice, security, username, password, assistant)),
  };
}
