// SPDX-License-Identifier: Apache-2.0

extension NetworkManagerBus {
    /// Longest scan of both bands, on channels where the radio may only listen.
    private static let scanLimit = Duration.seconds(12)

    // MARK: Status

    func status() throws(NetworkTrouble) -> NetworkStatus {
        let devices = try devices()
        var status = NetworkStatus(country: country.current)
        for device in devices {
            for address in try addresses(of: device) where !status.addresses.contains(address) {
                status.addresses.append(address)
            }
        }
        status.isConnected = !status.addresses.isEmpty
        guard let radio = radio(among: devices) else { return status }
        status.hasWiFi = true
        if radio.state == .activated, let joined = try joined(on: radio.path) {
            status.ssid = String(validating: joined.name, as: UTF8.self)
            status.strength = min(100, max(0, joined.strength))
        }
        return status
    }

    /// Addresses that reach beyond the link. Bridges and tunnels of programs on this machine have addresses, too, but
    /// no way out.
    func addresses(of device: Device) throws(NetworkTrouble) -> [String] {
        let isPort = [1, 2, 5, 8, 10, 11].contains(device.properties["DeviceType"]?.integer ?? 0)
        var found: [String] = []
        for (property, interface) in [("Ip4Config", "IP4Config"), ("Ip6Config", "IP6Config")] {
            guard let path = device.properties[property]?.text, path != "/" else { continue }
            let configuration: [String: BusValue]
            do {
                configuration = try properties(of: path, interface)
            } catch {
                // A device that changes removes its configurations during the read.
                continue
            }
            guard isPort || configuration["Gateway"]?.text?.isEmpty == false else { continue }
            for entry in configuration["AddressData"]?.elements ?? [] {
                guard let address = entry.entries?["address"]?.text, address.count <= 45, Self.reachesFurther(address)
                else { continue }
                found.append(address)
            }
        }
        return found
    }

    static func reachesFurther(_ address: String) -> Bool {
        let local = ["127.", "169.254.", "fe8", "fe9", "fea", "feb"]
        return address != "::1" && !local.contains { address.lowercased().hasPrefix($0) }
    }

    private func joined(on device: String) throws(NetworkTrouble) -> AccessPoint? {
        guard let path = try properties(of: device, "Device.Wireless")["ActiveAccessPoint"]?.text, path != "/" else {
            return nil
        }
        return try accessPoint(path)
    }

    // MARK: Access points

    func scan() throws(NetworkTrouble) -> [WirelessNetwork] {
        let radio = try usableRadio()
        _ = try refresh(radio.path)
        let networks = try accessPoints(of: radio.path).networks(joined: try joined(on: radio.path)?.name)
        if networks.isEmpty, country.current == nil {
            throw NetworkTrouble(.noCountry, "nothing is heard, and no country is set")
        }
        return networks
    }

    /// Asks for a scan, and waits for its end.
    ///
    /// - Returns: Whether a scan was made. NetworkManager refuses a scan during another scan, and for a while after it.
    func refresh(_ device: String) throws(NetworkTrouble) -> Bool {
        let before = try lastScan(of: device)
        do {
            _ = try call(device, "Device.Wireless", "RequestScan", [.options([:])])
        } catch {
            guard error.failure == .failed else { throw error }
            // The known access points are then the newest, except at the very beginning.
            if try !accessPoints(of: device).isEmpty { return false }
        }
        let end = ContinuousClock.now + Self.scanLimit
        while try lastScan(of: device) == before {
            guard ContinuousClock.now < end else { return false }
            while try nextSignal() != nil {}
            _ = try bus().wait(alsoFor: -1, limit: .milliseconds(200))
        }
        return true
    }

    /// In milliseconds since the start of the machine; -1: never.
    private func lastScan(of device: String) throws(NetworkTrouble) -> Int {
        try properties(of: device, "Device.Wireless")["LastScan"]?.integer ?? -1
    }

    func accessPoints(of device: String) throws(NetworkTrouble) -> [AccessPoint] {
        let paths = try call(device, "Device.Wireless", "GetAllAccessPoints").first?.elements ?? []
        var found: [AccessPoint] = []
        for path in paths.prefix(500) {
            guard let path = path.text, let each = try accessPoint(path) else { continue }
            found.append(each)
        }
        return found
    }

    private func accessPoint(_ path: String) throws(NetworkTrouble) -> AccessPoint? {
        do {
            return AccessPoint(properties: try properties(of: path, "AccessPoint"))
        } catch {
            // The device has gone since the list was made.
            guard error.failure == .failed else { throw error }
            return nil
        }
    }
}
