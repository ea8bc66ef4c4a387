// SPDX-License-Identifier: Apache-2.0

import { LinkError } from './gatt.js';
import { decode, objects } from './lines.js';
import { ITEMS, LONGEST_CHUNK, LONGEST_VALUE } from './service.js';
import { text } from './strings.js';
import { said } from './told.js';

const encode = (value) => new TextEncoder().encode(value);

/** A refusal in words for a person. */
export class Refusal extends Error {}

/** The values of the configuration service as text, objects and lines. */
export class Gateway {
  constructor(link) {
    this.link = link;
  }

  async readText(item) {
    return decode(await this.link.read(ITEMS[item]));
  }

  async readObject(item) {
    return objects([await this.readText(item)])[0] ?? {};
  }

  /** Of values that hold as many whole lines as fit. */
  async readLines(item) {
    return (await this.readText(item)).split('\n').filter((line) => line !== '');
  }

  async writeText(item, value, options) {
    await this.#write(item, encode(value), options);
  }

  /** An object that is too long for one value goes in several: a key that is left out keeps what was there. */
  async writeObject(item, object, options) {
    const whole = encode(JSON.stringify(object));
    if (whole.length <= LONGEST_VALUE) {
      await this.#write(item, whole, options);
      return;
    }
    for (const [key, value] of Object.entries(object)) {
      await this.#write(item, encode(JSON.stringify({ [key]: value })), options);
    }
  }

  subscribe(item, onLine) {
    return this.link.subscribe(ITEMS[item], onLine);
  }

  subscribeObjects(item, onObject) {
    return this.link.subscribe(ITEMS[item], (line) => objects([line]).forEach(onObject));
  }

  /** Sends a certificate, from where an earlier attempt has stopped; `progress` is told the part that has arrived. */
  async sendAuthority(pem, progress) {
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', pem));
    const sha256 = [...digest].map((octet) => octet.toString(16).padStart(2, '0')).join('');
    let held = await this.readObject('authority');
    const isSame = held.sha256 === sha256;
    if (isSame && (held.state === 'complete' || held.state === 'in-use')) return;
    let sent = isSame && held.state === 'partial' ? held.received ?? 0 : 0;
    if (sent === 0) await this.writeObject('authority', { size: pem.length, sha256 });
    for (let failures = 0; sent < pem.length;) {
      progress(sent / pem.length);
      const part = pem.subarray(sent, sent + LONGEST_CHUNK);
      const chunk = new Uint8Array(4 + part.length);
      new DataView(chunk.buffer).setUint32(0, sent, true);
      chunk.set(part, 4);
      try {
        await this.#write('authorityData', chunk, { again: false });
        sent += part.length;
      } catch (error) {
        failures += 1;
        if (failures > 5 || error instanceof Refusal || error.kind !== 'lost' || this.link.state === 'gone') throw error;
        // The gateway says how far it has come; the last chunk may have arrived or not.
        held = await this.readObject('authority');
        if (held.sha256 !== sha256) await this.writeObject('authority', { size: pem.length, sha256 });
        sent = held.sha256 === sha256 ? held.received ?? 0 : 0;
      }
    }
    progress(1);
    held = await this.readObject('authority');
    if (held.sha256 !== sha256 || (held.state !== 'complete' && held.state !== 'in-use')) {
      throw new Refusal(text.broker.authorityMismatch);
    }
  }

  async #write(item, octets, options) {
    if (octets.length > LONGEST_VALUE) throw new Refusal(text.errors.tooLong);
    try {
      await this.link.write(ITEMS[item], octets, options);
    } catch (error) {
      if (!(error instanceof LinkError) || error.kind !== 'refused') throw error;
      throw new Refusal(await this.#reason());
    }
  }

  // Browsers hide the error's code; the gateway keeps the words.
  async #reason() {
    try {
      return said(await this.readText('lastError')) || text.errors.refused;
    } catch {
      return text.errors.refused;
    }
  }
}

/** Any failure in words. */
export function wordsOf(error) {
  if (error instanceof Refusal) return error.message;
  if (error instanceof LinkError) return text.errors[error.kind] ?? text.errors.refused;
  return text.errors.other(error?.message ?? String(error));
}
