// SPDX-License-Identifier: Apache-2.0

// Numbers, times and sizes as people read them: in the language of the page, by the habits of the reader's country.

import { text } from './strings.js';

const locale = navigator.languages?.find((tag) => tag.split('-')[0] === text.language) ?? text.language;
const whole = new Intl.NumberFormat(locale);
const digits = [0, 1, 2, 3].map((maximumFractionDigits) => new Intl.NumberFormat(locale, { maximumFractionDigits }));
const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const moment = new Intl.DateTimeFormat(locale, {
  year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZoneName: 'short' });

const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const dayAndTime = new Intl.DateTimeFormat(locale, {
  weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' });

export const count = (number) => whole.format(number ?? 0);
export const timeOfDay = (unix) => clock.format(new Date(unix));
export const dayOf = (unix) => day.format(new Date(unix));
export const dayAndTimeOf = (unix) => dayAndTime.format(new Date(unix));
/** The zone of the page's times, which are the browser's: `CET`. */
export const zoneOf = (unix) => moment.formatToParts(new Date(unix)).find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';
export const dateAndTime = (unix) => moment.format(new Date(unix));

/** At most four significant digits behind what a sensor can know. */
export function number(value) {
  const size = Math.abs(value);
  return digits[Number.isInteger(value) ? 0 : size >= 1_000 ? 1 : size >= 10 ? 2 : 3].format(value);
}

export function valueOf(value) {
  if (Array.isArray(value)) return value.map(valueOf).join(', ');
  if (typeof value === 'number') return number(value);
  if (typeof value === 'boolean') return value ? text.yes : text.no;
  return String(value ?? '–');
}

/** `21.4 °C` of a field. */
export const withUnit = (words, unit) => (unit ? `${words} ${unit}` : words);

/** `carbon_monoxide_detected` as `Carbon monoxide detected`. */
export function nameOf(quantity) {
  if (Object.hasOwn(text.quantities, quantity)) return text.quantities[quantity];
  const words = String(quantity).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The two largest units: `3 h 12 min`. */
export function duration(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const two = (large, unit, small, second) => (small > 0 ? `${large} ${unit} ${small} ${second}` : `${large} ${unit}`);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return two(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  if (seconds < 86_400) return two(Math.floor(seconds / 3_600), 'h', Math.floor(seconds % 3_600 / 60), 'min');
  return two(Math.floor(seconds / 86_400), text.dayUnit, Math.floor(seconds % 86_400 / 3_600), 'h');
}

/** One unit is enough for an age that is looked at in passing. */
export function age(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} ${text.dayUnit}`;
}

export function octets(size) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = size;
  let unit = 0;
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${digits[unit > 0 && value < 100 ? 1 : 0].format(value)} ${units[unit]}`;
}

/** Commands of a terminal: their letters are as they are typed. */
const COMMAND = /^(sudo|martlet|systemctl|journalctl|rfkill|hciconfig|bluetoothctl|df|apt|apt-get|ip|nmcli|timedatectl|mosquitto_\w+) /;

/** What the gateway says is the end of a line of a terminal; here it begins one. Names like `hci0:` stay as they are. */
export const sentence = (words) => (/^[a-z]+[ ,]/.test(words ?? '') && !COMMAND.test(words) ? words.charAt(0).toUpperCase() + words.slice(1) : words);

/** `12 journal-age, 1 refused`: counts by reason, those that there are. */
export function reasons(counts, words = (reason) => reason) {
  return Object.entries(counts ?? {}).filter(([, many]) => many > 0).sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([reason, many]) => `${count(many)} × ${words(reason)}`).join(', ');
}

/** A path that fits, by `fits`: folders in its middle give way to an ellipsis, then those at its beginning, then the file's name. */
export function shortPath(path, fits) {
  if (fits(path)) return path;
  const parts = path.split('/');
  const ends = parts.map((_, first) => parts.slice(first).join('/')).slice(1);
  const name = parts.at(-1);
  const shorter = [
    ...ends.slice(2).map((end) => `${parts.slice(0, 2).join('/')}/…/${end}`), ...ends.map((end) => `…/${end}`),
    ...[...name].map((_, first) => `…${name.slice(first + 1)}`)];
  return shorter.find(fits) ?? '…';
}
