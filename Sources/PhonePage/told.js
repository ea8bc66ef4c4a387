// SPDX-License-Identifier: Apache-2.0

// What the gateway tells in words, in the language of the page: by its code where it tells one, else by the English template of the sentence.

import { speaker } from './said.js';
import { text } from './strings.js';

export const { said } = speaker({ sentences: text.sentences, values: text.values, dayUnit: text.dayUnit });

/** The problem that a status has; undefined without one. `problem_about` is the name of its sensor. */
export function problemOf({ problem, problem_code: code, problem_about: about }) {
  const words = problem && code !== undefined && Object.hasOwn(text.problems, code) ? text.problems[code] : undefined;
  return words === undefined ? said(problem) : words.replace('{sensor}', () => about ?? '');
}
