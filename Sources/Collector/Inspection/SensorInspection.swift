// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Health
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
    package enum Step: String, Codable, CaseIterable, Sendable {
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
    /// Questions for the sensor's own names of characteristics.
    private static let maximumNames = 16

    private let address: String
    private let identifier: UUID?
    private let controller: CBController
    private let patience: Duration
    private let lister: AdvisedCommand
    private let installation: Installation
    private let progress: @Sendable (Step) -> Void

    /// - Parameters:
    ///   - address: `C4:7C:8D:00:11:22`.
    ///   - identifier: of a connected sensor, which does not advertise.
    ///   - patience: how long to listen for the sensor.
    ///   - lister: the command that lists all devices here: a scan fails beside a gateway with the adapter.
    ///   - installation: Advice names the commands of this installation.
    ///   - progress: called at the beginning of each step, on any thread.
    package init(
        of address: String, identifier: UUID? = nil, by controller: CBController, patience: Duration,
        lister: AdvisedCommand = .martlet(.devices), on installation: Installation = .local,
        progress: @escaping @Sendable (Step) -> Void
    ) {
        self.address = address
        self.identifier = identifier
        self.controller = controller
        self.patience = patience
        self.lister = lister
        self.installation = installation
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
            report.entry = report.suggestedEntry
            return report
        }
        progress(.listening)
        guard var found = await heard(by: manager) else {
            let advice: Advice =
                "the device was not heard. Is the device near, awake, and not connected elsewhere? \(lister) shows all devices."
            throw Failure(advice.text(on: installation))
        }
        guard found.report.family != nil || found.isConnectable else {
            throw Failure(
                "the device is heard, but takes no connection, and its advertisements are not understood. For a "
                    + "decoder of your own: " + (found.report.octets?.words ?? "the device advertises nothing"))
        }
        if found.report.family == nil { try await look(at: found.peripheral, found.advertised, into: &found.report) }
        found.report.entry = found.report.suggestedEntry
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
        var places: [(service: Int, index: Int, characteristic: CBCharacteristic)] = []
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
                    places.append((report.services.count, shown.characteristics.count, characteristic))
                    shown.characteristics.append(await described(characteristic, of: peripheral, reads: canRead))
                }
                report.services.append(shown)
            }
        } catch {
            try? await peripheral.disconnect(timeout: .seconds(5))
            throw Failure("the device did not list its services: \(error.localizedDescription)")
        }
        report.number()
        var names = 0
        let peculiarities = (try? await peripheral.linkInformation(timeout: .seconds(5)))?.peculiarities ?? []
        report.peculiarities = peculiarities.isEmpty ? nil : peculiarities
        // The names come last: a sensor may end the link over the questions, or never answer them.
        for place in places
        where report.services[place.service].characteristics[place.index].instance != nil && names < Self.maximumNames {
            names += 1
            do {
                let name = try await ownName(of: place.characteristic, of: peripheral)
                report.services[place.service].characteristics[place.index].ownName = name
            } catch {
                guard (error as? CBError)?.code != .connectionTimeout, peripheral.state == .connected else { break }
            }
        }
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

    /// The User Description (Core 5.4, Vol 3, Part G, 3.3.3.2), fit for people; nil if there is none, or no letter in it.
    private func ownName(of characteristic: CBCharacteristic, of peripheral: CBPeripheral) async throws -> String? {
        let descriptors = try await peripheral.descriptors(of: characteristic, timeout: Self.answer)
        let userDescription = CBUUID(string: CBUUIDCharacteristicUserDescriptionString)
        guard let descriptor = descriptors.first(where: { $0.uuid == userDescription }) else { return nil }
        return InspectionReport.ownName([UInt8](try await peripheral.value(for: descriptor, timeout: Self.answer)))
    }

    /// The text, if all octets are printable.
    private static func printable(_ value: [UInt8]) -> String? {
        guard !value.isEmpty, value.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return "“\(String(decoding: value, as: UTF8.self))”"
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
