// SPDX-License-Identifier: Apache-2.0

// How the gateway and its sensors are: the gateway judges, the page shows. There is no clock here.

import { duration, sentence } from './format.js';
import { said, wantsIn, wordsOf } from './problems.js';
import { text } from './strings.js';

const t = text.health;
/** How a state of `health` looks. */
const LOOKS = { fresh: 'good', late: 'quiet', silent: 'bad', 'never-heard': 'busy', 'not-understood': 'bad', elsewhere: 'good', unknown: 'off', off: 'off' };
/** The view that says more about a part; that of the sensor for all others. */
const PLACES = { radio: 'inside', disk: 'inside', broker: 'inside', service: 'inside', clock: 'inside', machine: 'inside', configuration: 'setup', bonds: 'setup' };

/** Age of the newest value of a sensor, in milliseconds; null when there is none. `later` is how old the status is. */
export function ageOf(sensor, later = 0) {
  const ages = (sensor.values ?? []).map((value) => value.age_ms).filter(Number.isFinite);
  return ages.length ? Math.min(...ages) + later : null;
}

/** `good`, `busy`, `quiet`, `bad` or `off`: how a sensor's state looks, for colour and order; always shown in words as well. */
export function stateOf(sensor) {
  if (sensor.awaited) return 'bad';
  const look = LOOKS[sensor.health] ?? 'busy';
  return troubleOf(sensor) && look !== 'off' ? 'bad' : look;
}

/** The state in words, where it is not that values come; null otherwise. */
export const stateWords = (sensor) => t.states[sensor.health] ?? null;

/** Why nothing, or not all, comes from a sensor, as the gateway says on the sensor itself; null while all is well. */
export function troubleOf(sensor) {
  if (sensor.trouble) return said(sensor.trouble);
  if (sensor.last_failure && !['collecting', 'resting', 'queued', 'listening', 'elsewhere'].includes(sensor.link)) return t.triedAgain(unended(said(sensor.last_failure)));
  if (sensor.missing?.length) return t.missing(sensor.missing.map((each) => said(each)).join('; '));
  return null;
}

/** Words that go on with others have no full stop of their own. */
const unended = (words) => words.replace(/([^.])\.$/, '$1');

/** A sensor's name for people: the operator's, its own, or its id. */
export const titleOf = (sensor) => sensor.title ?? sensor.name ?? sensor.id;

/** A list of `{ level, key, title, words, to }` of the gateway's problems; `to` is a view, or `sensor:ID`. */
export function problems(status) {
  const names = new Map((status.collector?.sensors ?? []).map((sensor) => [sensor.id, titleOf(sensor)]));
  const groups = new Map();
  for (const problem of status.problems ?? []) {
    const { sensor } = problem;
    const told = wordsOf(problem);
    const words = [told.text, told.remedy].filter(Boolean).map((part) => ended(sentence(part))).join(' ');
    // What is the same for many sensors is said once.
    const key = `${problem.severity} ${problem.code} ${sensor === undefined ? problem.text : without(words, sensor)}`;
    const group = groups.get(key) ?? { key, problem, title: told.title, words, sensors: [], since: 0 };
    if (sensor !== undefined) group.sensors.push(sensor);
    group.since = Math.max(group.since, problem.age_ms);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ key, problem, title, words, sensors, since }) => ({
    key,
    level: { failure: 'bad', notice: 'known' }[problem.severity] ?? 'warn',
    title: sensors.length > 1 ? t.sensors(sensors.length, sensors.map((id) => names.get(id) ?? id))
      : sensors.length ? t.sensor(names.get(sensors[0]) ?? sensors[0]) : title,
    words: `${sensors.length > 1 ? without(words, sensors[0]) : words}${since >= 60_000 ? ` ${t.since(duration(since))}` : ''}`,
    to: sensors.length > 1 ? 'sensors' : sensors.length ? `sensor:${sensors[0]}` : PLACES[problem.part] ?? 'inside',
  }));
}

/** The problems that somebody has to do something about, without those that an operator knows of. */
export const open = (list) => list.filter(({ level }) => level !== 'known');

/** What an entry asks for, and what is like it in the air. */
export const wantsOf = ({ wants, nearest, may_be_elsewhere: elsewhere }) => (refusedOf({ nearest }) ? t.refused(refusedOf({ nearest })) :
  t.wants(wantsIn(wants), (nearest ?? []).map((near) => [near.name, near.address, near.rssi]), elsewhere));

/** The device that an entry is about, where it is heard and nothing can be collected from it. */
export const refusedOf = ({ nearest }) => (nearest ?? []).find(({ refusal }) => refusal) ?? null;

/** What the gateway says may be half of a line, without a full stop. */
const ended = (words) => (/[.!?…:]$/.test(words) || /\bmartlet [\w -]+$/.test(words) ? words : `${words}.`);

/** Words name the sensor in a command, which is all that differs between those of many sensors. */
const without = (words, id) => words.split(' ').map((word) => (word.replace(/[,.;:]$/, '') === id ? word.replace(id, 'SENSOR') : word)).join(' ');
