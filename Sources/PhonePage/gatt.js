// SPDX-License-Identifier: Apache-2.0

import { LineBuffer } from './lines.js';
import { OperationQueue, pause } from './queue.js';
import { ITEMS, SERVICE } from './service.js';

/** Why an operation failed, as far as a page can know: browsers do not show the codes of the attribute protocol. */
export class LinkError extends Error {
  constructor(kind, cause) {
    super(cause?.message ?? kind);
    /** `lost`: the link is gone. `unpaired`: the gateway wants a paired phone. `refused`: the gateway said no. */
    this.kind = kind;
  }
}

const RECONNECT_AFTER = [300, 1000, 2000, 4000, 8000];
const RECONNECT_TRIES = 30;

/**
 * The link to a gateway. Operations queue, wait while the link is being made again, and then go on; subscriptions survive.
 *
 * Events: `change` when `state` has changed; `unpaired` when the gateway does not know this phone any more.
 */
export class Link extends EventTarget {
  /** `down`, `connecting`, `up`, `lost` (comes back by itself), `gone` (does not). */
  state = 'down';
  /** The gateway has answered a protected read, so there is a bond that the link is encrypted with on demand. */
  isPaired = false;

  #device;
  #queue = new OperationQueue();
  #characteristics = new Map();
  #subscriptions = new Map();
  #waiters = [];

  constructor(device) {
    super();
    this.#device = device;
    device.addEventListener('gattserverdisconnected', () => this.#disconnected());
  }

  get deviceName() { return this.#device.name; }

  async connect() {
    this.#set('connecting');
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#open();
        this.#set('up');
        return;
      } catch (error) {
        if (this.state === 'down') throw new LinkError('lost', error);
        // Android's first connection after a scan often ends at once.
        if (attempt === 3 || error instanceof MissingService) {
          this.disconnect();
          throw error instanceof MissingService ? error : new LinkError('lost', error);
        }
        await pause(500 * attempt);
      }
    }
  }

  /** Ends the link for good. */
  disconnect() {
    this.#set('down');
    this.#device.gatt.disconnect();
  }

  async read(item, { patient = true } = {}) {
    return this.#operate(item, async (characteristic) => {
      const subscription = this.#subscriptions.get(item);
      if (subscription) subscription.held = [];
      try {
        const value = octets(await characteristic.readValue());
        if (subscription) this.#release(subscription, value);
        return value;
      } finally {
        if (subscription) this.#release(subscription, null);
      }
    }, patient);
  }

  /** `again`: may be written twice, which happens when the link is lost before the gateway has answered. */
  async write(item, value, { again = true } = {}) {
    return this.#operate(item, (characteristic) => characteristic.writeValueWithResponse(value), again);
  }

  /** Calls `onLine` with each whole line until the function that this gives is called. */
  async subscribe(item, onLine) {
    const subscription = { onLine, buffer: new LineBuffer(), held: null, listener: null, characteristic: null };
    this.#subscriptions.set(item, subscription);
    try {
      await this.#operate(item, (characteristic) => this.#listen(characteristic, subscription), true);
    } catch (error) {
      if (this.#subscriptions.get(item) === subscription) this.#subscriptions.delete(item);
      throw error;
    }
    return () => this.#unsubscribe(item, subscription);
  }

  // One more read than the queue's is harmless, a subscription without an end is not: so this never throws.
  async #unsubscribe(item, subscription) {
    if (this.#subscriptions.get(item) !== subscription) return;
    this.#subscriptions.delete(item);
    if (this.state !== 'up') return;
    try {
      await this.#queue.run(async () => {
        // Somebody may have subscribed again in the meantime.
        if (this.#subscriptions.has(item)) return;
        const characteristic = this.#characteristics.get(item);
        characteristic.removeEventListener('characteristicvaluechanged', subscription.listener);
        await characteristic.stopNotifications();
      });
    } catch {
      // The link is gone, and the subscription with it.
    }
  }

  async #listen(characteristic, subscription) {
    // The link was lost while this was asked for the first time, and has come back with it: twice would be every piece twice.
    if (subscription.characteristic === characteristic) return;
    subscription.buffer = new LineBuffer();
    subscription.held = null;
    subscription.listener = (event) => {
      const piece = octets(event.target.value);
      if (subscription.held) subscription.held.push(piece);
      else this.#feed(subscription, piece);
    };
    characteristic.addEventListener('characteristicvaluechanged', subscription.listener);
    try {
      await characteristic.startNotifications();
      subscription.characteristic = characteristic;
    } catch (error) {
      characteristic.removeEventListener('characteristicvaluechanged', subscription.listener);
      throw error;
    }
  }

  // A read fires the same event as a notification: what was held while it went on, without its own value, is the rest.
  #release(subscription, value) {
    const held = subscription.held ?? [];
    subscription.held = null;
    const own = value === null ? -1 : held.findLastIndex((piece) => same(piece, value));
    held.forEach((piece, index) => { if (index !== own) this.#feed(subscription, piece); });
  }

  #feed(subscription, piece) {
    for (const line of subscription.buffer.take(piece)) subscription.onLine(line);
  }

  async #operate(item, operation, again) {
    for (let attempt = 1; ; attempt += 1) {
      await this.#whenUp();
      try {
        return await this.#queue.run(() => this.#insist(() => operation(this.#characteristic(item))));
      } catch (error) {
        const failure = this.#classify(error);
        if (failure.kind === 'lost' && again && attempt < 4 && this.state !== 'down' && this.state !== 'gone') {
          // The event of the disconnection may come after the failure.
          await pause(100);
          continue;
        }
        if (failure.kind === 'unpaired' && this.isPaired) {
          this.isPaired = false;
          this.dispatchEvent(new Event('unpaired'));
        }
        throw failure;
      }
    }
  }

  // Another page may have an operation under way, and so may the browser itself while it pairs.
  async #insist(operation) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await operation();
      } catch (error) {
        if (attempt === 10 || !/already in progress/i.test(error?.message ?? '')) throw error;
        await pause(100 * attempt);
      }
    }
  }

  #characteristic(item) {
    const characteristic = this.#characteristics.get(item);
    if (!characteristic) throw new LinkError('lost');
    return characteristic;
  }

  #classify(error) {
    if (error instanceof LinkError) return error;
    if (!this.#device.gatt.connected) return new LinkError('lost', error);
    const isUnpaired = error?.name === 'SecurityError' || /paired|authori[sz]ed|authenticat|encrypt/i.test(error?.message ?? '');
    return new LinkError(isUnpaired ? 'unpaired' : 'refused', error);
  }

  async #open() {
    await this.#queue.run(async () => {
      const server = await this.#device.gatt.connect();
      let service;
      try {
        service = await server.getPrimaryService(SERVICE);
      } catch (error) {
        if (error?.name === 'NotFoundError') throw new MissingService();
        throw error;
      }
      const found = await service.getCharacteristics();
      this.#characteristics = new Map(found.map((characteristic) => [characteristic.uuid, characteristic]));
      if (!Object.values(ITEMS).every((uuid) => this.#characteristics.has(uuid))) throw new MissingService();
    });
  }

  #disconnected() {
    if (this.state === 'up') this.#restore();
  }

  async #restore() {
    this.#set('lost');
    for (let attempt = 0; attempt < RECONNECT_TRIES && this.state === 'lost'; attempt += 1) {
      await pause(RECONNECT_AFTER[Math.min(attempt, RECONNECT_AFTER.length - 1)]);
      if (this.state !== 'lost') return;
      try {
        await this.#open();
        // A read first: it makes the browser encrypt the link with the key of the bond.
        if (this.isPaired) await this.#queue.run(() => this.#characteristics.get(ITEMS.time).readValue());
        for (const [item, subscription] of this.#subscriptions) {
          await this.#queue.run(() => this.#listen(this.#characteristics.get(item), subscription));
        }
        if (this.state !== 'lost') return;
        this.#set('up');
        return;
      } catch (error) {
        if (this.#device.gatt.connected && this.#classify(error).kind === 'unpaired' && this.isPaired) {
          this.isPaired = false;
          // What was asked for and has not begun yet begins now, or is refused.
          for (const [item, { characteristic }] of this.#subscriptions) {
            if (characteristic) this.#subscriptions.delete(item);
          }
          this.#set('up');
          this.dispatchEvent(new Event('unpaired'));
          return;
        }
      }
    }
    if (this.state === 'lost') this.#set('gone');
  }

  #whenUp() {
    if (this.state === 'up') return Promise.resolve();
    if (this.state !== 'lost') return Promise.reject(new LinkError('lost'));
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  #set(state) {
    if (state === this.state) return;
    this.state = state;
    if (state !== 'lost' && state !== 'connecting') {
      const waiters = this.#waiters.splice(0);
      for (const { resolve, reject } of waiters) {
        if (state === 'up') resolve();
        else reject(new LinkError('lost'));
      }
    }
    this.dispatchEvent(new Event('change'));
  }
}

/** The device has no configuration service, or another version of it. */
export class MissingService extends Error {}

function octets(view) {
  return new Uint8Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

function same(one, other) {
  return one.length === other.length && one.every((octet, index) => octet === other[index]);
}
