// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Configuration
import Foundation
import Operations
import Platform
import Publisher

/// Clients' operations on a running gateway, for the configuration service, the page and commands over MQTT. No
/// operation blocks the caller's thread or the gateway's queues.
package protocol GatewayOperations: AnyObject, Sendable {
    /// The status as in `martlet status`.
    func status() async -> GatewayStatus

    /// All sensors heard in the last minutes, accepted or not, strongest first; at most 256.
    func heardSensors() async -> [HeardSensor]

    /// Collects from a sensor from now on, also after a restart.
    func accept(_ acceptance: SensorAcceptance) async throws(OperationError) -> HeardSensor

    /// Listens for a sensor, connects to it unless it advertises its values, and reports its characteristics and
    /// values. One inspection at a time; stores nothing, and does not pair.
    ///
    /// - Parameters:
    ///   - address: `C4:7C:8D:00:11:22`.
    ///   - limit: How long to listen.
    ///   - progress: Each step as it begins, on any thread.
    func inspect(
        _ address: String, within limit: Duration, progress: @escaping @Sendable (SensorInspection.Step) -> Void
    ) async throws(OperationError) -> InspectionReport

    /// Takes back an acceptance made by ``accept(_:)``. Refused for an entry in a person's own file.
    func forget(_ sensor: String) async throws(OperationError)

    /// Removes an entity of a sensor from Home Assistant. The gateway collects from the sensor as before.
    ///
    /// - Parameters:
    ///   - sensor: Its id or address.
    ///   - quantity: The key in payloads: `tvoc`, `temperature_2`.
    func forget(_ quantity: String, of sensor: String) async throws(OperationError)

    /// Gives an accepted sensor its passkey, by its id or address.
    func setPasskey(_ passkey: Secret, of sensor: String) async throws(OperationError)

    /// Gives an accepted sensor a name for people and a room. An empty text removes the name or the room; nil changes nothing.
    func rename(_ sensor: String, label: String?, room: String?) async throws(OperationError)

    /// Gives an accepted sensor the key that decrypts its advertisements: 32, 24 or 48 hexadecimal digits.
    func setBindKey(_ key: Secret, of sensor: String) async throws(OperationError)

    /// Trusts a sensor, on the operator's word: a sensor whose counter went back, or one of two devices that claim to
    /// be the sensor.
    ///
    /// - Parameter address: `C4:7C:8D:00:11:22`; nil for the device in doubt.
    func trust(_ sensor: String, _ address: String?) async throws(OperationError) -> TrustedSensor

    /// Explains a sensor's state, and its past events; by its id, name, address or identifier.
    func explain(_ sensor: String) async throws(OperationError) -> SensorExplanation

    func bonds() async -> BondList
    func unpair(_ device: String) async throws(OperationError) -> BondStatus

    /// The settings of all layers together, without secrets.
    func settings() async -> GatewaySettings

    /// Throws all mistakes of a change, as `check-config` would list them; changes nothing.
    ///
    /// - Returns: The step that puts the change into effect: the strongest effect of its keys.
    func check(_ change: ConfigurationChange) async throws(OperationError) -> ConfigurationEffect

    /// Uses a change from now on, without keeping it. A restart, or ``revert()``, ends the trial.
    func tryOut(_ change: ConfigurationChange) async throws(OperationError)

    /// Waits for the broker's answer to the settings in use, `limit` at most. `progress`: each step as it begins.
    func checkBroker(
        within limit: Duration, progress: @escaping @Sendable (BrokerStep) -> Void
    ) async throws(BrokerCheckFailure)

    /// Writes the trial to disk, in one step: after a power cut, the disk has the old or the new settings. `network`:
    /// the network named by `NetworkControlling.keep`; nil leaves the network as it is, and empty removes it.
    func keep(network: String?) async throws(OperationError)

    /// Ends a trial: the settings on disk hold again.
    func revert() async

    /// Restores the settings from before the last ``keep(network:)``; refused without such settings.
    ///
    /// - Returns: the network of that time.
    func undo() async throws(OperationError) -> String?

    func clock() async -> ClockStatus

    /// Sets the clock, as `martlet clock set` does.
    ///
    /// - Parameter insists: Accept a time far from the gateway's own knowledge.
    func setClock(unixMilliseconds: Int64, insists: Bool) async throws(OperationError) -> ClockStatus

    /// The newest lines of the log, oldest first, as in journalctl; without secrets.
    func logTail(lines: Int) async -> [String]

    /// New lines of the log, until the task is cancelled; a slow reader misses some.
    func logLines() -> AsyncStream<String>

    /// Removes provisioned settings, bonds and the journal's readings, and ends the process, which starts anew.
    func resetToFactory() async throws(OperationError)
}
