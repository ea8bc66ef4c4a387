// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import CoreBluetooth
import Foundation
import Readings

/// The keys of a `[[sensor]]`.
extension GatewayConfiguration {
    static let sensorSection = ConfigurationSection<SensorRule>(
        path: ["sensor"],
        help: "Sensors to collect from; the table may be written many times. A sensor without an entry is left alone. "
            + "Every criterion given (`name`, `address`, `identifier`, `service`, `manufacturer`, `family`, `model`, "
            + "`rssi_min`) must hold, and at least one beside `rssi_min` must be given.",
        effect: .live,
        keys: [
            .text(
                "id", \.id, check: identifierComplaint,
                "Name of the sensor in topics, for an entry that is about one sensor. "
                    + "Without it the 12 digits of the address are used."),
            .text(
                "label", \.facts.label, check: labelComplaint,
                "The sensor's name for people, 1 to 64 characters. It wins over the `id` and over the advertised name on the "
                    + "page, in Home Assistant and as `name` of messages."),
            .text(
                "room", \.facts.room, check: labelComplaint,
                "The sensor's room or place: the area that Home Assistant suggests, and a label of metrics."),
            .offsets(
                "offset", \.facts.offsets,
                "The gateway adds these numbers to each value of a quantity, in the quantity's unit, like `{ temperature = -0.5 }`. Messages name the "
                    + "offsets that their numbers have; the journal keeps what the sensor sent."),
            .text(
                "name", \.name, check: filledComplaint,
                "The name that the sensor advertises; with a trailing `*` every name that begins so."),
            .parsed(
                "address", \.address, as: "string, like `\"C4:7C:8D:00:11:22\"`", parse: address,
                "The sensor's address."),
            .parsed(
                "identifier", \.identifier, as: "string, a UUID", parse: identifier,
                "The identifier that this gateway has given to the sensor, as `martlet status` shows it."),
            .parsed(
                "service", \.service, as: "string, a UUID", parse: service, "A service that the sensor advertises."),
            .parsed(
                "manufacturer", \.manufacturer, as: "string of four hexadecimal digits, like `\"0499\"`",
                parse: company, "The company whose data the sensor advertises."),
            .parsed(
                "family", \.family, as: "string, a family of docs/sensors.md", parse: family,
                "The format of the advertised values, like `\"bthome\"`."),
            .text(
                "model", \.model, check: filledComplaint,
                "The model that the sensor names in what it advertises, as `martlet devices` shows it."),
            .optionalInteger(
                "rssi_min", \.minimumRSSI, -127...20,
                "dBm that the sensor is heard with at least, to be accepted."),
            .secret(
                "bindkey", \.bindKey, type: "string of 32, 24 or 48 hexadecimal digits", check: bindKeyComplaint,
                "The key that opens what the sensor advertises; better kept in a file, see `bindkey_file`."),
            .text(
                "bindkey_file", \.bindKeyFile, check: pathComplaint, "File whose first line is the bindkey."),
            .optionalChoice(
                "medium", \.medium, TankMedium.allCases,
                "The content of a Mopeka's tank, which the time of an echo needs; the model's usual content when not given."
            ),
            .parsed(
                "profile", \.profile, as: "string, a profile of docs/sensors.md", parse: profile,
                "The values to collect without `subscribe` and `read`, like `\"airthings-wave\"`; a sensor that "
                    + "advertises services of a profile needs none."),
            .list(
                "subscribe", \.subscribe, of: "list of `\"SERVICE/CHARACTERISTIC\"`",
                parse: SensorRule.Feed.init(parsing:),
                "Characteristics whose notifications or indications to collect, by UUID or by name, "
                    + "like `\"180d/2a37\"` or `\"heart_rate/heart_rate_measurement\"`. Without it and `read`, the values are "
                    + "those that the sensor advertises, or that its services are known for."),
            .list(
                "read", \.read, of: "list of `\"SERVICE/CHARACTERISTIC\"`", parse: SensorRule.Feed.init(parsing:),
                "Characteristics to read after each connect, and again as `read_every_s` says."),
            .optionalSeconds(
                "read_every_s", \.readInterval, 1...86_400,
                "Reads `read` again after so many seconds; once a link when not given."),
            .commands(
                "write", \.write,
                "Commands to write after the subscriptions, for a sensor that answers a command with notifications: up to "
                    + "\(SensorRule.Command.maximumCount) values of up to \(SensorRule.Command.maximumLength) octets."),
            .optionalSeconds(
                "write_every_s", \.writeInterval, 1...86_400,
                "Writes `write` again after so many seconds; once a link when not given. A round is left out while the sensor "
                    + "has not answered the round before."),
            .optionalChoice(
                "link", \.linkUse, [.hold, .close],
                "The link between reads: kept or closed; with `subscribe` it always stays. When not given, it stays "
                    + "where `read_every_s` is less than 60, and is made for each read otherwise, so that the sensor's "
                    + "battery lasts."),
            .optionalSeconds(
                "value_every_s", \.valueInterval, 1...86_400,
                "One value of `subscribe` in so many seconds is enough: the link is made slower, which saves the sensor's battery, "
                    + "and where more sensors want links than the controller bears they take turns by it. Every value that comes "
                    + "is collected; all are wanted when not given."),
            .optionalSeconds(
                "silent_after_s", \.silentAfter, 10...2_592_000,
                "No value for so many seconds is silence. When not given: ten times the sensor's usual interval, a minute at least; "
                    + "ten minutes where that is not known."),
            .table(
                "sequence", \.sequence, as: "table, like `\(SensorRule.Sequence.form)`",
                parse: SensorRule.Sequence.init(parsing:),
                "The place of the sensor's value number, in a characteristic of `subscribe`: `length` is 1, 2 or 4 octets, "
                    + "`order` \"little\" or \"big\". Numbers that never came are counted."),
            .optionalMilliseconds(
                "min_interval_ms", \.pacing.minimumInterval, 0...3_600_000,
                "From one value of a quantity on `…/state` to the next; as `[mqtt]` says when not given."),
            .deadBand(
                "dead_band", \.pacing.deadBand,
                "Smaller changes do not go out on `…/state`; as `[mqtt]` says when not given, off when 0."),
            .optionalSeconds(
                "max_interval_s", \.pacing.maximumInterval, 1...86_400,
                "The dead band keeps a value back for so many seconds at most; as `[mqtt]` says when not given."),
            .optionalChoice(
                "suppressed", \.pacing.suppressed, [.history, .drop],
                "The fate of values that are kept back; as `[mqtt]` says when not given."),
            .table(
                "limits", \.limits, as: "table, like `\(SensorLimits.form)`", parse: SensorLimits.init(parsing:),
                "Values that are too high or too low, in the unit of docs/decoders.md, and a silence that is too long: the gateway "
                    + "tells when a limit is crossed, and when that is over; see [limits](limits.md)."),
            .optionalFlag(
                "pair", \.pair,
                "Pair with the sensor when it asks for that; as `[security]` says when not given."),
            .secret(
                "passkey", \.passkey, type: "string of six digits", check: passkeyComplaint,
                "The sensor's passkey, as on its label, like `\"019655\"`; better kept in a file, see `passkey_file`."),
            .text(
                "passkey_file", \.passkeyFile, check: pathComplaint, "File whose first line is the passkey."),
            .flag(
                "legacy_pairing", \.allowsLegacyPairing,
                "Take LE legacy pairing if the sensor knows nothing else: somebody who listens while it is paired can "
                    + "read everything from then on."),
        ])
}

/// Why a passkey is refused; nil for a good passkey. The text does not repeat the passkey.
func passkeyComplaint(_ text: String) -> String? {
    CBPasskey(text) != nil
        ? nil : "is not six digits; zeros in front have to be written, and quotes around it"
}

/// No character of the text controls a terminal.
private func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
    }
}

/// Why a text for people is refused; nil for a good one. Lines, and joiners of emoji and scripts, are allowed.
func plainComplaint(_ text: String) -> String? {
    let joiners: Set<Unicode.Scalar> = ["\u{200C}", "\u{200D}", "\n", "\t"]
    let rest = String.UnicodeScalarView(text.unicodeScalars.filter { !joiners.contains($0) })
    return isPlain(String(rest))
        ? nil : "is \(quoted(String(text.prefix(80)))); wanted is text without control characters"
}

/// Why a label or a room is refused; nil for a good text.
package func labelComplaint(_ text: String) -> String? {
    isPlain(text) && (1...64).contains(text.count) && text.utf8.count <= 256 && text.contains { !$0.isWhitespace }
        ? nil : "is \(quoted(String(text.prefix(80)))); wanted are 1 to 64 characters of text"
}

private func filledComplaint(_ text: String) -> String? { text.isEmpty ? "is an empty string" : nil }

@Sendable private func address(_ text: String) throws(InvalidValue) -> UInt64 {
    guard let address = DeviceAddress(text, kind: .public) else {
        throw InvalidValue("is \(quoted(text)); wanted is an address like \"C4:7C:8D:00:11:22\"")
    }
    guard address.isDevice else { throw InvalidValue("is \(quoted(text)), which is no address of a device") }
    return address.value
}

@Sendable private func identifier(_ text: String) throws(InvalidValue) -> UUID {
    guard let identifier = UUID(uuidString: text) else { throw InvalidValue("is \(quoted(text)), which is not a UUID") }
    return identifier
}

@Sendable private func service(_ text: String) throws(InvalidValue) -> BluetoothUUID {
    try AssignedName.uuid(text, among: AssignedName.services, what: "service")
}

/// A key without the separators that people write between its digits: `E9:EA:89 …`. No complaint about a key repeats
/// the key.
package func bareBindKey(_ text: String) -> String { text.filter { !" \t:-".contains($0) } }

package func bindKeyComplaint(_ text: String) -> String? {
    let digits = text.utf8.count
    return [24, 32, 48].contains(digits) && text.allSatisfy(\.isHexDigit) && text.allSatisfy(\.isASCII)
        ? nil
        : "is not 32 hexadecimal digits, 24 for older sensors of Xiaomi, or 48 for Encrypted Advertising Data; it has \(min(digits, 1000)) characters"
}

@Sendable private func company(_ text: String) throws(InvalidValue) -> UInt16 {
    guard text.count == 4, let number = UInt16(text, radix: 16) else {
        throw InvalidValue("is \(quoted(text)); wanted are four hexadecimal digits like \"0499\"")
    }
    return number
}

@Sendable private func profile(_ text: String) throws(InvalidValue) -> String {
    guard SensorProfile.named(text) == nil else { return text }
    let names = SensorProfile.all.map(\.name)
    let hint = NearestName.of(text, among: names).map { " – did you mean \(quoted($0))?" } ?? ""
    throw InvalidValue("is \(quoted(text)); profiles are \(names.sorted().joined(separator: ", "))\(hint)")
}

@Sendable private func family(_ text: String) throws(InvalidValue) -> String {
    guard SensorFamilies.family(text) == nil else { return text }
    let names = SensorFamilies.names.sorted()
    let meant = FamiliarWords.family(for: text, among: names) ?? NearestName.of(text, among: names)
    let hint = meant.map { " – did you mean \(quoted($0))?" } ?? ""
    throw InvalidValue("is \(quoted(text)), which is no family that is known\(hint)")
}
