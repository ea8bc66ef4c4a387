// SPDX-License-Identifier: Apache-2.0

// Sentences of the gateway in the language of a page. They are known by their English templates: `no sensor is called {1}`. The set-up page
// (Sources/PhonePage) has this file, too.

/** No sentence of the gateway is longer, and no one has more in it. */
const LONGEST = 2_000;
const DEEPEST = 6;
/** Looks for templates in one sentence: texts from outside may have many marks. */
const MOST_LOOKS = 60;
/** Sentences that are kept: a view asks again each time it is drawn. */
const MOST_KEPT = 500;
/** The gateway cuts no shorter text, and this much of a template has to be in a text that is cut. */
const LEAST_CUT = 40;
const LEAST_FIT = 20;
/** `mqtt.port is 0; …`: the key of a configuration stands before what is said of it. */
const OF_KEY = /^((?:[a-z][a-z0-9_]*\.)+[a-z0-9_]+) (?=(?:is|has|holds|names) )/;
/** Several sentences on keys, one behind the other. */
const KEYS = /; (?=(?:[a-z][a-z0-9_]*\.)+[a-z0-9_]+ (?:is|has|holds|names|and) )/;
/** `… – did you mean "host"?`: what the gateway supposes stands behind any sentence. */
const SUPPOSED = /^(.+?)( – did you mean .+\?)$/s;
/** The rest of a sentence, in a place of its own. */
const REST = /^([,;:] | – )(.+)$/s;
/** What an entry asks for. */
const WANTS = /^the (?:name|address|identifier|service|family) /;

const own = (table, key) => (Object.hasOwn(table, key) ? table[key] : undefined);
/** What a template says by itself, without what stands in its places. */
const bare = (template) => template.replace(/\{\d+\}/g, '').length;

/**
 * `{ said, wantsIn, learn }` of a language. `sentences` and `values` are its words by the English ones, `dayUnit` is its `d`; without sentences,
 * the gateway's own words stand. `learn` adds sentences.
 */
export function speaker({ sentences: first, values, dayUnit }) {
  const sentences = { ...first };
  let templates = templatesOf(sentences);
  const lately = new Map();
  let looks = 0;

  /**
   * A sentence of the gateway in this language; as it is where it has no template. What stands in a place of a template may be a sentence
   * itself: the error of a lower layer. `a; b`, `a: b`, `a – b` and `A. (b)` are sentences in a row.
   */
  function said(sentence) {
    if (!templates.length || typeof sentence !== 'string' || sentence.length > LONGEST) return sentence;
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
    if (/^\d+ d$/.test(sentence)) return sentence.replace('d', dayUnit);
    const ofKeys = sentence.split(KEYS);
    if (ofKeys.length > 1) return ofKeys.map((one) => part(one, depth + 1)).join('; ');
    const supposed = SUPPOSED.exec(sentence);
    const guess = supposed ? known(supposed[2], depth) : undefined;
    if (guess !== undefined) return part(supposed[1], depth + 1) + guess;
    const key = OF_KEY.exec(sentence)?.[0];
    const ofKey = key ? known(sentence.slice(key.length), depth) : undefined;
    if (ofKey !== undefined) return key + ofKey;
    const one = known(sentence, depth);
    if (one !== undefined) return one;
    // Some parts of the gateway make a whole sentence of a clause.
    const clause = sentence.replace(/([^.])\.$/, '$1');
    const stop = sentence.slice(clause.length);
    const initial = sentence.charAt(0);
    const same = stop ? known(clause, depth) : undefined;
    if (same !== undefined) return same + stop;
    const lower = initial === initial.toLowerCase() ? undefined : known(initial.toLowerCase() + clause.slice(1), depth);
    if (lower !== undefined) return lower.charAt(0).toUpperCase() + lower.slice(1) + stop;
    if (sentence.endsWith(').')) return `${part(sentence.slice(0, -1), depth)}.`;
    const cut = sentence.endsWith('…') && sentence.length >= LEAST_CUT ? ofCut(sentence.slice(0, -1)) : undefined;
    if (cut !== undefined) return cut;
    for (const [mark, end, needsBoth] of [['; ', '', true], ['. (', ')'], [' – ', ''], [': ', ''], ['; ', '']]) {
      const place = sentence.indexOf(mark);
      if (place < 1 || !sentence.endsWith(end)) continue;
      const [first, rest] = [sentence.slice(0, place), sentence.slice(place + mark.length, sentence.length - end.length)];
      const both = [part(first, depth + 1), part(rest, depth + 1)];
      const changed = Number(both[0] !== first) + Number(both[1] !== rest);
      if (changed > (needsBoth ? 1 : 0)) return both.join(mark) + end;
    }
    const rest = REST.exec(sentence);
    if (rest) return rest[1] + part(rest[2], depth + 1);
    return WANTS.test(sentence) ? wantsIn(sentence) : sentence;
  }

  /** A sentence that has a template; undefined for another one. */
  function known(sentence, depth) {
    looks += 1;
    const whole = own(sentences, sentence) ?? own(values, sentence);
    if (whole !== undefined) return whole;
    // The gateway leaves the full stop out where more words follow.
    const stopped = own(sentences, `${sentence}.`);
    if (stopped !== undefined) return stopped.replace(/\.$/, '');
    for (const { pattern, places, other } of templates) {
      const found = pattern.exec(sentence);
      if (found?.slice(1).every(isWhole)) return other.replace(/\{(\d+)\}/g, (_, place) => part(found[places.indexOf(place) + 1], depth + 1));
    }
    return undefined;
  }

  /** The shortest sentence whose beginning this is: the gateway cuts long texts. What is not known of it is `…`. */
  function ofCut(beginning) {
    let best;
    for (const [english, other] of Object.entries(sentences)) {
      if (best && best.english.length <= english.length) continue;
      const named = valuesOfCut(english, beginning);
      if (named) best = { english, words: other.replace(/\{(\d+)\}/g, (_, place) => named[place] ?? '…') };
    }
    return best?.words;
  }

  /** `the name "Fridge" and the address …` in this language. What an operator has written stands between quotes. */
  function wantsIn(wants) {
    return wants.replace(/("(?:[^"\\]|\\.)*")|(^| and )(the (?:name|address|identifier|service|family)) /g, (all, quoted, before, word) => (
      quoted ?? `${before ? ` ${own(values, 'and') ?? 'and'} ` : ''}${own(values, word) ?? word} `));
  }

  function learn(more) {
    Object.assign(sentences, more);
    templates = templatesOf(sentences);
    lately.clear();
  }

  return { said, wantsIn, learn };
}

/** The templates that say the most come first: `{1} is missing` fits parts of others. */
function templatesOf(sentences) {
  return Object.entries(sentences).filter(([english]) => /\{\d+\}/.test(english)).sort(([one], [other]) => bare(other) - bare(one)).map(([english, other]) => ({
    places: [...english.matchAll(/\{(\d+)\}/g)].map(([, place]) => place), pattern: patternOf(english), other }));
}

/** A place beside a word may be empty, `known{2}`, and so may one beside another place, which takes as much as there is: `{1}{2}`. */
function patternOf(english) {
  const words = english.split(/\{\d+\}/);
  const fit = (_, place) => {
    const [before, after] = [words[place], words[place + 1]];
    if (!after && place + 2 < words.length) return '(.+)';
    return /[\w"\])]$/.test(before) || /^\w/.test(after) || (!before && place > 0) ? '(.*?)' : '(.+?)';
  };
  const places = words.slice(1).map(fit);
  return new RegExp(`^${words.map((piece, place) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + (places[place] ?? '')).join('')}$`, 's');
}

/** Whether the value of a place closes no parenthesis that it has not opened: such a value reaches into the next sentence. */
function isWhole(value) {
  let open = 0;
  for (const mark of value) {
    if (mark === '(') open += 1;
    if (mark === ')' && (open -= 1) < 0) return false;
  }
  return true;
}

/** The values of a template's places as far as the text goes; undefined for the beginning of another sentence. */
function valuesOfCut(english, beginning) {
  const named = {};
  let rest = beginning;
  let open = null;
  let fits = 0;
  for (const piece of english.split(/(\{\d+\})/)) {
    if (/^\{\d+\}$/.test(piece)) {
      open = piece.slice(1, -1);
      continue;
    }
    const place = open === null ? (rest.startsWith(piece) ? 0 : -1) : rest.indexOf(piece, 1);
    if (place < 0) {
      if (open === null && !piece.startsWith(rest)) return undefined;
      // The cut is in this piece, or in the place before it.
      let cut = open === null ? 0 : 1;
      while (cut < rest.length && !piece.startsWith(rest.slice(cut))) cut += 1;
      if (open !== null) named[open] = cut < rest.length ? rest.slice(0, cut) : `${rest}…`;
      return fits + rest.length - cut >= LEAST_FIT ? named : undefined;
    }
    if (open !== null) named[open] = rest.slice(0, place);
    rest = rest.slice(place + piece.length);
    fits += piece.length;
    open = null;
  }
  return undefined;
}
