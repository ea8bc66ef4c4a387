// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import HCI
import Synchronization

/// A ``VirtualAir`` in real time, or at its ``AirSettings/pace``: one thread that serves its controllers over stream sockets.
///
/// Every member may be called from any thread.
package final class VirtualRadio: Sendable {
    private let core: Core

    package init(seed: UInt64 = 1, settings: AirSettings = AirSettings()) {
        core = Core(seed: seed, settings: settings)
    }

    deinit { core.stop() }

    // MARK: Controllers

    /// A new controller; the descriptor is the host's end of an H4 stream. The caller owns the descriptor; closing it
    /// removes the controller.
    package func makeController(address: DeviceAddress, extendedAdvertising: Bool = false) throws -> Int32 {
        try makeController(address: address, settings: ControllerSettings(extendedAdvertising: extendedAdvertising))
    }

    package func makeController(address: DeviceAddress, settings: ControllerSettings) throws -> Int32 {
        try core.serve { loop throws(VirtualRadioError) in
            let (ours, theirs) = try Descriptor.pair()
            Descriptor.makeNonBlocking(ours)
            loop.attach(ours, address: address, settings: settings, origin: .local)
            return theirs
        }
    }

    /// Gives each connection to the port of 127.0.0.1 a controller of its own. Port 0 picks a free port; the result is
    /// the port in use. `addresses`: public addresses. A connection gets the first address that no controller has now,
    /// and after the list a fresh address.
    ///
    /// `faults` strike the controller of the newest connection, each once, at its time from the first connection on.
    /// `onFault` is called for each fault, on the radio's thread, and must not call the radio.
    package func listen(
        tcpPort: UInt16, settings: ControllerSettings = ControllerSettings(), addresses: [DeviceAddress] = [],
        faults: [FaultPlan] = [], onFault: @escaping @Sendable (ControllerFault) -> Void = { _ in }
    ) throws -> UInt16 {
        try core.serve { loop throws(VirtualRadioError) in
            let (descriptor, port) = try Descriptor.listen(tcpPort: tcpPort)
            loop.listeners.append(
                .init(
                    descriptor: descriptor, settings: settings, addresses: addresses, unixPath: nil,
                    plans: FaultPlan.timed(faults), onFault: onFault))
            return port
        }
    }

    /// Gives each connection to the socket a controller of its own; ``stop()`` removes the socket. `addresses`: as with
    /// a port.
    package func listen(
        unixPath: String, settings: ControllerSettings = ControllerSettings(), addresses: [DeviceAddress] = [],
        faults: [FaultPlan] = [], onFault: @escaping @Sendable (ControllerFault) -> Void = { _ in }
    ) throws {
        try core.serve { loop throws(VirtualRadioError) in
            let descriptor = try Descriptor.listen(unixPath: unixPath)
            loop.listeners.append(
                .init(
                    descriptor: descriptor, settings: settings, addresses: addresses, unixPath: unixPath,
                    plans: FaultPlan.timed(faults), onFault: onFault))
        }
    }

    package func controllerStates() -> [ControllerState] {
        core.change { loop in
            loop.connections.map {
                ControllerState(
                    id: $0.controller, address: $0.address, origin: $0.origin,
                    violations: loop.air.violations(of: $0.controller))
            }
        }
    }

    // MARK: Sensors

    @discardableResult
    package func addSensor(_ configuration: VirtualSensor.Configuration) -> AirNodeID {
        core.change { $0.air.addSensor(configuration) }
    }

    /// A sensor that only advertises.
    @discardableResult
    package func addBroadcaster(_ configuration: VirtualBroadcaster.Configuration) -> AirNodeID {
        core.change { $0.air.addBroadcaster(configuration) }
    }

    /// Packets that a broadcaster has begun to send; nil for any other node.
    package func packets(of id: AirNodeID) -> UInt32? { core.change { $0.air.packets(of: id) } }

    /// Packets of a broadcaster that controllers have reported to their hosts; a repeated packet counts once.
    package func toldPackets(of id: AirNodeID) -> Int { core.change { $0.air.toldPackets(of: id) } }

    /// The sensor vanishes as if its battery had been taken out.
    package func removeSensor(_ id: AirNodeID) {
        core.change { $0.air.detach(id) }
    }

    package func sensorStates() -> [SensorState] {
        core.change { $0.air.sensorStates() }
    }

    package func ledger(of id: AirNodeID) -> SensorLedger? {
        core.change { $0.air.ledger(of: id) }
    }

    package func violations(of id: AirNodeID) -> [String] {
        core.change { $0.air.violations(of: id) }
    }

    // MARK: Misfortunes

    package func simulateDisconnection(of id: AirNodeID, reason: HCIStatus = .connectionTimeout) {
        core.change { $0.air.simulateDisconnection(of: id, reason: reason) }
    }

    package func simulateServiceChange(of id: AirNodeID) { core.change { $0.air.simulateServiceChange(of: id) } }

    package func simulateDatabaseChange(of id: AirNodeID) { core.change { $0.air.simulateDatabaseChange(of: id) } }

    package func simulateForgottenSubscriptions(of id: AirNodeID) {
        core.change { $0.air.simulateForgottenSubscriptions(of: id) }
    }

    package func simulateMuteness(of id: AirNodeID) { core.change { $0.air.simulateMuteness(of: id) } }

    package func simulateOutOfRange(_ id: AirNodeID) { core.change { $0.air.simulateOutOfRange(id) } }

    package func simulateInRange(_ id: AirNodeID) { core.change { $0.air.simulateInRange(id) } }

    package func simulateHardwareError(_ id: AirNodeID, code: UInt8 = 0x42) {
        core.change { $0.air.simulateHardwareError(id, code: code) }
    }

    package func simulateSilence(_ id: AirNodeID) { core.change { $0.air.simulateSilence(id) } }

    package func simulateGarbage(_ octets: [UInt8], to id: AirNodeID) {
        core.change { $0.air.simulateGarbage(octets, to: id) }
    }

    /// The controller gets a fault now.
    package func simulate(_ fault: ControllerFault, of id: AirNodeID) { core.change { $0.air.simulate(fault, of: id) } }

    /// Ends the thread and closes all sockets; hosts see the end of their streams. Later calls have no effect.
    package func stop() { core.stop() }
}

/// A controller of a ``VirtualRadio``.
package struct ControllerState: Sendable {
    package enum Origin: Sendable {
        /// Made with ``VirtualRadio/makeController(address:extendedAdvertising:)``.
        case local
        /// A host connected to a listening socket.
        case listener
    }

    package let id: AirNodeID
    package let address: DeviceAddress
    package let origin: Origin
    package let violations: [String]
}

/// The part that the thread holds, so that the radio itself can be released while the thread runs.
private final class Core: Sendable {
    private let loop: Mutex<AirLoop>
    private let ended = DispatchSemaphore(value: 0)

    init(seed: UInt64, settings: AirSettings) {
        var settings = settings
        let now = Descriptor.now()
        settings.epoch = (Descriptor.wallClock() - now) / 1000
        loop = Mutex(
            AirLoop(
                air: VirtualAir(seed: seed, settings: settings, start: MonotonicTime(nanoseconds: now)), start: now))
    }

    /// Changes the air at the present moment, and wakes the thread to see the change.
    func change<Result: Sendable>(_ body: (inout AirLoop) throws -> Result) rethrows -> Result {
        try loop.withLock { loop in
            loop.air.advance(to: loop.now)
            let result = try body(&loop)
            if let wakeUp = loop.wakeUp {
                var octet: UInt8 = 0
                // A full pipe wakes the thread as well.
                _ = write(wakeUp.writing, &octet, 1)
            }
            return result
        }
    }

    /// Adds a listener or a connection; the first call starts the thread.
    func serve<Result: Sendable>(
        _ add: (inout AirLoop) throws(VirtualRadioError) -> Result
    ) throws -> Result {
        try change { loop in
            guard !loop.isStopped else { throw VirtualRadioError(call: "virtual radio", code: ESHUTDOWN) }
            if loop.wakeUp == nil {
                loop.wakeUp = try Descriptor.pipe()
                let thread = Thread { [self] in run() }
                thread.name = "virtual-radio"
                thread.start()
            }
            return try add(&loop)
        }
    }

    func stop() {
        let isRunning = loop.withLock { loop in
            guard !loop.isStopped else { return false }
            loop.isStopped = true
            guard let wakeUp = loop.wakeUp else { return false }
            var octet: UInt8 = 0
            _ = write(wakeUp.writing, &octet, 1)
            return true
        }
        if isRunning { ended.wait() }
    }

    private func run() {
        var polled: [pollfd] = []
        while true {
            let timeout = loop.withLock { loop -> Int32? in
                loop.turn(polled)
                if loop.isStopped {
                    loop.closeAll()
                    return nil
                }
                return loop.waits(&polled)
            }
            guard let timeout else { break }
            poll(&polled, nfds_t(polled.count), timeout)
        }
        ended.signal()
    }
}
