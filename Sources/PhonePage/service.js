// SPDX-License-Identifier: Apache-2.0

// The attributes of the configuration service: docs/provisioning.md.

export const VERSION = '1';

/** No value of GATT is longer, in octets. */
export const LONGEST_VALUE = 512;

/** Of a chunk of the CA certificate's data, beside its offset. */
export const LONGEST_CHUNK = 508;

/** Octets of PEM that the gateway takes. */
export const LONGEST_CERTIFICATE = 16 * 1024;

const uuid = (number) => `c60e${number}-6fca-4533-8c04-739715e5f018`;

export const SERVICE = uuid('0001');

export const ITEMS = {
  version: uuid('0010'),
  model: uuid('0011'),
  name: uuid('0012'),
  state: uuid('0013'),
  next: uuid('0014'),
  country: uuid('0020'),
  networks: uuid('0021'),
  wifi: uuid('0022'),
  broker: uuid('0023'),
  authority: uuid('0024'),
  authorityData: uuid('0025'),
  time: uuid('0026'),
  sensors: uuid('0030'),
  accept: uuid('0031'),
  forget: uuid('0032'),
  passkey: uuid('0033'),
  status: uuid('0040'),
  log: uuid('0041'),
  identify: uuid('0042'),
  apply: uuid('0050'),
  rollBack: uuid('0051'),
  factoryReset: uuid('0052'),
  window: uuid('0060'),
  lastError: uuid('0061'),
};

/** The steps of `Apply`, in their order. */
export const STEPS = ['check', 'country', 'associate', 'address', 'name', 'connect', 'tls', 'broker', 'keep'];
