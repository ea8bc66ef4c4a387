// SPDX-License-Identifier: Apache-2.0

extension OperationRow {
    /// A way by which clients send requests, with the traits of the way.
    ///
    /// A row lists the ways that may use the row; all other ways are refused. The adapter of a new transport makes a value of its
    /// own. A value with a name alone carries no secrets, and has the arguments of a request as the whole request.
    package struct Caller: Hashable, Sendable {
        package let name: String
        /// The key of a request that the adapter reads; nil: all keys of a request are arguments.
        package let outerKey: String?
        /// Whether nobody else reads the requests of the way. Other ways refuse secret arguments.
        package let takesSecrets: Bool
        /// Whether a request may have the arguments under ``enclosure``.
        package let enclosesArguments: Bool
        /// Whether work ends when its client waits no longer.
        package let endsWorkWithWait: Bool
        /// The most elements of a list in an answer that the way can carry.
        package let longestList: Int

        package init(
            _ name: String, outerKey: String? = nil, takesSecrets: Bool = false, enclosesArguments: Bool = false,
            endsWorkWithWait: Bool = false, longestList: Int = .max
        ) {
            (self.name, self.outerKey, self.takesSecrets) = (name, outerKey, takesSecrets)
            (self.enclosesArguments, self.endsWorkWithWait) = (enclosesArguments, endsWorkWithWait)
            self.longestList = longestList
        }

        /// The word that may enclose the arguments of a request.
        static let enclosure = "arguments"
    }
}

extension OperationRow.Caller {
    /// The control socket, open to root and the gateway's group. The command line uses this way.
    package static let socket = Self("socket", outerKey: "command", takesSecrets: true, endsWorkWithWait: true)
    /// The gateway's page, for visitors with a login.
    package static let page = Self("page", takesSecrets: true)
    /// The broker, for operations listed in `mqtt.commands.allow`. The other clients of a broker may read requests and answers. Lists
    /// are short, because some brokers take short messages alone.
    package static let broker = Self("broker", outerKey: "id", enclosesArguments: true, longestList: 64)
    /// The phone of an owner: the configuration service's characteristics.
    package static let phone = Self("phone", takesSecrets: true)

    /// The ways of the program, in the order of docs/operations.md.
    package static let all: [Self] = [.socket, .page, .broker, .phone]
}

extension OperationRow.Caller: CustomStringConvertible {
    package var description: String { name }
}
