// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One line from a client of the control socket: `{"command":"status"}`.
package struct ControlRequest: Codable, Equatable, Sendable {
    package enum Command: String, Codable, Sendable, CaseIterable {
        case status
        case bufferStats = "buffer-stats"
        case historyPause = "history-pause"
        case historyResume = "history-resume"
        case historyDrain = "history-drain"
        case bufferPurge = "buffer-purge"
        case bufferCompact = "buffer-compact"
        case bonds
        case unpair
        case clock
        case clockSet = "clock-set"
        /// What is in the air, and what of it is accepted: an array of ``HeardSensor``.
        case devices
        /// Collects from the sensor at the address `device` from now on.
        case accept
        case forget
        /// Gives the sensor `device` the key that opens what it advertises.
        case key
        /// Takes the operator's word that the sensor `device` is the one at `address`, or counts anew: a ``TrustedSensor``.
        case trust
        /// Why the sensor `device` is as it is: a ``SensorExplanation``.
        case why
        /// Reads, or writes, the `characteristic` of the sensor `device`: ``CharacteristicValue``, ``CharacteristicWrite``.
        case read
        case write
        /// Writes a file for somebody who helps: ``SupportBundle``, with what is in it.
        case supportBundle = "support-bundle"
        /// `martlet update` tells how it goes: the `update`.
        case updateReport = "update-report"
        /// Begins a dialogue: see ``PairingMessage``.
        case pair
        /// Begins a dialogue: see ``InspectionMessage``.
        case inspect
    }

    package var command: String
    /// Of `pair`, `unpair`, `why`, `key`, `trust`, `read` and `write`: a sensor's id, name, address or identifier. Of `accept` and `inspect`: its
    /// address; of `forget`: that, or its id.
    package var device: String?
    /// Of `trust`: the address of the device that is the sensor.
    package var address: String?
    /// Of `pair` and `accept`: six digits, where they are known beforehand.
    package var passkey: String?
    /// Of `key`: 32 or 24 hexadecimal digits.
    package var bindKey: String?
    /// Of `accept`: what the sensor is called in topics, and `"SERVICE/CHARACTERISTIC"` to collect.
    package var id: String?
    /// Of `forget`: the one entity that Home Assistant is to forget, `tvoc`; nil for the whole sensor.
    package var quantity: String?
    package var subscribe: [String]?
    /// Of `read` and `write`: `"SERVICE/CHARACTERISTIC"`.
    package var characteristic: String?
    /// Of `write`: hexadecimal digits; and whether the sensor is to confirm them, where that is left to choose.
    package var value: String?
    package var response: Bool?
    package var update: UpdateReport?
    /// Of `inspect`: how long to listen; 30, and 120 at most.
    package var seconds: Double?
    /// Of `clock-set`: milliseconds since 1970 UTC.
    package var unixMs: Int64?
    /// Of `clock-set`: take it also where it is far from what the gateway knows.
    package var force: Bool?

    package init(
        _ command: Command, device: String? = nil, passkey: String? = nil, unixMs: Int64? = nil, force: Bool? = nil
    ) {
        self.unixMs = unixMs
        self.force = force
        self.command = command.rawValue
        self.device = device
        self.passkey = passkey
    }
}

/// The one line that answers a request: `{"ok":true,"result":{…}}` or `{"ok":false,"error":"…"}`.
package struct ControlResponse<Result: Codable & Sendable>: Codable, Sendable {
    package var ok: Bool
    package var result: Result?
    package var error: String?

    package static func success(_ result: Result) -> Self { Self(ok: true, result: result, error: nil) }
    package static func failure(_ error: String) -> Self { Self(ok: false, result: nil, error: error) }
}

/// How both sides write JSON: keys in snake case, sorted, no line breaks.
package enum ControlCoding {
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(value))
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, from octets: [UInt8]) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(octets))
    }
}

/// Bounds of the control socket: a client can cost the gateway no more than this.
package struct ControlLimits: Sendable {
    /// Longest request, in octets, without its line end.
    package var request = 4096
    /// When one more comes, the one that has been silent for longest goes.
    package var clients = 16
    /// How long a client may be silent, or slow to take its answer.
    package var patience: Duration = .seconds(10)
    /// How long the gateway may take for an answer; then the client is told that there is none.
    package var answer: Duration = .seconds(65)
    /// Answers that may be on their way at once, those included whose clients have gone.
    package var answers = 32
    /// How long a dialogue may last as a whole: people take their time.
    package var dialogue: Duration = .seconds(180)
    /// Lines that a client may send in one dialogue.
    package var dialogueLines = 32

    package init() {}
}

package enum ControlError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another process answers on the socket.
    case inUse(path: String)
    case pathTooLong(path: String)
    case system(operation: String, path: String, errno: Int32)
    /// The gateway did not answer in time, or closed the connection.
    case noAnswer(path: String)
    /// The gateway answered that it could not do it.
    case refused(String)
    case malformedAnswer(String)

    /// There is no such socket, or nobody behind it.
    package var saysThatNobodyListens: Bool {
        if case .system(_, _, let code) = self { code == ENOENT || code == ECONNREFUSED } else { false }
    }

    package var description: String {
        switch self {
        case .inUse(let path): "another gateway is running: it listens on \(path)"
        case .pathTooLong(let path): "the path of a socket has at most 107 octets: \(path)"
        case .system(let operation, let path, let errno): "\(operation) \(path): \(String(cString: strerror(errno)))"
        case .noAnswer(let path): "no answer on \(path)"
        case .refused(let reason): reason
        case .malformedAnswer(let reason): "the gateway's answer could not be read: \(reason)"
        }
    }
}
