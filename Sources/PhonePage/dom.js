// SPDX-License-Identifier: Apache-2.0

// Everything that is shown is built of nodes and text: what comes from the air is never markup.

const SVG = 'http://www.w3.org/2000/svg';

/** An element: `on` has its listeners, `class` and the others are attributes; false and null leave one out. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === 'on') for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name === 'value') node.value = value;
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const PATHS = {
  check: ['M4.500 12.500 10 18 19.500 7'],
  cross: ['M6 6l12 12', 'M18 6 6 18'],
  warning: ['M12 3.500 22 20.500H2z', 'M12 10v4.500', 'M12 17.600v.1'],
  info: ['M12 11v6', 'M12 7.200v.1', 'M12 21.500a9.500 9.500 0 1 0 0-19 9.500 9.500 0 0 0 0 19z'],
  lock: ['M6 11h12v9.500H6z', 'M8.500 11V7.500a3.500 3.500 0 0 1 7 0V11'],
  link: ['M7 7.500l10 9-5 4.500V3l5 4.500-10 9'],
  key: ['M15.500 3a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11z', 'M11.500 12.500 3.500 20.500', 'M6 18l2.500 2.500'],
  wifi: ['M2.500 9.500a14 14 0 0 1 19 0', 'M6 13.300a9 9 0 0 1 12 0', 'M9.500 17a4 4 0 0 1 5 0'],
  sensor: ['M12 3v10', 'M9 13.500V6a3 3 0 0 1 6 0v7.500a4.500 4.500 0 1 1-6 0z'],
  back: ['M14.500 5 7.500 12l7 7'],
};

export function icon(name, label) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', `icon icon-${name}`);
  if (label) {
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', label);
  } else {
    svg.setAttribute('aria-hidden', 'true');
  }
  for (const data of PATHS[name] ?? []) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', data);
    svg.append(path);
  }
  return svg;
}

/** Four bars of which `strength` per cent are filled. */
export function bars(strength, label) {
  const filled = Math.max(1, Math.min(4, Math.ceil(strength / 25)));
  return el('span', { class: 'bars', role: 'img', 'aria-label': label },
    [1, 2, 3, 4].map((bar) => el('span', { class: `bar bar-${bar}${bar <= filled ? ' on' : ''}` })));
}

export function button(label, onClick, { kind = 'plain', ...attributes } = {}) {
  return el('button', { type: 'button', class: `button ${kind}`, on: { click: onClick }, ...attributes }, label);
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
  box.fail = (text) => {
    problem.replaceChildren(icon('warning'), text ?? '');
    problem.hidden = !text;
    if (text) input.setAttribute('aria-invalid', 'true');
    else input.removeAttribute('aria-invalid');
  };
  box.input = input;
  input.addEventListener('input', () => box.fail(null));
  return box;
}

/** An input for a secret, with a button that shows it. */
export function secretField(label, { hint, ...attributes } = {}) {
  const input = el('input', {
    type: 'password', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', ...attributes });
  const box = field(label, input, hint);
  const show = el('button', { type: 'button', class: 'show', 'aria-pressed': 'false' });
  const update = () => {
    show.textContent = show.dataset[input.type === 'password' ? 'show' : 'hide'];
    show.setAttribute('aria-pressed', String(input.type !== 'password'));
  };
  show.addEventListener('click', () => {
    input.type = input.type === 'password' ? 'text' : 'password';
    update();
  });
  box.labels = (showText, hideText, name) => {
    show.dataset.show = showText;
    show.dataset.hide = hideText;
    show.setAttribute('aria-label', name);
    update();
    return box;
  };
  const row = el('div', { class: 'secret' });
  input.replaceWith(row);
  row.append(input, show);
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
