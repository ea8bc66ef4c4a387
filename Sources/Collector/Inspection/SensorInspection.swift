// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Platform
import Readings

/// Inspects a sensor: its advertisements, or else its services. Writes nothing, and pairs with no device: the
/// controller's policy must forbid pairing.
package struct SensorInspection: Sendable {
    package struct Failure: Error {
        package let text: String
        init(_ text: String) { self.text = text }
    }

    /// The present step.
    package enum Step: String, Codable, Sendable {
        case listening
        case connecting
        case reading
    }

    /// For each answer of the sensor.
    private static let answer: Duration = .seconds(10)
    private static let maximumReads = 64
    /// Limits for the sensor's table. Services and characteristics beyond the limits are left out.
    private static let maximumServices = 64
    private static let maximumCharacteristics = 256

    private let address: String
    private let identifier: UUID?
    private let controller: CBController
    private let patience: Duration
    private let progress: @Sendable (Step) -> Void

    /// - Parameters:
    ///   - address: `C4:7C:8D:00:11:22`.
    ///   - identifier: of a connected sensor, which does not advertise.
    ///   - patience: how long to listen for the sensor.
    ///   - progress: called at the beginning of each step, on any thread.
    package init(
        of address: String, identifier: UUID? = nil, by controller: CBController, patience: Duration,
        progress: @escaping @Sendable (Step) -> Void
    ) {
        self.address = address
        self.identifier = identifier
        self.controller = controller
        self.patience = patience
        self.progress = progress
    }

    package func run() async throws(Failure) -> InspectionReport {
        let manager = CBCentralManager(
            delegate: nil, queue: DispatchQueue(label: "martlet.inspection"),
            options: [CBCentralManagerOptionControllerKey: controller])
        defer { withExtendedLifetime(manager) {} }
        do {
            try await manager.waitUntilPoweredOn(timeout: .seconds(15))
        } catch {
            throw Failure("the controller does not work: \(controller.statusDescription)")
        }
        if let peripheral = identifier.flatMap({ manager.retrievePeripherals(withIdentifiers: [$0]).first }) {
            var report = InspectionReport(address: address, name: AdvertisedName.clean(peripheral.name))
            try await look(at: peripheral, [], into: &report)
            report.entry = entry(for: report)
            return report
        }
        progress(.listening)
        guard var found = await heard(by: manager) else {
            throw Failure(
                "the device was not heard. Is the device near, awake, and not connected elsewhere? martlet scan shows "
                    + "all devices.")
        }
        guard found.report.family != nil || found.isConnectable else {
            throw Failure(
                "the device is heard, but takes no connection, and its advertisements are not understood. For a "
                    + "decoder of your own: " + (found.report.octets?.words ?? "the device advertises nothing"))
        }
        if found.report.family == nil { try await look(at: found.peripheral, found.advertised, into: &found.report) }
        found.report.entry = entry(for: found.report)
        return found.report
    }

    // MARK: The advertisements

    private struct Found {
        var peripheral: CBPeripheral
        var isConnectable: Bool
        var advertised: [CBUUID]
        var report: InspectionReport
    }

    /// The sensor, as soon as its advertised values are clear; nil if it is not heard in time.
    private func heard(by manager: CBCentralManager) async -> Found? {
        await withTaskGroup(of: Found?.self) { group in
            group.addTask {
                var found: Found?
                let options = [CBCentralManagerScanOptionAllowDuplicatesKey: true]
                var sightings = 0
                for await advertisement in manager.advertisements(options: options)
                where advertisement.peripheral.address == address {
                    sightings += 1
                    let report = report(of: advertisement, name: found?.report.name)
                    found = Found(
                        peripheral: advertisement.peripheral, isConnectable: advertisement.isConnectable,
                        advertised: advertisement.serviceUUIDs, report: report)
                    // After a few packets without values, a connectable device gets a connection.
                    if report.family != nil || (sightings >= 5 && advertisement.isConnectable) { return found }
                }
                return found
            }
            group.addTask {
                await Waiting.pause(for: patience)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            if let first { return first }
            // A heard device that has no values and takes no connections.
            for await late in group { if let late { return late } }
            return nil
        }
    }

    private func report(of advertisement: CBAdvertisement, name: String?) -> InspectionReport {
        var report = InspectionReport(
            address: address, name: AdvertisedName.clean(advertisement.localName) ?? name, rssi: advertisement.rssi)
        let seen = Advertisement(
            address: DeviceAddress(address, kind: .public)?.value, name: advertisement.localName ?? name,
            services: advertisement.serviceUUIDs.compactMap { BluetoothUUID($0.uuidString) },
            manufacturer: advertisement.manufacturerData, serviceData: advertisement.serviceData)
        guard let found = SensorFamilies.recognise(seen) else {
            report.octets = HeardOctets(advertisement.octets)
            return report
        }
        report.family = found.decoder.family
        report.needsKey = found.readable == nil && found.decoder.needs.key != .none
        report.values = found.readable.map {
            ValueText.of(characteristic: found.decoder.family, value: $0.value)
        }
        return report
    }

    // MARK: The services

    /// If the sensor does not list all its services, the collector asks for services by UUID: the advertised services,
    /// and the services of the profiles.
    private func services(of peripheral: CBPeripheral, _ advertised: [CBUUID]) async throws -> [CBService] {
        let failure: any Error
        do {
            let found = try await peripheral.services(timeout: .seconds(30))
            if !found.isEmpty { return found }
            failure = CBError(.unknown)
        } catch {
            guard peripheral.state == .connected else { throw error }
            failure = error
        }
        var seen: Set<CBUUID> = []
        let known = SensorProfile.all.flatMap(\.services).map { CBUUID($0) }
        let wanted = (advertised + known + [CBUUID(DeviceInformation.service)]).filter { seen.insert($0).inserted }
        let found = try await peripheral.services(
            withUUIDs: Array(wanted.prefix(Self.maximumServices)), timeout: .seconds(30))
        guard found.isEmpty, !(failure is CBError) else { return found }
        throw failure
    }

    private func look(
        at peripheral: CBPeripheral, _ advertised: [CBUUID], into report: inout InspectionReport
    ) async throws(Failure) {
        progress(.connecting)
        do {
            try await peripheral.connect(timeout: .seconds(20))
        } catch {
            throw Failure("the connection failed: \(error.localizedDescription)")
        }
        progress(.reading)
        var (reads, characteristics) = (0, 0)
        do {
            for service in try await services(of: peripheral, advertised).prefix(Self.maximumServices) {
                var shown = InspectionReport.Service(
                    uuid: service.uuid.uuidString.lowercased(),
                    name: BluetoothUUID(service.uuid.uuidString).flatMap { AssignedName.name(ofService: $0) },
                    characteristics: [])
                var found: [CBCharacteristic] = []
                do {
                    found = try await peripheral.characteristics(in: service, timeout: .seconds(30))
                } catch {
                    // The other services may answer better, as long as there is a link.
                    guard peripheral.state == .connected else { throw error }
                    shown.trouble = error.localizedDescription
                }
                for characteristic in found where characteristics < Self.maximumCharacteristics {
                    characteristics += 1
                    let canRead = characteristic.properties.contains(.read) && reads < Self.maximumReads
                    if canRead { reads += 1 }
                    shown.characteristics.append(await described(characteristic, of: peripheral, reads: canRead))
                }
                report.services.append(shown)
            }
        } catch {
            try? await peripheral.disconnect(timeout: .seconds(5))
            throw Failure("the device did not list its services: \(error.localizedDescription)")
        }
        report.number()
        let peculiarities = (try? await peripheral.linkInformation(timeout: .seconds(5)))?.peculiarities ?? []
        report.peculiarities = peculiarities.isEmpty ? nil : peculiarities
        try? await peripheral.disconnect(timeout: .seconds(5))
    }

    private func described(
        _ characteristic: CBCharacteristic, of peripheral: CBPeripheral, reads: Bool
    ) async -> InspectionReport.Characteristic {
        let uuid = characteristic.uuid.uuidString.lowercased()
        let named = BluetoothUUID(characteristic.uuid.uuidString)
        var shown = InspectionReport.Characteristic(
            uuid: uuid, name: named.flatMap { AssignedName.name(ofCharacteristic: $0) },
            properties: characteristic.properties.names)
        guard reads else { return shown }
        do {
            let value = [UInt8](try await peripheral.value(for: characteristic, timeout: Self.answer))
            shown.value = value.hexadecimal
            shown.text =
                Decoders.decoder(for: uuid) == nil
                ? ValueText.string(of: uuid, value: value).map { "“\($0)”" } ?? Self.printable(value)
                : ValueText.of(characteristic: uuid, value: value)
        } catch {
            shown.trouble = error.localizedDescription
        }
        return shown
    }

    /// The text, if all octets are printable.
    private static func printable(_ value: [UInt8]) -> String? {
        guard !value.isEmpty, value.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return "“\(String(decoding: value, as: UTF8.self))”"
    }

    // MARK: The entry

    private func entry(for report: InspectionReport) -> String {
        var lines = ["[[sensor]]"]
        if let name = report.name { lines.append("# \(name)") }
        lines.append("id = \"\(SensorID.suggested(for: report))\"")
        lines.append("address = \"\(address)\"")
        if report.needsKey {
            lines.append("bindkey_file = \"/etc/martlet/\(address.filter { $0 != ":" }.lowercased()).key\"")
        }
        let services = report.services.compactMap { BluetoothUUID($0.uuid) }
        if let profile = report.name.flatMap(SensorProfile.ofSensor(named:)) {
            lines.append("profile = \"\(profile.name)\"")
        } else if report.family == nil, let profile = SensorProfile.of(services), !profile.read.isEmpty {
            lines.append("profile = \"\(profile.name)\"")
        } else if report.family == nil {
            let feeds = wanted(in: report) { $0.contains("notify") || $0.contains("indicate") }
            let reads = wanted(in: report) { $0.contains("read") && !$0.contains("notify") && !$0.contains("indicate") }
            if !feeds.isEmpty { lines.append("subscribe = [\(feeds.joined(separator: ", "))]") }
            if !reads.isEmpty { lines.append("read = [\(reads.joined(separator: ", "))]") }
            // A characteristic without notifications is worth little if it is read only once a link.
            if feeds.isEmpty, !reads.isEmpty { lines.append("read_every_s = 600") }
            if feeds.isEmpty, reads.isEmpty {
                lines.append("# Nothing of it is decoded here: name what to collect, as SERVICE/CHARACTERISTIC.")
                lines.append("# subscribe = [\"…/…\"]")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The decodable characteristics, as the configuration names them.
    private func wanted(in report: InspectionReport, _ properties: ([String]) -> Bool) -> [String] {
        report.services.flatMap { service in
            service.characteristics.filter {
                properties($0.properties) && Decoders.decoder(for: $0.uuid) != nil
                    && !Decoders.isOfSomeMakers($0.uuid)
            }.map { characteristic in
                "\"\(service.name ?? service.uuid)/\(characteristic.name ?? characteristic.uuid)"
                    + (characteristic.instance.map { "#\($0)" } ?? "") + "\""
            }
        }
    }
}

extension InspectionReport {
    /// Numbers characteristics of equal UUID, by their handles.
    mutating func number() {
        var totals: [[String]: Int] = [:]
        for service in services {
            for characteristic in service.characteristics {
                totals[[service.uuid, characteristic.uuid], default: 0] += 1
            }
        }
        var counts: [[String]: Int] = [:]
        for place in services.indices {
            for index in services[place].characteristics.indices {
                let key = [services[place].uuid, services[place].characteristics[index].uuid]
                guard totals[key, default: 1] > 1 else { continue }
                counts[key, default: 0] += 1
                services[place].characteristics[index].instance = counts[key]
            }
        }
    }
}

extension CBCharacteristicProperties {
    fileprivate var names: [String] {
        let all: [(CBCharacteristicProperties, String)] = [
            (.read, "read"), (.notify, "notify"), (.indicate, "indicate"), (.write, "write"),
            (.writeWithoutResponse, "write without response"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
