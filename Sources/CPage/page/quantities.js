// SPDX-License-Identifier: Apache-2.0

// The order in which people look for quantities: the air around a sensor first, the sensor itself last.

const FIRST = [
  'temperature', 'humidity', 'co2', 'pm25', 'pm10', 'tvoc', 'radon', 'moisture', 'pressure', 'illuminance', 'body_temperature', 'heart_rate',
  'weight', 'glucose', 'oxygen_saturation', 'power', 'energy', 'current', 'state_of_charge', 'door', 'window', 'opening', 'motion',
  'occupancy', 'water', 'liquid_level', 'distance', 'speed', 'cadence',
];
const LAST = [
  'battery', 'battery_low', 'voltage', 'tx_power', 'count', 'sequence', 'uptime', 'channel', 'timestamp', 'device_type', 'firmware_version',
  'sample_age', 'sample_interval', 'settings_revision', 'advertisement_count', 'movement_counter', 'rssi',
];
const PLACES = new Map([...FIRST.map((name, index) => [name, index - FIRST.length]), ...LAST.map((name, index) => [name, index + 1])]);

/** `temperature_2` is a temperature. */
const place = (quantity) => PLACES.get(quantity) ?? PLACES.get(String(quantity).replace(/_\d+$/, '')) ?? 0;

/** The same items, those that people look for first; items that are alike stay in their order. */
export const byInterest = (items) => [...items].sort((one, other) => place(one.quantity) - place(other.quantity));

/** The limits of a sensor's quantity, as the status tells them: `{ low, high }`; a bound that is none is left out. */
export function limitsOf(status, sensor, quantity) {
  const bounds = {};
  for (const limit of Array.isArray(status?.limits) ? status.limits : []) {
    if (limit?.sensor !== sensor || limit.quantity !== quantity || !Number.isFinite(limit.limit)) continue;
    bounds[['below', 'low'].includes(limit.side) ? 'low' : 'high'] = limit.limit;
  }
  return bounds;
}
