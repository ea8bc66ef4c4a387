// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Foundation
import Platform
import Publisher

/// What clients may do with a running gateway: the configuration service, later the page and commands over MQTT. Nothing
/// of it blocks the caller's thread or the gateway's queues.
package protocol GatewayOperations: AnyObject, Sendable {
    /// As `martlet status` shows it.
    func status() async -> GatewayStatus

    /// Everything that was heard in the last minutes, accepted or not, strongest first; at most 256.
    func heardSensors() async -> [HeardSensor]

    /// Collects from a sensor from now on, and after each restart.
    func accept(_ acceptance: SensorAcceptance) async throws(OperationError) -> HeardSensor

    /// Listens for a sensor, connects to it where it does not advertise its values, and tells what it has. One at a time;
    /// nothing is kept, and nothing paired.
    ///
    /// - Parameters:
    ///   - address: `C4:7C:8D:00:11:22`.
    ///   - limit: How long to listen.
    ///   - progress: Each step as it begins, on any thread.
    func inspect(
        _ address: String, within limit: Duration, progress: @escaping @Sendable (SensorInspection.Step) -> Void
    ) async throws(OperationError) -> InspectionReport

    /// Takes an acceptance back that was made by ``accept(_:)``. An entry in somebody's own file is left, and refused.
    func forget(_ sensor: String) async throws(OperationError)

    /// Has Home Assistant forget one entity of a sensor, which is collected from as before.
    ///
    /// - Parameters:
    ///   - sensor: Its id or address.
    ///   - quantity: As payloads name it: `tvoc`, `temperature_2`.
    func forget(_ quantity: String, of sensor: String) async throws(OperationError)

    /// Gives an accepted sensor its passkey, by its id or address.
    func setPasskey(_ passkey: Secret, of sensor: String) async throws(OperationError)

    /// Gives an accepted sensor the key that opens what it advertises: 32 or 24 hexadecimal digits.
    func setBindKey(_ key: Secret, of sensor: String) async throws(OperationError)

    /// Takes the operator's word for a sensor whose counter went back, or for the device that is the sensor, where two claim to
    /// be it.
    ///
    /// - Parameter address: `C4:7C:8D:00:11:22`; nil for whatever is in doubt.
    func trust(_ sensor: String, _ address: String?) async throws(OperationError) -> TrustedSensor

    /// Why a sensor is as it is, and what happened to it; by its id, name, address or identifier.
    func explain(_ sensor: String) async throws(OperationError) -> SensorExplanation

    func bonds() async -> BondList
    func unpair(_ device: String) async throws(OperationError) -> BondStatus

    /// What the machine's layer and the layers below it come to, without secrets.
    func settings() async -> GatewaySettings

    /// Says everything that is wrong with a change, as `check-config` would; changes nothing.
    ///
    /// - Returns: What has to happen for it to take effect: the strongest of the effects of its keys.
    func check(_ change: ConfigurationChange) async throws(OperationError) -> ConfigurationEffect

    /// Uses a change from now on, without keeping it: a restart, or ``takeBack()``, ends that.
    func tryOut(_ change: ConfigurationChange) async throws(OperationError)

    /// Waits until the broker has answered to the settings in use, `limit` at most. `progress`: each step as it begins.
    func proveBroker(
        within limit: Duration, progress: @escaping @Sendable (BrokerStep) -> Void
    ) async throws(BrokerProofFailure)

    /// Writes what is tried out to disk, in one step: after a power cut there is the old or the new. `network`: what
    /// `NetworkControlling.keep` has named; nil leaves it as it is, and empty says that there is none any more.
    func keep(network: String?) async throws(OperationError)

    /// Ends a trial: what is on disk holds again.
    func takeBack() async

    /// Goes back to what was kept before the last ``keep(network:)``; refused where there is nothing to go back to.
    ///
    /// - Returns: the network of that time.
    func undo() async throws(OperationError) -> String?

    func clock() async -> ClockStatus

    /// Takes a time for the clock's, as `martlet clock set` does.
    ///
    /// - Parameter insists: Take it also where it is far from what the gateway knows.
    func setClock(unixMilliseconds: Int64, insists: Bool) async throws(OperationError) -> ClockStatus

    /// The newest lines of the log, oldest first, as journalctl would show them; secrets are not in them.
    func logTail(lines: Int) async -> [String]

    /// New lines of the log, until the task is cancelled; who does not keep up misses some.
    func logLines() -> AsyncStream<String>

    /// Removes what was provisioned, the bonds and the journal's readings, and ends the process, which starts anew.
    func resetToFactory() async throws(OperationError)
}

/// Why something was not done, in words for a person that say what to do.
package struct OperationError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: String, Codable, Sendable {
        case notValid = "not-valid"
        case notFound = "not-found"
        /// Another client is changing something.
        case busy
        case refused
        case failed
    }

    package var kind: Kind
    package var description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
