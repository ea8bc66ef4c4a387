// SPDX-License-Identifier: Apache-2.0

// The texts of a problem in the language of the page: the gateway tells the code, the variant and the values, the language has the templates.
// Without a template, or from a gateway that tells no values, the gateway's own English stands. Other sentences of the gateway, refusals among
// them, are known by their English templates: `said`.

import { count } from './format.js';
import { text } from './strings.js';

const { codes = {}, phrases = {}, values = {}, sentences = {} } = text.problems;
/** Why nothing can be said in this language: told by nobody. */
const MISSING = new Error('a template or a value is missing');

/** What a template says by itself, without what stands in its places. */
const bare = (template) => template.replace(/\{\d+\}/g, '').length;
/** The templates that say the most come first: `{1} is missing` fits parts of others. */
const TEMPLATES = Object.entries(sentences).filter(([english]) => /\{\d+\}/.test(english)).sort(([one], [other]) => bare(other) - bare(one)).map(([english, other]) => ({
  places: [...english.matchAll(/\{(\d+)\}/g)].map(([, place]) => place),
  pattern: new RegExp(`^${english.split(/\{\d+\}/).map((words) => words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(.+?)')}$`, 's'),
  other,
}));
/** No sentence of the gateway is longer, and no one has more in it. */
const LONGEST = 2_000;
const DEEPEST = 6;
/** Looks for templates in one sentence: texts from outside may have many marks. */
const MOST_LOOKS = 60;
/** Sentences that were asked for lately: a view asks again each time it is drawn. */
const lately = new Map();
const MOST_KEPT = 500;
let looks = 0;

/** How the values of some places are written in this language. */
const WRITTEN = {
  count: (value) => (/^\d+$/.test(value) ? count(Number(value)) : value),
  time: (value) => value.replace(/^(\d+) d$/, `$1 ${text.dayUnit}`),
  quantity: (value, { key }) => own(text.quantities, key) ?? value,
  drop: (value) => own(text.inside.dropReasons, value) ?? value,
  wants: wantsIn,
  limit: number,
  value: number,
};
WRITTEN.waiting = WRITTEN.count;
/** Places for sentences of other parts of the gateway. */
const SENTENCES = new Set(['advice', 'cause', 'error', 'missing', 'notice', 'part', 'reason', 'refusal', 'state', 'trouble', 'what']);

/** The commands of advice, by their names, as a person types them where the gateway is installed. */
let commands = {};

/** The gateway's first event tells the commands. */
export function learn(told) {
  commands = told ?? {};
}

/** The line of `martlet inspect` or `machine log`; of a verb that a gateway of an earlier version does not tell, its name. */
export const command = (name) => own(commands, name) ?? (name.startsWith('martlet ') ? name : null);

/** `{ title, text, remedy }` of a problem; `remedy` is undefined where there is none. */
export function wordsOf(problem) {
  const { code, variant, arguments: named, parts = [], notes = [] } = problem;
  const row = own(codes, code);
  if (!row || !named) return { title: row && !row.title.includes('{') ? row.title : problem.title, text: problem.text, remedy: problem.remedy };
  try {
    const other = variant === undefined ? {} : own(row.variants ?? {}, variant);
    if (!other) throw MISSING;
    const all = { ...named, parts: parts.map(phrase).join('; ') };
    // The gateway tells no remedy where nothing is to be done any more.
    const remedy = problem.remedy === undefined ? undefined : other.remedy ?? row.remedy;
    return {
      title: filled(row.title, all),
      text: filled(other.text ?? row.text, all) + notes.map(phrase).join(''),
      remedy: remedy === undefined ? undefined : filled(remedy, all) || undefined,
    };
  } catch (error) {
    if (error !== MISSING) throw error;
    return { title: problem.title, text: problem.text, remedy: problem.remedy };
  }
}

/**
 * A sentence of the gateway in this language; as it is where it has no template. What stands in a place of a template may be a sentence
 * itself: the error of a lower layer. `a; b`, `a: b`, `a – b` and `A. (b)` are sentences in a row.
 */
export function said(sentence) {
  if (!TEMPLATES.length || typeof sentence !== 'string' || sentence.length > LONGEST) return sentence;
  if (!lately.has(sentence)) {
    if (lately.size >= MOST_KEPT) lately.clear();
    looks = 0;
    lately.set(sentence, part(sentence, 0));
  }
  return lately.get(sentence);
}

/** A sentence, or a part of one, within the bounds. */
function part(sentence, depth) {
  if (depth > DEEPEST || looks >= MOST_LOOKS) return sentence;
  const one = known(sentence, depth);
  if (one !== undefined) return one;
  // Some parts of the gateway make a whole sentence of a clause.
  const clause = known(`${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/([^.])\.$/, '$1')}`, depth);
  if (clause !== undefined) return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}${sentence.endsWith('.') ? '.' : ''}`;
  if (sentence.endsWith(').')) return `${part(sentence.slice(0, -1), depth)}.`;
  for (const [mark, end, isWhole] of [['; ', '', true], ['. (', ')'], [' – ', ''], [': ', ''], ['; ', '']]) {
    const place = sentence.indexOf(mark);
    if (place < 1 || !sentence.endsWith(end)) continue;
    const [first, rest] = [sentence.slice(0, place), sentence.slice(place + mark.length, sentence.length - end.length)];
    const both = [part(first, depth + 1), part(rest, depth + 1)];
    const changed = Number(both[0] !== first) + Number(both[1] !== rest);
    if (changed > (isWhole ? 1 : 0)) return both.join(mark) + end;
  }
  return sentence;
}

/** A sentence that has a template; undefined for another one. */
function known(sentence, depth) {
  looks += 1;
  const whole = own(sentences, sentence) ?? own(values, sentence);
  if (whole !== undefined) return whole;
  // The gateway leaves the full stop out where more words follow.
  const stopped = own(sentences, `${sentence}.`);
  if (stopped !== undefined) return stopped.replace(/\.$/, '');
  for (const { pattern, places, other } of TEMPLATES) {
    const found = pattern.exec(sentence);
    if (found) return other.replace(/\{(\d+)\}/g, (_, place) => part(found[places.indexOf(place) + 1], depth + 1));
  }
  return undefined;
}

function phrase({ phrase: name, arguments: named }) {
  const template = own(phrases, name);
  if (template === undefined) throw MISSING;
  return filled(template, named);
}

/** A value is put in as it is, also if it has braces itself: names come from the air. */
function filled(template, named) {
  return template.replace(/\{([^{}]+)\}/g, (_, place) => {
    const value = own(named, place);
    if (value === undefined) throw MISSING;
    return own(values, value) ?? (own(WRITTEN, place)?.(value, named) ?? (SENTENCES.has(place) ? said(value) : value));
  });
}

/** `the name "Fridge" and the address …` in this language. What an operator has written stands between quotes. */
export function wantsIn(wants) {
  return wants.replace(/("(?:[^"\\]|\\.)*")|(^| and )(the (?:name|address|identifier|service|family)) /g, (all, quoted, before, word) => (
    quoted ?? `${before ? ` ${own(values, 'and') ?? 'and'} ` : ''}${own(values, word) ?? word} `));
}

/** `8.5 °C` as this language writes it. */
function number(value) {
  return text.language === 'en' ? value : value.replace(/(\d)\.(\d)/, '$1,$2');
}

function own(table, key) {
  return key !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}
