// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Decides when Home Assistant hears about entities; a value without I/O, clocks and chance.
///
/// The machine learns the entities of a sensor from its messages and keeps them (``DiscoveredSensor/text``). It
/// announces them after a change, at the start of a connection, and when Home Assistant reports its start. Afterwards
/// the newest states go again, because Home Assistant keeps no states, and a sensor's next state may take an hour.
struct DiscoveryMachine {
    enum Wish: Equatable {
        /// Announce the sensor.
        case announce(String)
        /// Publish the newest states of the sensor again.
        case echo(String)
        case announceGateway
    }

    /// The wait for further messages, because a sensor's values come in several messages.
    static let gathering: Duration = .seconds(2)
    /// The time that Home Assistant needs to subscribe to announced topics.
    static let echoDelay: Duration = .seconds(5)
    /// The longest wait of a gateway after the start of Home Assistant: a house's gateways do not all speak at once.
    static let longestJitter: Duration = .seconds(10)
    private static let factPrefix = "home-assistant:"
    static func factKey(of device: String) -> String { factPrefix + device }
    /// Limit of known sensors, as in the collector.
    private static let maximumSensors = 1_024

    private(set) var sensors: [String: DiscoveredSensor] = [:]
    /// The `<dev>` of the journal's numbers.
    private var names: [Int64: String] = [:]
    /// The newest message of each sensor's characteristics.
    private var states: [String: [Int64: OutgoingMessage]] = [:]
    private var announcements: [String: MonotonicTime] = [:]
    private var echoes: [String: MonotonicTime] = [:]
    private var gatewayDue: MonotonicTime?

    // MARK: - Earlier facts

    mutating func load(from facts: any FactSource) {
        for (device, text) in facts.identifiers(withPrefix: Self.factPrefix) where sensors.count < Self.maximumSensors {
            sensors[device, default: DiscoveredSensor()].merge(DiscoveredSensor(text))
        }
    }

    /// The key and the text of a sensor in the journal.
    func fact(of device: String) -> (key: String, value: String) {
        (Self.factKey(of: device), sensors[device]?.text ?? "")
    }

    // MARK: - Events

    /// A row goes out, or pacing holds it back.
    ///
    /// - Parameters:
    ///   - isLive: The row goes out as a present state, so the time since the last row counts for the interval.
    ///   - state: Goes again when Home Assistant asks; nil for an event, which is over.
    ///   - isSealed: A key proves each advertisement of the sensor with this `<dev>`.
    ///   - name: Looks the sensor's `<dev>` up.
    /// - Returns: The sensor, if the journal has to keep new facts about it.
    mutating func took(
        _ fields: [Field], of row: JournalRow, isLive: Bool = true, state: OutgoingMessage?, at now: MonotonicTime,
        isSealed: (String) -> Bool, name: () -> String?
    ) -> String? {
        guard let device = names[row.device] ?? name() else { return nil }
        names[row.device] = device
        guard sensors[device] != nil || sensors.count < Self.maximumSensors else { return nil }
        if let state { states[device, default: [:]][row.characteristic] = state }
        let packet = QuantityDoubts.Packet(
            row.n, at: now.wholeMilliseconds, unixSeconds: row.unixMilliseconds.map { $0 / 1_000 })
        let news = sensors[device, default: DiscoveredSensor()].learn(
            fields, of: packet, isDoubtful: row.source == .advert && !isSealed(device),
            at: isLive ? row.uptimeMilliseconds : nil)
        if news.isToTell { announce(device, at: now + Self.gathering) }
        return news.isToKeep ? device : nil
    }

    /// An operator does not want an entity of a sensor.
    ///
    /// - Returns: False if there is no such entity.
    mutating func drop(_ key: EntityKey, of device: String, at now: MonotonicTime) -> Bool {
        guard sensors[device]?.drop(key) == true else { return false }
        announce(device, at: now)
        return true
    }

    /// A fact about a sensor besides its values has changed.
    mutating func changed(_ device: String, at now: MonotonicTime) {
        guard sensors[device]?.entities.isEmpty == false else { return }
        announce(device, at: now + Self.gathering)
    }

    /// The first sign of a sensor on this connection.
    mutating func appeared(_ device: String, at now: MonotonicTime) {
        if sensors[device]?.entities.isEmpty == false { announcements[device] = now }
    }

    mutating func left(_ device: String) { sensors[device]?.left() }

    /// The sensor was removed.
    mutating func forget(_ device: String) {
        sensors[device] = nil
        announcements[device] = nil
        echoes[device] = nil
        states[device] = nil
        for (number, name) in names where name == device { names[number] = nil }
    }

    /// A connection begins: known entities are announced at once.
    mutating func begin(_ devices: some Sequence<String>, at now: MonotonicTime) {
        gatewayDue = now
        for device in devices { appeared(device, at: now) }
    }

    /// Home Assistant has started.
    ///
    /// - Parameter spread: 0.5…1.5, by chance.
    mutating func started(_ devices: some Sequence<String>, at now: MonotonicTime, spread: Double) {
        begin(devices, at: now + Self.longestJitter * (spread - 0.5))
    }

    mutating func end() {
        // Values of an outage go another way, so the next message says nothing about the interval.
        for device in sensors.keys { sensors[device]?.left() }
        announcements.removeAll()
        echoes.removeAll()
        gatewayDue = nil
    }

    private mutating func announce(_ device: String, at time: MonotonicTime) {
        announcements[device] = min(announcements[device] ?? time, time)
    }

    // MARK: - Due announcements

    var nextDue: MonotonicTime? {
        [gatewayDue, announcements.values.min(), echoes.values.min()].compactMap(\.self).min()
    }

    mutating func takeDue(at now: MonotonicTime) -> [Wish] {
        guard let due = nextDue, due <= now else { return [] }
        var wishes: [Wish] = []
        if let gatewayDue, gatewayDue <= now {
            wishes.append(.announceGateway)
            self.gatewayDue = nil
        }
        for (device, _) in announcements.filter({ $0.value <= now }).sorted(by: { $0.key < $1.key }) {
            announcements[device] = nil
            echoes[device] = now + Self.echoDelay
            wishes.append(.announce(device))
        }
        for (device, _) in echoes.filter({ $0.value <= now }).sorted(by: { $0.key < $1.key }) {
            echoes[device] = nil
            wishes.append(.echo(device))
        }
        return wishes
    }

    /// The newest message of each of the sensor's characteristics.
    func states(of device: String) -> [OutgoingMessage] {
        (states[device] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
    }
}
