// SPDX-License-Identifier: Apache-2.0

import Glibc

/// NetworkManager over D-Bus. The names are from its introspection files; versions from 1.42 on work.
final class NetworkManagerBus: NetworkBackend {
    static let service = "org.freedesktop.NetworkManager"
    static let manager = "/org/freedesktop/NetworkManager"
    static let settings = "/org/freedesktop/NetworkManager/Settings"

    let country: RadioCountry
    /// The path of ``CheckpointFile``.
    private let checkpointPath: String?
    private let log: (String) -> Void
    private var opened: SystemBus?
    var trial: Trial?

    /// A network that is joined, but not kept.
    struct Trial {
        var device: String
        var checkpoint: String
        var uuid: String
        var end: ContinuousClock.Instant
        var connection: String?
        /// Held during the trial.
        var file: CheckpointFile?
    }

    /// - Parameter folder: The folder of the file `checkpoint`, which records our checkpoint; nil: no record.
    init(country: RadioCountry, folder: String?, log: @escaping (String) -> Void) {
        self.country = country
        checkpointPath = folder.map { "\($0)/checkpoint" }
        self.log = log
    }

    var trialEnd: ContinuousClock.Instant? { trial?.end }

    func say(_ words: String) { log(words) }

    // MARK: Calls

    /// The bus. The first call also takes back the trial of a killed helper.
    func bus() throws(NetworkTrouble) -> SystemBus {
        if let opened { return opened }
        let bus: SystemBus
        do {
            bus = try SystemBus()
        } catch {
            throw NetworkTrouble(error, doing: "D-Bus")
        }
        opened = bus
        try recover()
        return bus
    }

    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        limit: Duration = .seconds(10)
    ) throws(NetworkTrouble) -> [BusValue] {
        let bus = try bus()
        do {
            return try bus.call(
                Self.service, path, interface.isEmpty ? Self.service : "\(Self.service).\(interface)", member,
                arguments,
                limit: limit)
        } catch {
            throw NetworkTrouble(error, doing: member)
        }
    }

    /// All properties of one interface.
    func properties(of path: String, _ interface: String) throws(NetworkTrouble) -> [String: BusValue] {
        let bus = try bus()
        do {
            let answer = try bus.call(
                Self.service, path, "org.freedesktop.DBus.Properties", "GetAll",
                [.string(interface.isEmpty ? Self.service : "\(Self.service).\(interface)")])
            return answer.first?.entries ?? [:]
        } catch {
            throw NetworkTrouble(error, doing: "reading \(path)")
        }
    }

    func set(_ property: String, of path: String, to value: BusValue) throws(NetworkTrouble) {
        let bus = try bus()
        do {
            _ = try bus.call(
                Self.service, path, "org.freedesktop.DBus.Properties", "Set",
                [.string(Self.service), .string(property), .variant(value)])
        } catch {
            throw NetworkTrouble(error, doing: "setting \(property)")
        }
    }

    /// NetworkManager's present name on the bus.
    func owner() throws(NetworkTrouble) -> String {
        let bus = try bus()
        let dbus = "org.freedesktop.DBus"
        do {
            let answer = try bus.call(dbus, "/org/freedesktop/DBus", dbus, "GetNameOwner", [.string(Self.service)])
            return answer.first?.text ?? ""
        } catch {
            throw NetworkTrouble(error, doing: "looking for NetworkManager")
        }
    }

    // MARK: Checkpoints of killed helpers

    func lockTrials() throws(NetworkTrouble) -> CheckpointFile? {
        guard let checkpointPath else { return nil }
        guard let file = try CheckpointFile(path: checkpointPath) else {
            throw NetworkTrouble(.busy, "another network is being tried")
        }
        return file
    }

    private func recover() throws(NetworkTrouble) {
        guard let checkpointPath, access(checkpointPath, F_OK) == 0,
            let file = try CheckpointFile(path: checkpointPath), let (owner, checkpoint) = file.entry
        else { return }
        guard try self.owner() == owner else {
            file.clear()
            return
        }
        say("taking back what was on trial when a former helper ended")
        do {
            _ = try call(Self.manager, "", "CheckpointRollback", [.path(checkpoint)], limit: .seconds(20))
        } catch {
            // The checkpoint's time was over, most likely.
            say(error.words)
        }
        file.clear()
    }

    // MARK: Devices

    /// A device: its path and the properties of `Device`.
    struct Device {
        var path: String
        var state: DeviceState
        var properties: [String: BusValue]
    }

    func devices() throws(NetworkTrouble) -> [Device] {
        var found: [Device] = []
        for element in try call(Self.manager, "", "GetDevices").first?.elements ?? [] {
            guard let path = element.text else { continue }
            let properties = try properties(of: path, "Device")
            found.append(
                Device(
                    path: path, state: DeviceState(rawValue: properties["State"]?.integer ?? 0), properties: properties)
            )
        }
        return found
    }

    /// The device whose state is furthest on, if there are several; nil if there is none.
    func radio(among devices: [Device]) -> Device? {
        devices.filter { $0.properties["DeviceType"]?.integer == 2 }.max { $0.state.rawValue < $1.state.rawValue }
    }

    /// A radio that can look for networks.
    func usableRadio() throws(NetworkTrouble) -> Device {
        let manager = try properties(of: Self.manager, "")
        guard let radio = radio(among: try devices()) else { throw NetworkTrouble(.noWiFi, "there is no Wi-Fi device") }
        if manager["WirelessHardwareEnabled"]?.bool == false {
            throw NetworkTrouble(.noCountry, "the radio is blocked by a switch")
        }
        if manager["WirelessEnabled"]?.bool == false {
            throw NetworkTrouble(.noCountry, "the radio is blocked until a country is set")
        }
        if radio.state == .unmanaged {
            throw NetworkTrouble(.failed, "NetworkManager is told to leave the Wi-Fi device alone")
        }
        if radio.state.rawValue <= DeviceState.unavailable.rawValue {
            guard country.current != nil else { throw NetworkTrouble(.noCountry, "no country is set") }
            throw NetworkTrouble(.failed, "the Wi-Fi device is not available: is wpa_supplicant installed?")
        }
        return radio
    }

    // MARK: Country

    func setCountry(_ code: String) throws(NetworkTrouble) {
        try country.set(code)
        do {
            if try properties(of: Self.manager, "")["WirelessEnabled"]?.bool == false {
                try set("WirelessEnabled", of: Self.manager, to: .boolean(true))
            }
            try awaitRadio()
        } catch {
            // The country is set in spite of this error.
            say(error.words)
        }
    }

    /// A blocked radio takes a moment.
    private func awaitRadio() throws(NetworkTrouble) {
        let end = ContinuousClock.now + .seconds(5)
        while let radio = radio(among: try devices()), radio.state == .unavailable, ContinuousClock.now < end {
            while try nextSignal() != nil {}
            _ = try bus().wait(alsoFor: -1, limit: .milliseconds(200))
        }
    }

    func nextSignal() throws(NetworkTrouble) -> BusSignal? {
        let bus = try bus()
        do { return try bus.nextSignal() } catch { throw NetworkTrouble(error, doing: "D-Bus") }
    }

    func match(_ rule: String) throws(NetworkTrouble) {
        let bus = try bus()
        do { try bus.match(rule) } catch { throw NetworkTrouble(error, doing: "AddMatch") }
    }
}
