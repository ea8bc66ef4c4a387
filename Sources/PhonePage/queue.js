// SPDX-License-Identifier: Apache-2.0

/**
 * Operations one after the other: a browser refuses a second one while the first is under way ("GATT operation already in
 * progress"). Operations begin in the order in which they were given; one that fails does not stop those behind it.
 */
export class OperationQueue {
  static limit = 64;

  #tail = Promise.resolve();
  #waiting = 0;

  run(operation) {
    if (this.#waiting >= OperationQueue.limit) {
      return Promise.reject(new Error('too many operations wait for the gateway'));
    }
    this.#waiting += 1;
    const result = this.#tail.then(operation);
    this.#tail = result.then(
      () => { this.#waiting -= 1; },
      () => { this.#waiting -= 1; });
    return result;
  }
}

export const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });
