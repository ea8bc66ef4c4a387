// SPDX-License-Identifier: Apache-2.0

// What somebody has to do something about, the most urgent first.

import { count, duration, reasons, sentence } from './format.js';
import { text } from './strings.js';

const t = text.health;
/** A link that brings nothing for so long is worth a look. */
const QUIET_LINK = 10 * 60_000;
/** Some sensors advertise only when something happens. */
const QUIET_ADVERTISER = 60 * 60_000;
const NEARLY_FULL = 0.05;
/** Readings that go for these reasons go because somebody has wished it so. */
const WISHED = new Set(['purged', 'coalesced', 'dead-band', 'covered']);

/** Age of the newest value of a sensor, in milliseconds; null when there is none. `later` is how old the status is. */
export function ageOf(sensor, later = 0) {
  const ages = (sensor.values ?? []).map((value) => value.age_ms).filter(Number.isFinite);
  return ages.length ? Math.min(...ages) + later : null;
}

/** `good`, `busy`, `quiet`, `bad` or `off`: how a sensor is, for colour and order; always shown in words as well. */
export function stateOf(sensor, later = 0) {
  if (sensor.awaited) return 'bad';
  if (sensor.link === 'unavailable') return 'off';
  if (troubleOf(sensor)) return 'bad';
  if (sensor.link === 'elsewhere') return 'good';
  const age = ageOf(sensor, later);
  if (age !== null && age > (sensor.link === 'listening' ? QUIET_ADVERTISER : QUIET_LINK) && sensor.link !== 'resting' && !sensor.turn_ms) return 'quiet';
  if (sensor.link === 'collecting' || sensor.link === 'resting' || sensor.turn_ms) return 'good';
  if (sensor.link === 'listening') return age === null ? 'busy' : 'good';
  return 'busy';
}

/** Why nothing, or not all, comes from a sensor; null while all is well. */
export function troubleOf(sensor) {
  if (sensor.trouble) return sensor.trouble;
  if (sensor.last_failure && !['collecting', 'resting', 'queued', 'listening', 'elsewhere'].includes(sensor.link)) return t.triedAgain(sensor.last_failure);
  if (sensor.missing?.length) return t.missing(sensor.missing.join('; '));
  return null;
}

/** A list of `{ level, key, title, words, to }`; `to` is a view, or `sensor:ID`. */
export function problems(status, later = 0) {
  const list = [];
  const add = (level, key, title, words, to) => list.push({ level, key, title, words: sentence(words), to });
  const isReady = status.controller?.state === 'powered on';
  for (const words of status.late ?? []) add('bad', `late ${words}`, t.late, words, 'inside');
  if (status.controller && !isReady) add('bad', 'controller', t.controller, status.controller.state, 'inside');
  if (status.mqtt && !status.mqtt.connected) {
    add('bad', 'broker', t.broker(status.mqtt.broker), status.mqtt.last_error ?? t.brokerTries, 'inside');
  }
  if (status.mqtt?.connected && status.mqtt.last_error) add('warn', 'delivery', t.delivery, status.mqtt.last_error, 'inside');
  if (status.journal?.problem) add('bad', 'journal', t.journal, status.journal.problem, 'inside');
  if (status.journal?.notice) add('warn', 'notice', t.journalNotice, status.journal.notice, 'inside');
  for (const words of status.configuration_problems ?? []) add('warn', `configuration ${words}`, t.configuration, words, 'setup');
  sensors(status, later, isReady).forEach((problem) => list.push(problem));
  if (isReady) {
    for (const awaited of status.collector?.awaited ?? []) {
      add('warn', `awaited ${awaited.entry}`, t.awaited(awaited.name ?? awaited.entry, refusedOf(awaited)?.refusal), wantsOf(awaited),
        `sensor:${awaited.entry}`);
    }
  }
  for (const words of status.bond_problems ?? []) add('warn', `bonds ${words}`, t.bonds, words, 'setup');
  const disk = status.system?.disk;
  if (disk?.total_bytes > 0 && disk.free_bytes / disk.total_bytes < NEARLY_FULL) {
    add('warn', 'disk', t.disk, t.diskDo, 'inside');
  }
  if (status.clock && status.clock === 'unsynced') add('warn', 'clock', t.clock, t.clockDo, 'inside');
  return list;
}

/** What an entry asks for, and what is like it in the air. */
export const wantsOf = ({ wants, nearest, may_be_elsewhere: elsewhere }) => (refusedOf({ nearest }) ? t.refused(refusedOf({ nearest })) :
  t.wants(wants, (nearest ?? []).map((near) => [near.name, near.address, near.rssi]), elsewhere));

/** The device that an entry is about, where it is heard and nothing can be collected from it. */
export const refusedOf = ({ nearest }) => (nearest ?? []).find(({ refusal }) => refusal) ?? null;

/** Words of trouble name the sensor in a command, which is all that differs between those of many sensors. */
const without = (words, id) => words.split(' ').map((word) => (word.replace(/[,.;:]$/, '') === id ? word.replace(id, 'SENSOR') : word)).join(' ');

/** Those of sensors: what is the same for many of them is said once. */
function sensors(status, later, isReady) {
  const groups = new Map();
  const put = (level, key, words, sensor) => {
    const group = groups.get(key) ?? { level, words, sensors: [] };
    group.sensors.push(sensor);
    groups.set(key, group);
  };
  for (const sensor of status.collector?.sensors ?? []) {
    const trouble = troubleOf(sensor);
    if (trouble && (isReady || sensor.trouble)) {
      put('warn', `trouble ${without(trouble, sensor.id)}`, trouble, sensor);
    } else if (isReady && stateOf(sensor, later) === 'quiet') {
      put('warn', `quiet ${sensor.id}`,
        t.quiet(duration(ageOf(sensor, later)), sensor.link === 'connecting' ? sensor.last_drop : null), sensor);
    }
    const books = status.journal?.sensors?.[sensor.id];
    const lost = Object.fromEntries(Object.entries(books?.dropped ?? {}).filter(([reason]) => !WISHED.has(reason)));
    const dropped = reasons(lost, (reason) => text.inside.dropReasons[reason] ?? reason);
    if (dropped) put('warn', `dropped ${sensor.id}`, t.dropped(dropped), sensor);
    const gap = Math.max(sensor.gap ?? 0, books?.missing ?? 0);
    if (gap > 0 && sensor.link !== 'listening') put('warn', `gap ${sensor.id}`, t.gap(count(gap)), sensor);
    if (sensor.unconfirmed > 0) put('warn', `unconfirmed ${sensor.id}`, t.unconfirmed(count(sensor.unconfirmed)), sensor);
  }
  return [...groups].map(([key, { level, words, sensors: many }]) => ({
    level, key, words: sentence(many.length === 1 ? words : without(words, many[0].id)), to: many.length === 1 ? `sensor:${many[0].id}` : 'sensors',
    title: many.length === 1 ? t.sensor(many[0].name ?? many[0].id) : t.sensors(many.length, many.map(({ name, id }) => name ?? id)),
  }));
}
