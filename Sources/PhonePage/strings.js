// SPDX-License-Identifier: Apache-2.0

// The texts in the first language that the reader's browser wants and the page has; English otherwise.

import { text as german } from './strings.de.js';
import { text as english } from './strings.en.js';

const LANGUAGES = { en: english, de: german };
const wanted = (navigator.languages ?? [navigator.language]).map((tag) => String(tag).toLowerCase().split('-')[0]);

export const text = LANGUAGES[wanted.find((tag) => Object.hasOwn(LANGUAGES, tag))] ?? english;
export const { language } = text;
