// SPDX-License-Identifier: Apache-2.0

// A navigator.bluetooth of the tests' own: what it is asked goes to the test by a binding of the DevTools protocol, and on to
// a gateway there. It refuses what Chrome refuses, in Chrome's words: a second operation at once, one without a link, a
// chooser without a tap, values of more than 512 octets.
(() => {
  const waiting = new Map();
  let device = null;
  let next = 0;

  const failure = (name, message) => new DOMException(message, name);
  const noLink = () => failure('NetworkError',
    'GATT Server is disconnected. Cannot perform GATT operations. (Re)connect first with `device.gatt.connect`.');

  // As blink's bluetooth_error.cc has them.
  function attError(code) {
    if (code === 'disconnected') return failure('NetworkError', 'GATT Server disconnected while performing a GATT operation.');
    if (code === 'unreachable') return failure('NetworkError', 'Connection attempt failed.');
    if (code === 'cancelled') return failure('NotFoundError', 'User cancelled the requestDevice() chooser.');
    if (code === 'adapter') return failure('NotFoundError', 'Bluetooth adapter not available.');
    if (code === 'service') return failure('NotFoundError', 'No Services matching UUID found in Device.');
    if (code === 0x02 || code === 0x03) return failure('NotSupportedError', 'GATT operation not permitted.');
    if (code === 0x05 || code === 0x08) return failure('SecurityError', 'GATT operation not authorized.');
    if (code === 0x06) return failure('NotSupportedError', 'GATT Error: Not supported.');
    if (code === 0x0c || code === 0x0f) return failure('NetworkError', 'GATT Error: Not paired.');
    if (code === 0x0d) return failure('InvalidModificationError', 'GATT Error: invalid attribute length.');
    return failure('NotSupportedError', 'GATT Error Unknown.');
  }

  function ask(request) {
    return new Promise((resolve, reject) => {
      next += 1;
      waiting.set(next, { resolve, reject });
      window.bluetoothBridge(JSON.stringify({ id: next, ...request }));
    });
  }

  const statistics = { operations: 0, refused: 0, longestWrite: 0, links: 0 };

  async function operate(request) {
    if (!device.gatt.connected) throw noLink();
    if (device.gatt.busy) {
      statistics.refused += 1;
      throw failure('NetworkError', 'GATT operation already in progress.');
    }
    device.gatt.busy = true;
    statistics.operations += 1;
    try {
      return await ask(request);
    } finally {
      device.gatt.busy = false;
    }
  }

  const octets = (text) => new Uint8Array((text.match(/../g) ?? []).map((pair) => parseInt(pair, 16)));
  const digits = (value) => [...new Uint8Array(value.buffer ?? value, value.byteOffset ?? 0, value.byteLength)]
    .map((octet) => octet.toString(16).padStart(2, '0')).join('');

  class Characteristic extends EventTarget {
    value = null;
    constructor(uuid, link) {
      super();
      this.uuid = uuid;
      this.link = link;
    }

    #check() {
      if (this.link !== device.gatt.link) {
        throw failure('InvalidStateError', `Characteristic with UUID ${this.uuid} is no longer valid.`);
      }
    }

    async readValue() {
      this.#check();
      const { value } = await operate({ op: 'read', uuid: this.uuid });
      this.tell(value);
      return this.value;
    }

    async writeValueWithResponse(value) {
      this.#check();
      const text = digits(value);
      if (text.length > 1024) throw failure('InvalidModificationError', 'Value can\'t exceed 512 bytes.');
      statistics.longestWrite = Math.max(statistics.longestWrite, text.length / 2);
      await operate({ op: 'write', uuid: this.uuid, value: text });
    }

    async startNotifications() {
      this.#check();
      device.notifying.set(this.uuid, this);
      await operate({ op: 'subscribe', uuid: this.uuid });
      return this;
    }

    async stopNotifications() {
      this.#check();
      device.notifying.delete(this.uuid);
      await operate({ op: 'unsubscribe', uuid: this.uuid });
      return this;
    }

    tell(text) {
      this.value = new DataView(octets(text).buffer);
      this.dispatchEvent(new Event('characteristicvaluechanged'));
    }
  }

  class Server {
    connected = false;
    busy = false;
    link = 0;

    async connect() {
      await ask({ op: 'connect' });
      this.connected = true;
      this.link += 1;
      statistics.links += 1;
      return this;
    }

    disconnect() {
      const was = this.connected;
      this.connected = false;
      device.notifying.clear();
      ask({ op: 'disconnect' }).catch(() => {});
      if (was) device.dispatchEvent(new Event('gattserverdisconnected'));
    }

    async getPrimaryService(uuid) {
      const { characteristics } = await operate({ op: 'discover', uuid });
      const found = characteristics.map((each) => new Characteristic(each, this.link));
      return { uuid, getCharacteristics: async () => {
        if (!this.connected) throw noLink();
        return found;
      } };
    }
  }

  class Device extends EventTarget {
    gatt = new Server();
    notifying = new Map();
  }

  class Bluetooth extends EventTarget {
    async getAvailability() { return (await ask({ op: 'availability' })).available; }

    async requestDevice({ filters }) {
      if (!navigator.userActivation.isActive) {
        throw failure('SecurityError', 'Must be handling a user gesture to show a permission request.');
      }
      const { id, name } = await ask({ op: 'choose', services: filters.flatMap((filter) => filter.services) });
      device = Object.assign(new Device(), { id, name });
      return device;
    }
  }

  const bluetooth = new Bluetooth();
  Object.defineProperty(navigator, 'bluetooth', { value: bluetooth, configurable: true });
  window.bluetoothOfTests = {
    statistics,
    reply(id, answer) {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if ('error' in answer) reject(attError(answer.error));
      else resolve(answer);
    },
    notify(uuid, text) { device?.notifying.get(uuid)?.tell(text); },
    disconnected() {
      if (!device?.gatt.connected) return;
      device.gatt.connected = false;
      device.notifying.clear();
      device.dispatchEvent(new Event('gattserverdisconnected'));
    },
    availabilityChanged() { bluetooth.dispatchEvent(new Event('availabilitychanged')); },
  };
})();
