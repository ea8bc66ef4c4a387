// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Readings

extension SensorRule.Feed {
    /// Reads `180d/2a37` or `heart_rate/heart_rate_measurement`; `181a/2a6e#2` is the second of several characteristics
    /// with this UUID.
    package init(parsing text: String) throws(InvalidValue) {
        let pair = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let parts = pair[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw InvalidValue("holds \(quoted(text)); wanted is \"SERVICE/CHARACTERISTIC\", like \"180d/2a37\"")
        }
        var instance = 0
        if pair.count == 2 {
            guard let number = Int(pair[1]), (1...255).contains(number) else {
                throw InvalidValue(
                    "holds \(quoted(text)), where # is not followed by a number from 1 to 255; wanted is "
                        + "\"SERVICE/CHARACTERISTIC#2\" for the second characteristic with that UUID")
            }
            instance = number
        }
        self.init(
            service: try AssignedName.uuid(parts[0], among: AssignedName.services, what: "service"),
            characteristic: try AssignedName.uuid(
                parts[1], among: AssignedName.characteristics, what: "characteristic"), instance: instance)
    }
}

extension SensorRule.Sequence {
    static let form = "{ characteristic = \"SERVICE/CHARACTERISTIC\", offset = 0, length = 1, order = \"little\" }"

    /// Reads a table of this form. Only the characteristic is required.
    @Sendable init(parsing table: [String: ConfigurationValue]) throws(InvalidValue) {
        guard case .string(let text) = table["characteristic"] else {
            throw InvalidValue("has no characteristic; wanted is \(Self.form)")
        }
        self.init(feed: try SensorRule.Feed(parsing: text))
        for (name, value) in table.sorted(by: { $0.key < $1.key }) {
            switch (name, value) {
            case ("characteristic", _): break
            case ("offset", .integer(let number)) where (0...511).contains(number): offset = number
            case ("offset", _): throw InvalidValue("has an offset that is no integer from 0 to 511")
            case ("length", .integer(let number)) where [1, 2, 4].contains(number): length = number
            case ("length", _): throw InvalidValue("has a length other than 1, 2 or 4")
            case ("order", .string("little")): isBigEndian = false
            case ("order", .string("big")): isBigEndian = true
            case ("order", _): throw InvalidValue("has an order other than \"little\" or \"big\"")
            default:
                let hint = NearestName.of(name, among: ["characteristic", "length", "offset", "order"])
                throw InvalidValue(
                    "has an unknown key \(quoted(name))" + (hint.map { " – did you mean \(quoted($0))?" } ?? ""))
            }
        }
    }
}

extension AssignedName {
    static func uuid(
        _ text: String, among names: [String: UInt16], what: String
    ) throws(InvalidValue) -> BluetoothUUID {
        if let short = names[text] { return BluetoothUUID(short) }
        if let uuid = BluetoothUUID(text) { return uuid }
        let hint = NearestName.of(text, among: names.keys.sorted()).map { " – did you mean \(quoted($0))?" } ?? ""
        throw InvalidValue("holds \(quoted(text)), which is neither the UUID nor the name of a \(what)\(hint)")
    }
}
