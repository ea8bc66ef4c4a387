// SPDX-License-Identifier: Apache-2.0

// What is wrong with the page as it is now, for people who see little, use no mouse, or have a small screen: a list of
// sentences. WCAG 2.2: 1.4.3 (contrast), 1.4.10 (reflow), 2.5.8 (targets; 44 px here), 4.1.2 (names).
(() => {
  const wrong = [];
  // What is clipped away is there for screen readers alone.
  const clipped = (node) => node !== null && (getComputedStyle(node).clipPath !== 'none' || clipped(node.parentElement));
  const shown = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !clipped(node);
  const about = (node) => `<${node.tagName.toLowerCase()}${node.id ? ` #${node.id}` : ''}> “${(node.textContent || node.value || '').trim().slice(0, 30)}”`;

  const colour = (text) => {
    const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d');
    context.fillStyle = text;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, bottom) => [0, 1, 2].map((part) => top[part] * top[3] + bottom[part] * (1 - top[3])).concat(1);
  const luminance = (parts) => parts.slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.920 : ((part + 0.055) / 1.055) ** 2.400))
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const background = (node) => {
    const layers = [];
    let opacity = 1;
    for (let at = node; at; at = at.parentElement) {
      layers.push(colour(getComputedStyle(at).backgroundColor));
      opacity *= Number(getComputedStyle(at).opacity);
    }
    const base = matchMedia('(prefers-color-scheme: dark)').matches ? [0, 0, 0, 1] : [255, 255, 255, 1];
    return { paint: layers.reverse().reduce((below, layer) => over(layer, below), base), opacity };
  };

  const modal = document.querySelector('dialog[open]');
  const root = modal ?? document.body;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || seen.has(node) || !shown(node)) continue;
    seen.add(node);
    if (node.closest('.hidden, .skip, [aria-disabled="true"], option')) continue;
    const style = getComputedStyle(node);
    const { paint, opacity } = background(node);
    const ink = colour(style.color);
    ink[3] *= opacity;
    const [light, dark] = [luminance(over(ink, paint)), luminance(paint)].sort((one, other) => other - one);
    const ratio = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const wanted = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    if (ratio < wanted) wrong.push(`${about(node)}: contrast ${ratio.toFixed(2)}, wanted ${wanted}`);
  }

  for (const node of root.querySelectorAll('button, a[href], input, select, summary, [role="button"]')) {
    if (!node.checkVisibility({ visibilityProperty: true }) || node.classList.contains('skip')) continue;
    const label = node.getAttribute('aria-label') || [...(node.labels ?? [])].map((each) => each.textContent).join('') ||
      (['INPUT', 'SELECT'].includes(node.tagName) ? '' : node.textContent);
    if (!label.trim()) wrong.push(`${about(node)}: has no name`);
    const target = node.type === 'radio' || node.type === 'checkbox' ? node.closest('.choice, .check-row') ?? node : node;
    const box = target.getBoundingClientRect();
    // Half a pixel is rounding.
    if (box.height < 43.5 || box.width < 43.5) {
      wrong.push(`${about(node)}: a target of ${Math.round(box.width)} × ${Math.round(box.height)} px`);
    }
    if (node.tabIndex < 0) wrong.push(`${about(node)}: not to be reached by keyboard`);
  }

  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) {
    wrong.push(`scrolls sideways: ${document.documentElement.scrollWidth} px in ${document.documentElement.clientWidth}`);
  }
  if (!document.documentElement.lang) wrong.push('no language');
  if ([...document.querySelectorAll('h1')].filter(shown).length !== 1) wrong.push('not one h1');
  let level = 1;
  for (const heading of document.querySelectorAll('main h1, main h2, main h3')) {
    if (!shown(heading)) continue;
    const next = Number(heading.tagName[1]);
    if (next > level + 1) wrong.push(`${about(heading)}: h${next} after h${level}`);
    level = next;
  }
  const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
  for (const id of new Set(ids)) if (ids.filter((each) => each === id).length > 1) wrong.push(`twice the id ${id}`);
  for (const node of document.querySelectorAll('[aria-describedby], [aria-labelledby]')) {
    for (const id of `${node.getAttribute('aria-describedby') ?? ''} ${node.getAttribute('aria-labelledby') ?? ''}`.split(' ')) {
      if (id && !document.getElementById(id)) wrong.push(`${about(node)}: refers to #${id}, which there is not`);
    }
  }
  for (const image of document.querySelectorAll('img')) if (!image.hasAttribute('alt')) wrong.push('an img without alt');
  return wrong;
})()
