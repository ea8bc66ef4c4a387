// SPDX-License-Identifier: Apache-2.0

// How the gateway and its sensors are: the gateway judges, the page shows. There is no clock here.

import { duration, sentence } from './format.js';
import { command, wantsIn, wordsOf } from './problems.js';
import { text } from './strings.js';

const t = text.health;
/** How a state of `health` looks. */
const LOOKS = { fresh: 'good', late: 'quiet', silent: 'bad', 'never-heard': 'busy', 'not-understood': 'bad', elsewhere: 'good', unknown: 'off', off: 'off' };
/** Problems of a sensor whose words stand on its card: why nothing, or not all, comes from it, and what its values cross. */
const ON_CARD = new Set(['sensor-maintenance', 'sensor-trouble', 'sensor-fails', 'sensor-lacks', 'limit-above', 'limit-below', 'limit-silent',
  'sensor-battery-low']);
/** The view that says more about a part; that of the sensor for all others. */
const PLACES = { radio: 'inside', disk: 'inside', broker: 'inside', service: 'inside', clock: 'inside', machine: 'inside', configuration: 'setup', bonds: 'setup' };

/** Age of the newest value of a sensor, in milliseconds; null when there is none. `later` is how old the status is. */
export function ageOf(sensor, later = 0) {
  const ages = (sensor.values ?? []).map((value) => value.age_ms).filter(Number.isFinite);
  return ages.length ? Math.min(...ages) + later : null;
}

/** `bad`, `warn`, `known` (an operator knows of it) or `good` for no problem: the worst of some of the gateway's problems. */
export function worst(problems) {
  const levels = problems.map(levelOf);
  return ['bad', 'warn', 'known'].find((level) => levels.includes(level)) ?? 'good';
}

/** The gateway's problems of some parts. */
export const ofParts = (status, ...parts) => (status.problems ?? []).filter(({ part }) => parts.includes(part));

/** The gateway's problems of a sensor, or of an entry that waits. */
export const ofSensor = (status, sensor) => (status?.problems ?? []).filter(({ sensor: id }) => id !== undefined && id === (sensor.awaited?.entry ?? sensor.id));

/**
 * `good`, `busy`, `quiet`, `bad` or `off`: how a sensor's state looks, for colour and order; always shown in words as well. `problems` are
 * those of the sensor: what an operator knows of looks quiet.
 */
export function stateOf(sensor, problems) {
  const level = worst(problems);
  if (sensor.awaited) return { good: 'busy', known: 'quiet' }[level] ?? 'bad';
  const look = LOOKS[sensor.health] ?? 'busy';
  if (look === 'bad' && level === 'known') return 'quiet';
  return look !== 'off' && problems.some((problem) => ON_CARD.has(problem.code) && levelOf(problem) !== 'known') ? 'bad' : look;
}

/** The state in words, where it is not that values come; null otherwise. */
export const stateWords = (sensor) => t.states[sensor.health] ?? null;

/** The words of a sensor with these problems that stand on its card, and whether an operator knows of them; null while all is well. */
export function troubleOf(problems) {
  const problem = problems.find(({ code }) => ON_CARD.has(code));
  return problem ? { words: wordsOf(problem).text, isKnown: levelOf(problem) === 'known' } : null;
}

/** A sensor's name for people: the operator's, its own, or its id. */
export const titleOf = (sensor) => sensor.title ?? sensor.name ?? sensor.id;

/** An entry that waits, as a sensor: the operator's label and id win over the name that the entry asks for. */
export const awaitedSensor = (entry) => ({
  awaited: entry, id: entry.id ?? entry.entry, title: entry.label ?? entry.id ?? entry.name ?? entry.entry, label: entry.label, name: entry.name, room: entry.room,
  address: entry.address, link: refusedOf(entry)?.refusal ?? 'not-seen-yet', values: [] });

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
    level: levelOf(problem),
    title: sensors.length > 1 ? t.sensors(sensors.length, sensors.map((id) => names.get(id) ?? id))
      : sensors.length ? t.sensor(names.get(sensors[0]) ?? sensors[0]) : title,
    // The title is the sensor's name, which says nothing of the problem.
    brief: sensors.length ? sentence(wordsOf(problem).text) : null,
    words: `${sensors.length > 1 ? without(words, sensors[0]) : words}${since >= 60_000 ? ` ${t.since(duration(since))}` : ''}`,
    to: sensors.length > 1 ? 'sensors' : sensors.length ? `sensor:${sensors[0]}` : PLACES[problem.part] ?? 'inside',
  }));
}

/** The problems that somebody has to do something about, without those that an operator knows of. */
export const open = (list) => list.filter(({ level }) => level !== 'known');

/** What an entry asks for, and what is like it in the air. */
export const wantsOf = ({ wants, nearest, may_be_elsewhere: elsewhere }) => (refusedOf({ nearest }) ? t.refused({ ...refusedOf({ nearest }), inspect: command('martlet inspect') }) :
  t.wants(wantsIn(wants), (nearest ?? []).map((near) => [near.name, near.address, near.rssi]), elsewhere));

/** The device that an entry is about, where it is heard and nothing can be collected from it. */
export const refusedOf = ({ nearest }) => (nearest ?? []).find(({ refusal }) => refusal) ?? null;

const levelOf = ({ severity }) => ({ failure: 'bad', notice: 'known' })[severity] ?? 'warn';

/** What the gateway says may be half of a line, without a full stop. */
const ended = (words) => (/[.!?…:]$/.test(words) || /\bmartlet [\w -]+$/.test(words) ? words : `${words}.`);

/** Words name the sensor in a command, which is all that differs between those of many sensors. */
const without = (words, id) => words.split(' ').map((word) => (word.replace(/[,.;:]$/, '') === id ? word.replace(id, 'SENSOR') : word)).join(' ');
