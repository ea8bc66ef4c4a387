// SPDX-License-Identifier: Apache-2.0

// The texts of a problem in the language of the page: the gateway tells the code, the variant and the values, the language has the templates.
// Without a template, or from a gateway that tells no values, the gateway's own English stands. Other sentences of the gateway, refusals among
// them, are known by their English templates: `said`.

import { count } from './format.js';
import { speaker } from './said.js';
import { text } from './strings.js';

const { codes = {}, phrases = {}, values = {} } = text.problems;
const { said, wantsIn, learn: learnSentences } = speaker({ sentences: text.sentences, values, dayUnit: text.dayUnit });
let findings;
/** A sentence of the gateway, and what an entry asks for, in this language. */
export { said, wantsIn };

/** The sentences about a configuration are many, and most readers need none of them. Without them, the gateway's own stand. */
export function learnFindings() {
  findings ??= text.findings().then(learnSentences, () => { findings = undefined; });
  return findings;
}

/** Why nothing can be said in this language: told by nobody. */
const MISSING = new Error('a template or a value is missing');

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

/** `8.5 °C` as this language writes it. */
function number(value) {
  return text.language === 'en' ? value : value.replace(/(\d)\.(\d)/, '$1,$2');
}

function own(table, key) {
  return key !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}
