// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// Which sensors to accept and what to collect from them: one `[[sensor]]` of the configuration. What no rule accepts
/// is never connected to.
package struct SensorRule: Equatable, Sendable {
    /// A characteristic in a service, both by UUID.
    package struct Feed: Hashable, Sendable {
        package var service: BluetoothUUID
        package var characteristic: BluetoothUUID
    }

    /// Where the sensor's own numbers of its values are: from one value to the next they grow by one.
    package struct Sequence: Equatable, Sendable {
        package var feed: Feed
        /// Octets before the number: 0…511.
        package var offset = 0
        /// Octets of the number: 1, 2 or 4.
        package var length = 1
        package var isBigEndian = false

        package init(feed: Feed) { self.feed = feed }
    }

    /// The device's name in topics; only for a rule that is about one sensor.
    package var id: String?
    /// The advertised name; with a trailing `*` everything that begins so.
    package var name: String?
    package var address: UInt64?
    /// The identifier that this gateway's Bluetooth stack gave the sensor.
    package var identifier: UUID?
    package var service: BluetoothUUID?
    package var subscribe: [Feed] = []
    package var read: [Feed] = []
    package var sequence: Sequence?
    /// What goes out on `…/state`, where that is not as `[mqtt]` says.
    package var pacing = LivePacingRule()
    /// Whether to pair when the sensor asks for it; nil: as `[security]` says.
    package var pair: Bool?
    /// Six digits, as on the sensor's label.
    package var passkey: Secret?
    package var passkeyFile: String?
    /// LE legacy pairing is taken where the sensor knows nothing else.
    package var allowsLegacyPairing = false

    package init() {}

    /// Whether the rule is about one sensor, so that nothing more is to be looked for once it is found.
    package var isSingle: Bool { id != nil || address != nil || identifier != nil }

    /// Every service that has something to collect, each once.
    package var services: [BluetoothUUID] {
        var seen: Set<BluetoothUUID> = []
        return (read + subscribe).map(\.service).filter { seen.insert($0).inserted }
    }

    /// What is known of a sensor when a rule has to decide.
    package struct Candidate: Sendable {
        package var name: String?
        package var address: UInt64?
        package var identifier: UUID
        package var services: [BluetoothUUID]

        package init(name: String?, address: UInt64?, identifier: UUID, services: [BluetoothUUID]) {
            self.name = name
            self.address = address
            self.identifier = identifier
            self.services = services
        }
    }

    /// Every criterion that is given must hold.
    package func accepts(_ candidate: Candidate) -> Bool {
        if let identifier, identifier != candidate.identifier { return false }
        if let address, address != candidate.address { return false }
        if let service, !candidate.services.contains(service) { return false }
        if let name {
            guard let given = candidate.name else { return false }
            guard name.last == "*" ? given.hasPrefix(name.dropLast()) : given == name else { return false }
        }
        return name != nil || address != nil || identifier != nil || service != nil
    }
}

extension SensorRule.Feed {
    /// Reads `180d/2a37` or `heart_rate/heart_rate_measurement`.
    init(parsing text: String) throws(InvalidValue) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw InvalidValue("holds \(quoted(text)); wanted is \"SERVICE/CHARACTERISTIC\", like \"180d/2a37\"")
        }
        service = try AssignedName.uuid(parts[0], among: AssignedName.services, what: "service")
        characteristic = try AssignedName.uuid(parts[1], among: AssignedName.characteristics, what: "characteristic")
    }
}

extension SensorRule.Sequence {
    static let form = "{ characteristic = \"SERVICE/CHARACTERISTIC\", offset = 0, length = 1, order = \"little\" }"

    /// Reads a table of that form, of which all but the characteristic may be left out.
    @Sendable init(parsing table: [String: ConfigurationValue]) throws(InvalidValue) {
        guard case .string(let text) = table["characteristic"] else {
            throw InvalidValue("has no characteristic; wanted is \(Self.form)")
        }
        feed = try SensorRule.Feed(parsing: text)
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

/// Names that may be written instead of UUIDs. Assigned Numbers, 3.4 and 3.8.
enum AssignedName {
    static let services: [String: UInt16] = [
        "battery_service": 0x180F, "device_information": 0x180A, "environmental_sensing": 0x181A,
        "health_thermometer": 0x1809, "heart_rate": 0x180D,
    ]

    static let characteristics: [String: UInt16] = [
        "battery_level": 0x2A19, "heart_rate_measurement": 0x2A37, "humidity": 0x2A6F, "pressure": 0x2A6D,
        "temperature": 0x2A6E, "temperature_measurement": 0x2A1C,
    ]

    /// For people: `heart_rate (180D)`, or the UUID of what has no name here.
    static func service(_ uuid: BluetoothUUID) -> String {
        let name = services.first { BluetoothUUID($0.value) == uuid }?.key
        return name.map { "\($0) (\(uuid))" } ?? uuid.description
    }

    static func uuid(
        _ text: String, among names: [String: UInt16], what: String
    ) throws(InvalidValue) -> BluetoothUUID {
        if let short = names[text] { return BluetoothUUID(short) }
        if let uuid = BluetoothUUID(text) { return uuid }
        let hint = NearestName.of(text, among: names.keys.sorted()).map { " – did you mean \(quoted($0))?" } ?? ""
        throw InvalidValue("holds \(quoted(text)), which is neither the UUID nor the name of a \(what)\(hint)")
    }
}
