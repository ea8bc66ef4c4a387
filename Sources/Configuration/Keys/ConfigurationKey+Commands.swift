// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector

extension ConfigurationKey {
    /// Commands for a sensor: a list of tables.
    static func commands(
        _ name: String, _ path: any Path<[SensorRule.Command]>, _ help: String
    ) -> Self {
        let type = "list of tables, like `\(SensorRule.Command.form)`"
        return Self(name: name, type: type, help: help, path: path, fallback: { _ in "[]" }) {
            (value, root) throws(InvalidValue) in
            guard case .list(let list) = value else { throw wrong(value, wanted: "a list of tables") }
            guard list.count <= SensorRule.Command.maximumCount else {
                throw InvalidValue("has more than \(SensorRule.Command.maximumCount) commands")
            }
            var commands: [SensorRule.Command] = []
            for entry in list {
                guard case .table(let table) = entry else { throw InvalidValue("holds \(entry.kind), not only tables") }
                commands.append(try SensorRule.Command(parsing: table))
            }
            root[keyPath: path] = commands
        }
    }
}

extension SensorRule.Command {
    static let form = "{ characteristic = \"SERVICE/CHARACTERISTIC\", value = \"0a01\" }"

    /// Reads a table of this form.
    init(parsing table: [String: ConfigurationValue]) throws(InvalidValue) {
        if let name = table.keys.filter({ $0 != "characteristic" && $0 != "value" }).min() {
            let hint = NearestName.of(name, among: ["characteristic", "value"])
            throw InvalidValue(
                "has an unknown key \(quoted(name))" + (hint.map { " – did you mean \(quoted($0))?" } ?? ""))
        }
        guard case .string(let feed) = table["characteristic"], case .string(let digits) = table["value"] else {
            throw InvalidValue("holds a command without characteristic or value; wanted is \(Self.form)")
        }
        guard let octets = [UInt8](hexadecimal: digits.filter { $0 != " " }),
            (1...Self.maximumLength).contains(octets.count)
        else {
            throw InvalidValue(
                "has a value that is no string of 1 to \(Self.maximumLength) octets, two hexadecimal digits each")
        }
        self.init(try SensorRule.Feed(parsing: feed), octets)
    }
}
