// SPDX-License-Identifier: Apache-2.0

// Says what became of the last try. The form itself works without this.

import { notice } from './dom.js';
import { text } from './strings.js';

const t = text.login;
const query = new URLSearchParams(location.search);
const outcome = document.getElementById('outcome');
const send = document.querySelector('#login button');

document.documentElement.lang = text.language;
document.title = t.title;
document.querySelector('h1').textContent = t.heading;
document.querySelector('label[for=password]').textContent = t.password;
document.getElementById('password-hint').textContent = t.hint;
send.textContent = t.signIn;
document.getElementById('login').addEventListener('submit', (event) => {
  if (send.getAttribute('aria-disabled') === 'true') event.preventDefault();
});

const wait = Number.parseInt(query.get('wait') ?? '', 10);
if (wait > 0) {
  send.setAttribute('aria-disabled', 'true');
  const end = performance.now() + Math.min(wait, 3_600) * 1_000;
  outcome.replaceChildren(notice('warning', t.wait(wait)));
  const line = outcome.querySelector('.notice-text');
  // The seconds are counted down for the eye alone: read aloud each second they would be a nuisance.
  outcome.removeAttribute('role');
  const timer = setInterval(() => {
    const left = Math.ceil((end - performance.now()) / 1_000);
    line.textContent = left > 0 ? t.wait(left) : t.again;
    if (left > 0) return;
    clearInterval(timer);
    send.removeAttribute('aria-disabled');
  }, 1_000);
} else if (query.has('wrong')) {
  outcome.replaceChildren(notice('error', t.wrong));
  document.getElementById('password').setAttribute('aria-invalid', 'true');
}
