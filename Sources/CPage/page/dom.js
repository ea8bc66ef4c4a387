// SPDX-License-Identifier: Apache-2.0

// Everything that is shown is built of nodes and text: what comes from the air, or from the log, is never markup.

const SVG = 'http://www.w3.org/2000/svg';

// Control characters, and those that turn the direction of what follows: a name may hold any, and shows none. The two joiners
// that scripts and emoji need stay.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
export const plain = (words) => String(words).replace(UNSEEN, '');

/** An element: `on` has its listeners, `class` and the others are attributes; false and null leave one out. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same of SVG. */
export function shape(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === 'on') for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name === 'value') node.value = value;
    else node.setAttribute(name, value === true ? '' : plain(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : plain(child))));
  return node;
}

/** Changes the text of a node, if it is another one. */
export function put(node, text) {
  const words = plain(text ?? '');
  if (node.textContent !== words) node.textContent = words;
  return node;
}

/** Sets an attribute, or takes it away for null, if it changes. */
export function mark(node, name, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else if (node.getAttribute(name) !== plain(value)) {
    node.setAttribute(name, plain(value));
  }
}

/** Shows or hides. */
export function show(node, isShown) {
  if (node.hidden === Boolean(isShown)) node.hidden = !isShown;
}

const PATHS = {
  check: ['M4.500 12.500 10 18 19.500 7'],
  cross: ['M6 6l12 12', 'M18 6 6 18'],
  warning: ['M12 3.500 22 20.500H2z', 'M12 10v4.500', 'M12 17.600v.1'],
  info: ['M12 11v6', 'M12 7.200v.1', 'M12 21.500a9.500 9.500 0 1 0 0-19 9.500 9.500 0 0 0 0 19z'],
  clock: ['M12 7v5.200l3.500 2', 'M12 21.500a9.500 9.500 0 1 0 0-19 9.500 9.500 0 0 0 0 19z'],
  sensor: ['M12 3v10', 'M9 13.500V6a3 3 0 0 1 6 0v7.500a4.500 4.500 0 1 1-6 0z'],
  air: ['M12 13.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3z', 'M8 16a5.600 5.600 0 0 1 0-8', 'M16 8a5.600 5.600 0 0 1 0 8',
    'M5 19a9.900 9.900 0 0 1 0-14', 'M19 5a9.900 9.900 0 0 1 0 14'],
  inside: ['M4 19v-6', 'M9.300 19V5', 'M14.700 19v-9', 'M20 19v-3'],
  log: ['M5 6h14', 'M5 10.700h14', 'M5 15.300h9', 'M5 20h12'],
  setup: ['M4 7h9', 'M19 7h1', 'M16 9.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z', 'M4 17h1', 'M11 17h9',
    'M8 19.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z'],
  light: ['M12 16.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9z', 'M12 2v2', 'M12 20v2', 'M2 12h2', 'M20 12h2',
    'M4.900 4.900l1.400 1.400', 'M17.700 17.700l1.400 1.400', 'M4.900 19.100l1.400-1.400', 'M17.700 6.300l1.400-1.400'],
  dark: ['M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z'],
  system: ['M3.500 5h17v11h-17z', 'M9 20h6', 'M12 16v4'],
  radio: ['M7 7.500l10 9-5 4.500V3l5 4.500-10 9'],
  cloud: ['M7 19a4.500 4.500 0 0 1-.5-8.970 6 6 0 0 1 11.600 1.500A3.800 3.800 0 0 1 17.500 19z'],
  disk: ['M4 6.500c0-1.900 3.600-3 8-3s8 1.100 8 3-3.600 3-8 3-8-1.100-8-3z', 'M4 6.500v11c0 1.900 3.600 3 8 3s8-1.100 8-3v-11',
    'M4 12c0 1.900 3.600 3 8 3s8-1.100 8-3'],
};

/** A line drawing; without a label it is there for the eye alone. */
export function icon(name, label) {
  const svg = shape('svg', { viewBox: '0 0 24 24', class: `icon icon-${name}`,
    ...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' }) });
  svg.append(...(PATHS[name] ?? []).map((d) => shape('path', { d })));
  return svg;
}

export function button(label, onClick, { kind = 'plain', symbol = null, ...attributes } = {}) {
  return el('button', { type: 'button', class: `button ${kind}`, on: { click: onClick }, ...attributes },
    symbol ? icon(symbol) : null, label);
}

/** A line that stands out. Of kind `error` it is read aloud when it appears. */
export function notice(kind, ...content) {
  const symbol = { error: 'warning', warning: 'warning', good: 'check', info: 'info' }[kind];
  return el('div', { class: `notice ${kind}`, role: kind === 'error' ? 'alert' : false },
    icon(symbol), el('div', { class: 'notice-text' }, ...content));
}

let fields = 0;

/** A labelled input. `hint` is tied to it, and so is what `fail` says is wrong. */
export function field(label, input, hint) {
  fields += 1;
  input.id ||= `field-${fields}`;
  const problem = el('p', { class: 'problem', id: `${input.id}-problem`, hidden: true });
  const note = hint ? el('p', { class: 'hint', id: `${input.id}-hint` }, hint) : null;
  input.setAttribute('aria-describedby', [note?.id, problem.id].filter(Boolean).join(' '));
  const isCheck = input.type === 'checkbox';
  const caption = el('label', { for: input.id }, label);
  const box = el('div', { class: isCheck ? 'field check' : 'field' },
    isCheck ? [el('div', { class: 'check-row' }, input, caption)] : [caption, input], note, problem);
  box.fail = (words) => {
    problem.replaceChildren(icon('warning'), words ?? '');
    problem.hidden = !words;
    if (words) input.setAttribute('aria-invalid', 'true');
    else input.removeAttribute('aria-invalid');
  };
  box.input = input;
  input.addEventListener('input', () => box.fail(null));
  return box;
}

/** An input for a secret, with a button that shows it. */
export function secretField(label, { hint, showText, hideText, ...attributes }) {
  const input = el('input', {
    type: 'password', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', ...attributes });
  const box = field(label, input, hint);
  const toggle = el('button', { type: 'button', class: 'show' });
  const update = () => {
    const isHidden = input.type === 'password';
    toggle.textContent = isHidden ? showText : hideText;
    toggle.setAttribute('aria-label', `${toggle.textContent}: ${label}`);
  };
  toggle.addEventListener('click', () => {
    input.type = input.type === 'password' ? 'text' : 'password';
    update();
  });
  update();
  const row = el('div', { class: 'secret' });
  input.replaceWith(row);
  row.append(input, toggle);
  /** Takes the secret out of the page. */
  box.take = () => {
    const value = input.value;
    input.value = '';
    input.type = 'password';
    update();
    return value;
  };
  return box;
}

/** Names and values. `set` changes the values in place; a row whose value is null is hidden. */
export function facts(names) {
  const rows = new Map(Object.entries(names).map(([key, name]) => {
    const value = el('bdi', {});
    return [key, { row: el('div', { hidden: true }, el('dt', {}, name), el('dd', {}, value)), value }];
  }));
  const node = el('dl', { class: 'table' }, [...rows.values()].map(({ row }) => row));
  const set = (values) => {
    for (const [key, { row, value }] of rows) {
      const words = values[key] ?? null;
      show(row, words !== null && words !== '');
      if (words !== null) put(value, words);
    }
  };
  return { node, set };
}

/** Brings the children of a list into an order with as few moves as are needed: what does not move keeps its focus. */
export function arrange(list, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...list.children]) if (!wanted.has(child)) child.remove();
  let at = list.firstChild;
  for (const node of nodes) {
    if (node === at) at = at.nextSibling;
    else list.insertBefore(node, at);
  }
}

/** Whether somebody is just reading or using a list, so that its order had better stay. */
export function attention(list) {
  const STAYS = 12_000;
  let until = 0;
  let isInside = false;
  const touched = () => { until = performance.now() + STAYS; };
  list.addEventListener('pointerenter', (event) => { isInside = event.pointerType === 'mouse'; touched(); });
  list.addEventListener('pointerleave', () => { isInside = false; });
  list.addEventListener('pointerdown', touched);
  list.addEventListener('touchmove', touched, { passive: true });
  return () => isInside || performance.now() < until || list.contains(document.activeElement);
}

/** Gives a text to the reader as a file. */
export function save(name, words, type = 'text/plain') {
  const address = URL.createObjectURL(new Blob([words], { type }));
  el('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
