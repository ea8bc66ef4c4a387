// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A row of ``OperationTable``: an operation that clients may request from a running gateway.
package struct OperationRow: Sendable {
    /// The strongest change made by an operation, in rising order.
    package enum Effect: String, Comparable, CaseIterable, Sendable {
        case looks
        /// The gateway sends by radio.
        case radio
        /// The gateway's own state or configuration.
        case settings
        /// Files that a person has to clear away, or readings that are lost.
        case disk
        /// The process ends and starts anew.
        case restart

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
        package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }
    }

    package struct Argument: Sendable {
        package var name: String
        package var meaning: String
        package var isRequired: Bool
        /// A secret is accepted only on ways that others cannot read (``Caller/takesSecrets``): never from a broker.
        package var isSecret: Bool
        /// The page takes the argument in the query of a GET, too.
        package var isInQuery: Bool
        /// The argument's names in the release before, by caller.
        package var former: [Caller: String]

        init(
            _ name: String, _ meaning: String, isRequired: Bool = true, isSecret: Bool = false,
            isInQuery: Bool = false, former: [Caller: String] = [:]
        ) {
            (self.name, self.meaning, self.isRequired) = (name, meaning, isRequired)
            (self.isSecret, self.isInQuery, self.former) = (isSecret, isInQuery, former)
        }
    }

    /// A name of the release before. The next release removes it.
    package struct Alias: Sendable {
        package var name: String
        package var callers: Set<Caller>
        /// The value of `mode` that selected this operation under the former name; nil: the name was enough.
        package var mode: String?
        /// A key of requests under the former name alone; nil: there is none.
        package var key: String?

        init(_ name: String, _ callers: Set<Caller>, mode: String? = nil, key: String? = nil) {
            (self.name, self.callers, self.mode, self.key) = (name, callers, mode, key)
        }
    }

    /// A broker's clients may call `burst` times at once, and one more time each `period`.
    package struct Pace: Equatable, Sendable {
        package var burst: Int
        package var period: Duration

        static let looking = Pace(burst: 60, period: .seconds(1))
        static let changing = Pace(burst: 32, period: .seconds(15))
    }

    /// The most that one request may come to. The control socket has bounds of its own besides (``ControlLimits``).
    package struct Bounds: Equatable, Sendable {
        /// Octets of the request, a JSON object.
        package var arguments: Int
        /// Octets of the answer.
        package var result: Int
        /// The longest wait for an answer.
        package var time: Duration

        init(arguments: Int = 4_096, result: Int = 256 << 10, time: Duration = .seconds(60)) {
            (self.arguments, self.result, self.time) = (arguments, result, time)
        }
    }

    /// The entity in Home Assistant that asks for the operation, if `mqtt.commands.allow` allows the operation.
    package struct Control: Sendable {
        package enum Kind: Sendable {
            case button
            /// Home Assistant's entity for updates.
            case update
        }

        package var kind: Kind
        /// A JSON object.
        package var request = "{}"
    }

    package enum Form: Sendable {
        case answer
        /// Lines in both directions on the control socket, until either side ends the dialogue.
        case dialogue
        /// The answer is an ``OperationFile``. The page's visitors get it by GET.
        case file
    }

    package typealias Result = any Codable & Sendable

    package let name: OperationName
    /// A sentence.
    package let purpose: String
    package let arguments: [Argument]
    /// The type that the arguments are read as. A test holds both to each other.
    package let takes: any (Decodable & SendableMetatype).Type
    /// The type of the result, on each way; of a dialogue, the type of its lines.
    package let gives: any (Codable & Sendable).Type
    package let effect: Effect
    /// The callers that may use the operation; all others are refused.
    package let callers: Set<Caller>
    package let pace: Pace
    package let bounds: Bounds
    /// The steps of the work, in their order; empty for work of one step.
    package let steps: [String]
    package let aliases: [Alias]
    package let form: Form
    /// Nil: Home Assistant does not show the operation.
    package let control: Control?
}

extension OperationRow {
    /// Whether a request may be carried out: by the rights of the way on which it comes, and by its size.
    package func admit(_ call: OperationCall) throws(OperationError) {
        guard callers.contains(call.caller) else {
            throw OperationError(.refused, "\(quoted(name.rawValue)) cannot be asked for on this way")
        }
        guard call.data.count <= bounds.arguments else {
            throw OperationError(
                .notValid, "\(quoted(name.rawValue)) takes \(bounds.arguments) octets of arguments at most")
        }
    }
}
