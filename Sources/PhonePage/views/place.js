// SPDX-License-Identifier: Apache-2.0

import { countries, guessedCountry } from '../countries.js';
import { el, field, icon } from '../dom.js';
import { form } from '../form.js';
import { wordsOf } from '../gateway.js';
import { language, text } from '../strings.js';

const t = text.place;
/** No country: the gateway is wired. */
const CABLE = 'cable';

/** Name, country, and the time, which is set at once. */
export function view(app, { returnTo = null } = {}) {
  const list = countries(language);
  const guess = app.settings.country ? null : guessedCountry();
  const guessName = list.find(({ code }) => code === guess)?.name;
  const name = field(t.name, el('input', {
    type: 'text', value: app.settings.name ?? '', maxlength: 32, autocomplete: 'off', id: 'name' }), t.nameHint);
  const country = field(t.country,
    el('select', { id: 'country' }, el('option', { value: '' }, t.choose),
      el('option', { value: CABLE }, t.cable),
      list.map(({ code, name: label }) => el('option', { value: code }, label))),
    guessName ? t.guessed(guessName) : t.countryHint);
  country.input.value = app.settings.country || guess || '';
  const clock = el('p', { class: 'aside', id: 'clock' }, icon('info'), t.clockSetting);
  setClock(app).then(
    (words) => clock.replaceChildren(icon('check'), `${t.clock}: ${words}`),
    (error) => clock.replaceChildren(icon('warning'), t.clockFailed(wordsOf(error))));

  async function save() {
    const wanted = name.input.value.trim();
    name.fail(wanted === '' || [...wanted].length > 32 ? t.nameProblem : null);
    country.fail(country.input.value === '' ? t.countryProblem : null);
    if (name.input.hasAttribute('aria-invalid') || country.input.hasAttribute('aria-invalid')) return false;
    const isWired = country.input.value === CABLE;
    if (!isWired && country.input.value !== app.settings.country) {
      await app.gateway.writeText('country', country.input.value);
      app.settings.country = country.input.value;
    }
    if (wanted !== app.settings.name) {
      await app.gateway.writeText('name', wanted);
      app.settings.name = wanted;
    }
    // A country is for the radio of Wi-Fi: nothing of that is asked of a gateway that has none.
    app.showNext(isWired ? 'wifi' : 'place', returnTo);
    return true;
  }

  return {
    node: el('section', {}, el('h1', {}, t.title), el('p', { class: 'lead' }, t.lead),
      form({ onSubmit: save, onBack: returnTo ? () => app.show(returnTo) : null }, name, country, clock)),
  };
}

/** What a phone knows better than. */
const WORSE = ['trusted', 'journal'];

/** A clock that something better sets is left alone. */
async function setClock(app) {
  const format = (time) => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }).format(time);
  const known = await app.gateway.readObject('time');
  if (known.clock === 'synced' && known.time && !WORSE.includes(known.source)) return t.clockSynced(format(new Date(known.time)));
  const now = new Date();
  await app.gateway.writeText('time', now.toISOString());
  app.settings.time = await app.gateway.readObject('time');
  return t.clockSet(format(now));
}
