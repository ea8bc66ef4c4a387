// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// A row of ``OperationTable``: an operation that clients may request from a running gateway.
package struct OperationRow: Sendable {
    /// The ways by which clients send requests.
    package enum Caller: String, CaseIterable, Sendable {
        /// The control socket, open to root and the gateway's group. The command line uses this way.
        case socket
        /// The gateway's page, for visitors with a login.
        case page
        /// The broker, for operations listed in `mqtt.commands.allow`.
        case broker
    }

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
        /// A secret is accepted only on ways that others cannot read: never from a broker.
        package var isSecret: Bool
        /// The argument's names in the release before, by caller.
        package var former: [Caller: String]

        init(
            _ name: String, _ meaning: String, isRequired: Bool = true, isSecret: Bool = false,
            former: [Caller: String] = [:]
        ) {
            (self.name, self.meaning, self.isRequired) = (name, meaning, isRequired)
            (self.isSecret, self.former) = (isSecret, former)
        }
    }

    /// A name of the release before. The next release removes it.
    package struct Alias: Sendable {
        package var name: String
        package var callers: Set<Caller>
        /// The value of `mode` that selected this operation under the former name; nil: the name was enough.
        package var mode: String?

        init(_ name: String, _ callers: Set<Caller>, mode: String? = nil) {
            (self.name, self.callers, self.mode) = (name, callers, mode)
        }
    }

    /// A broker's clients may call `burst` times at once, and one more time each `period`.
    package struct Pace: Equatable, Sendable {
        package var burst: Int
        package var period: Duration

        static let looking = Pace(burst: 60, period: .seconds(1))
        static let changing = Pace(burst: 32, period: .seconds(15))
    }

    package enum Form: Sendable {
        case answer
        /// Lines in both directions on the control socket, until either side ends the dialogue.
        case dialogue
    }

    package typealias Result = any Encodable & Sendable
    package typealias Work = @Sendable (GatewayService, OperationCall) async throws(OperationError) -> Result

    package let name: OperationName
    /// A sentence.
    package let purpose: String
    package let arguments: [Argument]
    package let effect: Effect
    /// The callers that may use the operation; all others are refused.
    package let callers: Set<Caller>
    package let pace: Pace
    package let aliases: [Alias]
    package let form: Form
    /// Nil: another module implements the operation, see ``GatewayService/provide(_:_:)``, or the operation is a
    /// dialogue.
    let work: Work?
}

/// A request for an operation.
package struct OperationCall: Sendable {
    package var caller: OperationRow.Caller
    /// A JSON object: the arguments, and on the socket and over MQTT their enclosing keys.
    package var data: Data
    /// The request's id. A broker's client recognises the answer by the id, and the gateway recognises a repeated
    /// request.
    package var id: String?

    package init(_ caller: OperationRow.Caller, _ data: Data, id: String? = nil) {
        (self.caller, self.data, self.id) = (caller, data, id)
    }
}
