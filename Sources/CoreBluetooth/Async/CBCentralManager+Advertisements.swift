// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Synchronization

extension CBCentralManager {
    /// Additive: advertisements, during an iteration and while the manager is powered on.
    ///
    /// ```swift
    /// for await advertisement in central.advertisements(withServices: [CBUUID(string: "180D")]) {
    ///     try await advertisement.peripheral.connect(timeout: .seconds(10))
    ///     break
    /// }
    /// ```
    ///
    /// Each iteration is a scan of its own: the scan starts when the loop asks for the first element, and stops when
    /// the loop ends or its task is cancelled. Any number of scans run at once, each with its services and options.
    /// They do not affect the scan of ``scanForPeripherals(withServices:options:)``, its delegate calls and
    /// ``isScanning``. Without a controller the scan waits, and goes on with the controller. A controller serves 64
    /// managers and scans at once; a further sequence is empty.
    ///
    /// - Parameters:
    ///   - serviceUUIDs: any of these services; nil, or an empty list, finds every device.
    ///   - options: as for ``scanForPeripherals(withServices:options:)``: without duplicates, a device is reported
    ///     once, and again when its scan response has come.
    ///   - bufferingPolicy: the elements that a slow consumer keeps.
    public func advertisements(
        withServices serviceUUIDs: [CBUUID]? = nil, options: [String: Any]? = nil,
        bufferingPolicy: CBBufferingPolicy = .newest(256)
    ) -> CBStream<CBAdvertisement, Never> {
        let demand = Self.demand(serviceUUIDs, options)
        return CBStream(bufferingPolicy) { [self] buffer in scan(demand, into: buffer) }
    }

    /// Scans as a client of its own, so that the host filters and coalesces for each scan by itself.
    private func scan(
        _ demand: ScanDemand, into buffer: BoundedBuffer<CBAdvertisement, Never>
    ) -> @Sendable () -> Void {
        let host = controller.host
        guard let client = host.makeClient() else {
            buffer.finish()
            return {}
        }
        let queue = queue
        weak let manager = self
        host.perform { host in
            host.addClient(client) { [host = host as BluetoothHost] batch in
                let isReady = batch.tellsReady
                // If the host cut this client off for its slowness, the scan has ended and begins again here.
                if isReady {
                    host.perform { $0.withMachine { machine, now in machine.setScan(demand, for: client, at: now) } }
                }
                queue.async {
                    manager?.receive(batch, of: client, into: buffer)
                    host.handled(by: client)
                }
            }
            host.withMachine { machine, now in machine.setScan(demand, for: client, at: now) }
        }
        // The scan keeps the manager alive.
        return { [self] in controller.host.perform { $0.removeClient(client) } }
    }

    private func receive(
        _ batch: HostEventBatch, of client: ClientID, into buffer: BoundedBuffer<CBAdvertisement, Never>
    ) {
        for advertisement in batch.advertisements
        where advertisement.clients.contains(ClientSet(client)) {
            let peripheral = peripheral(at: advertisement.address)
            let element = CBAdvertisement(
                batch.octets[advertisement.octets], responseAt: advertisement.responseAt, of: peripheral,
                isConnectable: advertisement.isConnectable, rssi: advertisement.rssi)
            // Most are known already, and are looked up only.
            controller.host.directory.recordTold(advertisement.address, name: element.localName)
            if let name = element.localName {
                peripheral.changing.withLock { state in if !state.isNameFromGAP { state.name = name } }
            }
            buffer.push(element)
        }
    }
}
