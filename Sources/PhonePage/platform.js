// SPDX-License-Identifier: Apache-2.0

import { text } from './strings.js';

/**
 * What is missing in this browser: a title, what it means and what to do. `isFatal`: the page cannot go on; otherwise it
 * says so beside its own content. nil when nothing is missing.
 */
export async function missing(browser = navigator, isSecure = window.isSecureContext) {
  const t = text.platform;
  if (isAppleMobile(browser) && !browser.bluetooth) return problem(t.iosTitle, t.ios, t.iosDo);
  if (!isSecure) return problem(t.insecureTitle, t.insecure, t.insecureDo);
  const isLinux = /Linux|X11/.test(browser.userAgent) && !/Android|CrOS/.test(browser.userAgent);
  if (!browser.bluetooth) {
    if (/Firefox|FxiOS/.test(browser.userAgent)) return problem(t.firefoxTitle, t.firefox, t.firefoxDo);
    const isChrome = /Chrom/.test(browser.userAgent);
    if (!isChrome && /Safari/.test(browser.userAgent)) return problem(t.safariTitle, t.safari, t.safariDo);
    if (isLinux && isChrome) return { ...problem(t.linuxOffTitle, t.linuxOff, t.linuxOffDo), isLinux: true };
    return problem(t.otherTitle, t.other, t.otherDo);
  }
  if (!(await isAvailable(browser.bluetooth))) {
    return { ...problem(t.adapterTitle, t.adapter, t.adapterDo), isAdapter: true };
  }
  return isLinux ? { ...problem(t.linuxTitle, t.linux, null), isLinux: true, isFatal: false } : null;
}

const problem = (title, what, todo) => ({ title, what, todo, isFatal: true });

// An iPad says that it is a Mac; no Mac has a screen for fingers.
function isAppleMobile(browser) {
  return /iPhone|iPad|iPod/.test(browser.userAgent) ||
    (/Macintosh/.test(browser.userAgent) && browser.maxTouchPoints > 1);
}

async function isAvailable(bluetooth) {
  if (!bluetooth.getAvailability) return true;
  try {
    return await bluetooth.getAvailability();
  } catch {
    return true;
  }
}
