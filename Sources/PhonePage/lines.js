// SPDX-License-Identifier: Apache-2.0

/**
 * Puts the pieces of notifications together again: a line feed ends a message. A character may be cut by the end of a
 * piece, so octets are collected and only whole lines are decoded.
 */
export class LineBuffer {
  static limit = 8192;

  #octets = [];
  #isTooLong = false;

  /** The lines that this piece has ended. */
  take(piece) {
    const lines = [];
    for (const octet of piece) {
      if (octet !== 0x0a) {
        if (this.#octets.length < LineBuffer.limit) this.#octets.push(octet);
        else this.#isTooLong = true;
        continue;
      }
      if (this.#octets.length > 0 && !this.#isTooLong) lines.push(decode(this.#octets));
      this.#octets = [];
      this.#isTooLong = false;
    }
    return lines;
  }
}

export function decode(octets) {
  return new TextDecoder().decode(new Uint8Array(octets));
}

/** The JSON objects of whole lines; what is none is left out. */
export function objects(lines) {
  return lines.flatMap((line) => {
    try {
      const value = JSON.parse(line);
      return value !== null && typeof value === 'object' && !Array.isArray(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}
