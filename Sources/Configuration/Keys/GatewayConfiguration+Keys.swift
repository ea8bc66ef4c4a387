// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Foundation
import Journal
import MQTT
import Operations
import Platform
import Publisher
import Readings

/// All keys but the sensors'. docs/configuration.md is made from this table; a test compares them.
extension GatewayConfiguration {
    static let sections: [ConfigurationSection<GatewayConfiguration>] = [
        ConfigurationSection(
            path: ["gateway"], help: "The gateway itself.", effect: .restart,
            keys: [
                .text(
                    "id", \.gateway, check: identifierComplaint,
                    "Name of the gateway in topics and payloads: 1 to 32 of a–z, 0–9, `_`, `-`. "
                        + "Made from `/etc/machine-id` when not given, or by chance where there is none."),
                .text(
                    "name", \.name, check: nameComplaint,
                    "Name of the gateway for people, 1 to 32 characters; phones that set it up see it. The `id` when not "
                        + "given."
                ).needing(.live),
                .text(
                    "site", \.site, check: labelComplaint,
                    "The gateway's site, 1 to 64 characters: a label of all [metrics](metrics.md)."
                ).needing(.live),
            ]),
        bluetoothSection,
        ConfigurationSection(
            path: ["journal"], help: "The journal that holds readings until the broker has them.", effect: .restart,
            keys: [
                .text("path", \.journal.path, check: pathComplaint, "The SQLite file."),
                .integer("commit_rows", \.journal.commitRows, 1...10_000, "Commit when so many readings wait…"),
                .milliseconds(
                    "commit_interval_ms", \.journal.commitInterval, 1...60_000,
                    "…or when the first of them has waited so many milliseconds."),
                .choice(
                    "durability", \.journal.durability, [.powerSafe, .fast],
                    "`\"power-safe\"` waits for the disk at each commit. `\"fast\"` may lose the last commits when the "
                        + "power fails, but never when the program does."),
                .integer(
                    "queue_capacity", \.journal.queueCapacity, 100...1_000_000,
                    "Readings that may wait in memory for the disk; more are held back for some seconds, then dropped "
                        + "and counted."),
                .integer(
                    "max_rows", \.journal.maximumRows, 1000...1_000_000_000,
                    "Readings that may wait on disk for the broker; beyond that the oldest go, of the sensors with the "
                        + "most readings, and are counted."),
                .integer(
                    "max_mb", \.journal.maximumMegabytes, 0...1_000_000,
                    "MiB that the file may use; 0 for no limit. Its log takes up to 8 MiB more."),
                .integer(
                    "min_free_mb", \.journal.minimumFreeMegabytes, 0...1_000_000,
                    "MiB of its disk that the journal leaves free, or a tenth of the disk where that is less. When less "
                        + "is free, the journal does not grow: the oldest readings go for those that come in."),
                .integer(
                    "max_age_hours", \.journal.maximumAgeHours, 0...100_000,
                    "Hours that a reading may wait for the broker before it is dropped and counted; 0 for no limit."),
                .integer(
                    "max_write_mb_per_day", \.journal.maximumWriteMegabytesPerDay, 0...1_000_000,
                    "MiB a day to write to the disk, to spare flash memory: commits are made up to 10 seconds apart to "
                        + "keep to it; 0 for no limit. Indications never wait for it."),
                .milliseconds(
                    "confirm_limit_ms", \.confirmationLimit, 100...29_000,
                    "How long an indicated value may wait for the disk. One that waits longer is not confirmed to its "
                        + "sensor, which keeps it, and the link is made anew. Bluetooth's own limit is 30 s."),
            ], former: ["drop", "thin_window_s"]),
        ConfigurationSection(
            path: ["mqtt"], help: "The MQTT broker.", effect: .reconnect,
            keys: [
                .text("host", \.mqtt.host, check: hostComplaint, "Name or address of the broker."),
                .integer("port", \.mqtt.port, 1...65_535, "TCP port of the broker; with TLS usually 8883."),
                .list(
                    "brokers", \.mqtt.brokers, of: "list of `\"HOST:PORT\"`", parse: broker,
                    "Several brokers, as of a cluster, instead of `host`: tried in this order until one answers. "
                        + "Without a port they have that of `port`."),
                .text("username", \.mqtt.username, check: textComplaint, "User name at the broker."),
                .secret(
                    "password", \.mqtt.password, "Password; better kept in a file of its own, see `password_file`."),
                .text(
                    "password_file", \.passwordFile, check: pathComplaint,
                    "File whose first line is the password. Without it `$CREDENTIALS_DIRECTORY/mqtt.password` "
                        + "is used where it exists."),
                .text(
                    "client_id", \.mqtt.clientID, check: textComplaint,
                    "Client identifier at the broker; must be unique there. `martlet-<id>` when not given."),
                .text(
                    "topic_prefix", \.mqtt.topicPrefix, check: topicComplaint,
                    "First part of every topic; may hold several levels."),
                .choice(
                    "format", \.mqtt.format, [.json, .sparkplug],
                    "`\"sparkplug\"` publishes as an edge node of [Sparkplug B](sparkplug.md) instead of JSON."),
                .choice(
                    "layout", \.mqtt.layout, [.martlet, .theengs],
                    "`\"theengs\"` publishes live values as OpenMQTTGateway and Theengs do, on "
                        + "`home/<gw>/BTtoMQTT/<MAC>`; everything else stays where it is."),
                .flag(
                    "retain", \.mqtt.retain,
                    "Retain status and availability, and the will. `false` for brokers that do not allow retained "
                        + "messages."),
                .flag(
                    "shares_sensors", \.mqtt.sharesSensors,
                    "Other gateways at the same broker may hear the same sensors: each sensor is collected from by one of "
                        + "them; see [several gateways](several-gateways.md)."),
                .flag(
                    "claim", \.mqtt.claimsName,
                    "Notice [another gateway of this name](mqtt.md#two-gateways-with-one-name), by a retained message and a "
                        + "subscription. `false` for access lists that allow neither."),
                .flag(
                    "publish_raw", \.mqtt.publishRaw,
                    "Also publish values that no decoder understood, as hexadecimal digits on `…/raw`."),
                .flag(
                    "publish_unsynced", \.mqtt.publishUnsynced,
                    "Publish readings whose time is not known yet, without `ts`, instead of holding them."),
                .integer(
                    "max_in_flight", \.mqtt.maximumInFlight, 1...1000,
                    "Messages sent and not acknowledged yet; the broker may ask for fewer."),
                .seconds(
                    "live_window_s", \.mqtt.liveWindow, 1...3600,
                    "Readings younger than so many seconds go out on `…/state`, older ones on `…/history`."),
                .milliseconds(
                    "min_interval_ms", \.mqtt.pacing.minimumInterval, 0...3_600_000,
                    "From one value of a sensor's quantity on `…/state` to the next; the newest goes out when the "
                        + "interval ends."),
                .deadBand(
                    "dead_band", \.mqtt.pacing.deadBand,
                    "A value that has moved by less than this since the last one on `…/state` does not go out there: "
                        + "one width for all fields, or a table like `{ temperature = 0.2, humidity = 1 }`."),
                .seconds(
                    "max_interval_s", \.mqtt.pacing.maximumInterval, 1...86_400,
                    "The dead band keeps a value back for so many seconds at most."),
                .choice(
                    "suppressed", \.mqtt.pacing.suppressed, [.history, .drop],
                    "The fate of values that interval and dead band keep from `…/state`: they go to `…/history`, or "
                        + "are dropped and counted."),
                .integer(
                    "history_rows_per_second", \.mqtt.historyRowsPerSecond, 0...1_000_000,
                    "How fast readings that have waited go out on `…/history`, behind the live ones; 0 has no limit."),
                .integer(
                    "expire_after_s", \.mqtt.expireAfterSeconds, 0...Int(UInt32.max),
                    "How long a broker keeps a live value for a consumer that is away, with MQTT 5; 0 is for ever."),
                .integer(
                    "session_expiry_s", \.mqtt.sessionExpirySeconds, 0...Int(UInt32.max),
                    "How long the broker keeps the gateway's session while it is away, with MQTT 5."),
                .integer(
                    "keep_alive_s", \.mqtt.keepAliveSeconds, 5...3600, "Keep-alive of the connection, in seconds."),
            ]),
        ConfigurationSection(
            path: ["mqtt", "tls"], help: "Encryption of the connection to the broker.", effect: .reconnect,
            keys: [
                .flag("enabled", \.tls.isEnabled, "Speak TLS to the broker."),
                .text(
                    "ca_file", \.tls.options.caFile, check: pathComplaint,
                    "Certificates of the authorities to trust, in PEM. Without it `$CREDENTIALS_DIRECTORY/mqtt.ca` is used "
                        + "where it exists, else those of the system."),
                .text(
                    "certificate_file", \.tls.options.certificateFile, check: pathComplaint,
                    "The gateway's own certificate, in PEM; together with `key_file`. Without them "
                        + "`$CREDENTIALS_DIRECTORY/mqtt.certificate` and `mqtt.key` are used where they exist."),
                .text("key_file", \.tls.options.keyFile, check: pathComplaint, "The key of that certificate, in PEM."),
                .text(
                    "server_name", \.tls.options.serverName, check: serverNameComplaint,
                    "The name that the broker's certificate is for, where that is not the host; it is asked for (SNI), "
                        + "too."),
                .flag(
                    "verify_hostname", \.tls.options.verifyHostname,
                    "Check that the broker's certificate is for its host name, or for `server_name`, which is better "
                        + "than `false` for brokers addressed by IP."),
            ]),
        ConfigurationSection(
            path: ["mqtt", "commands"],
            help: "Commands over MQTT, from every client that may publish there.",
            effect: .reconnect,
            keys: [
                .list(
                    "allow", \.mqtt.allowedCommands,
                    of: "list of " + OperationTable.remoteNames.map { "`\"\($0)\"`" }.joined(separator: ", "),
                    parse: verb,
                    "The commands that are taken; see [MQTT](mqtt.md#commands).")
            ]),
        ConfigurationSection(
            path: ["sparkplug"],
            help: "The gateway as an edge node of Sparkplug B, where `mqtt.format` says so.", effect: .reconnect,
            keys: [
                .text(
                    "group", \.mqtt.sparkplug.group, check: levelComplaint,
                    "The group that the edge node is of; the node itself is called as the gateway is."),
                .text(
                    "primary_host", \.mqtt.sparkplug.primaryHost, check: levelComplaint,
                    "The host application that readings wait for: nothing is sent by Sparkplug B while "
                        + "`spBv1.0/STATE/<primary_host>` does not say that it is online. Not given, none is waited for."
                ),
            ]),
        ConfigurationSection(
            path: ["home_assistant"],
            help: "Messages to Home Assistant about sensors and gateway, by its MQTT discovery.",
            effect: .reconnect,
            keys: [
                .choice(
                    "discovery", \.mqtt.homeAssistant.discovery, [.off, .device, .entity, .both],
                    "One message a device, as Home Assistant 2024.12 and later want it, one an entity, which all versions "
                        + "know, or both."),
                .text(
                    "prefix", \.mqtt.homeAssistant.prefix, check: topicComplaint,
                    "First part of the topics on which Home Assistant looks for such messages."),
                .text(
                    "status_topic", \.mqtt.homeAssistant.statusTopic, check: topicComplaint,
                    "The topic of Home Assistant's start message; after it all discovery messages are sent again."),
            ]),
        ConfigurationSection(
            path: ["security"], help: "Pairing with sensors. The keys of a `[[sensor]]` have priority.",
            effect: .live,
            keys: [
                .flag(
                    "pair", \.security.pairs,
                    "Pair with accepted sensors that ask for it. `false`: only those that say so, and those that "
                        + "`martlet pair` names."),
                .flag(
                    "require_authentication", \.security.requiresAuthentication,
                    "Pair only with protection against somebody in the middle: by a passkey or a comparison of digits."),
                .integer(
                    "minimum_key_size", \.security.minimumKeySize, 7...16,
                    "Octets that the key of a link must have; 16 are the 128 bits of every sensor of today."),
            ]),
        ConfigurationSection(
            path: ["clock"], help: "When to trust the clock.", effect: .restart,
            keys: [
                .flag(
                    "require_sync", \.clock.requiresSynchronization,
                    "Trust the wall clock only when the kernel says that it is synchronised. `false` for machines "
                        + "with a good clock of their own and no time service."),
                .milliseconds(
                    "max_error_ms", \.clock.maximumError, 10...15_000,
                    "How far the clock may be off, as the kernel estimates it, and still count as synchronised."),
            ]),
        ConfigurationSection(
            path: ["control"], help: "The socket that `martlet status` talks to.", effect: .restart,
            keys: [
                .text("socket", \.controlSocket, check: socketComplaint, "Path of the Unix socket.")
            ]),
        pageSection,
        updateSection,
        webhookSection,
        ConfigurationSection(
            path: ["provisioning"], help: "Setting the gateway up by phone.", effect: .restart,
            keys: [
                .flag("enabled", \.provisioning.isEnabled, "Offer the configuration service to phones."),
                .seconds(
                    "window_s", \.provisioning.window, 60...3600,
                    "How long a button press, or `martlet provision open`, lets phones pair, in seconds."),
                .text(
                    "button", \.provisioning.button, check: pathComplaint,
                    "The kernel's input device of the button that opens the window, like "
                        + "`/dev/input/by-path/platform-button-event`."),
                .text(
                    "led", \.provisioning.led, check: ledComplaint,
                    "The LED of `/sys/class/leds` that blinks when the gateway is sought, and slowly while it has a failure; the "
                        + "board's own when not given."
                ),
                .flag(
                    "known_phones", \.provisioning.admitsKnownPhones,
                    "Phones that are paired find the gateway while the window is closed, too."),
                .flag(
                    "improv", \.provisioning.offersImprov,
                    "Offer the Improv service while the window is open. It transmits the Wi-Fi password in clear text."),
                .text(
                    "network_socket", \.provisioning.networkSocket, check: socketComplaint,
                    "Path of the Unix socket of the helper that joins networks."),
                .text(
                    "network", \.provisioning.network, check: networkComplaint,
                    "Written by the gateway: the UUID of the NetworkManager profile that was kept together with the settings "
                        + "of the same file."
                ).needing(.live),
            ]),
    ]
}

/// Why a gateway's or sensor's name is refused; nil for a good name.
package func identifierComplaint(_ text: String) -> String? {
    let allowed = text.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
    }
    return allowed && (1...32).contains(text.utf8.count)
        ? nil : "is \(quoted(text)); allowed are 1 to 32 of a–z, 0–9, _ and -"
}

/// Why a name for people is refused; nil for a good name.
private func nameComplaint(_ text: String) -> String? {
    let isPlain = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    return isPlain && (1...32).contains(text.count) && text.utf8.count <= 128 && text.contains { !$0.isWhitespace }
        ? nil : "is \(quoted(text)); wanted are 1 to 32 characters of text"
}

private func ledComplaint(_ text: String) -> String? {
    let isName =
        !text.isEmpty && text != "." && text != ".." && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x2F && $0 < 0x7F }
    return isName ? nil : "is \(quoted(text)); wanted is a name of /sys/class/leds, like \"ACT\""
}

private func networkComplaint(_ text: String) -> String? {
    UUID(uuidString: text) != nil ? nil : "is \(quoted(text)); wanted is the UUID of a NetworkManager profile"
}

/// Why a string cannot be sent by MQTT 5, 1.5.4; nil for a good string. Brokers close the connection if a string has a
/// disallowed character.
private func textComplaint(_ text: String) -> String? {
    if text.isEmpty { return "is an empty string" }
    if text.utf8.count > 65_535 { return "is longer than the 65535 octets of a string in MQTT" }
    guard let scalar = text.unicodeScalars.first(where: isDisallowedInMQTT) else { return nil }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return "has the character U+\(padded), which MQTT does not allow"
}

private func isDisallowedInMQTT(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F: true
    case 0xFDD0...0xFDEF: true
    default: scalar.value & 0xFFFE == 0xFFFE
    }
}

private func hostComplaint(_ text: String) -> String? {
    let isName = BrokerAddress.isHost(text) && text.utf8.count { $0 == UInt8(ascii: ":") } != 1
    let advice = FamiliarWords.keys(forURL: text).map { ": " + $0 } ?? ""
    let complaint =
        "is \(quoted(withoutUser(text))); wanted is a name or an address, without scheme and port\(advice)"
    return textComplaint(text) ?? (isName ? nil : complaint)
}

/// The part before the @ of a URL may be a password.
private func withoutUser(_ text: String) -> String {
    text.lastIndex(of: "@").map { "…\(text[$0...])" } ?? text
}

private func serverNameComplaint(_ text: String) -> String? {
    let isName = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    return isName && (1...253).contains(text.utf8.count)
        ? nil : "is \(quoted(text)); wanted is a host name, like \"broker.example.org\""
}

@Sendable private func broker(_ text: String) throws(InvalidValue) -> String {
    guard textComplaint(text) == nil, BrokerAddress(text, port: 1883) != nil else {
        let advice = FamiliarWords.entry(forURL: text).map { ": write \(quoted($0))" } ?? ""
        throw InvalidValue("holds \(quoted(withoutUser(text))); wanted is \"HOST:PORT\" or \"HOST\"\(advice)")
    }
    return text
}

@Sendable private func verb(_ text: String) throws(InvalidValue) -> String {
    guard !OperationTable.remoteNames.contains(text) else { return text }
    let hint = NearestName.of(text, among: OperationTable.remoteNames).map { " – did you mean \(quoted($0))?" } ?? ""
    throw InvalidValue("holds \(quoted(text)); there are \(OperationTable.remoteNames.joined(separator: ", "))\(hint)")
}

/// Why a file's name is refused; nil for a good name.
func pathComplaint(_ text: String) -> String? {
    text.hasPrefix("/") && !text.utf8.contains(0) ? nil : "is \(quoted(text)); wanted is an absolute path"
}

private func socketComplaint(_ text: String) -> String? {
    // sun_path holds 108 octets with the final zero.
    text.utf8.count > 107 ? "is longer than the 107 octets of a socket's path" : pathComplaint(text)
}

private func topicComplaint(_ text: String) -> String? {
    let isBad = text.isEmpty || text.hasPrefix("/") || text.hasSuffix("/") || text.hasPrefix("$")
    return isBad || text.unicodeScalars.contains { $0 == "+" || $0 == "#" }
        ? "is \(quoted(text)); a topic has no +, # or $, and no / at its ends" : textComplaint(text)
}

/// Why a level of a topic is refused; nil for a good level.
private func levelComplaint(_ text: String) -> String? {
    text.contains { "+#/".contains($0) } || text.hasPrefix("$")
        ? "is \(quoted(text)); such a name has no +, # or /, and no $ in front" : textComplaint(text)
}

func controllerComplaint(_ text: String) -> String? {
    ControllerName(text) != nil
        ? nil : "is \(quoted(text)); wanted is hci0, unix:PATH, tcp:HOST:PORT, serial:DEVICE,BAUD or virtual"
}
