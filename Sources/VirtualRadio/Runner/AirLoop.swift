// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc

/// The state of the thread of a ``VirtualRadio``, under its lock.
struct AirLoop: ~Copyable {
    struct Connection {
        let descriptor: Int32
        let controller: AirNodeID
        let origin: ControllerState.Origin
        let address: DeviceAddress
        /// The descriptor of the listener that accepted the connection.
        var listener: Int32?
        /// Octets that the host's end has not taken yet. The loop gets more from the air only when this is empty, so
        /// that a host that does not read stops its own controller, not this process.
        var unsent: ArraySlice<UInt8> = []
        var isClosed = false
    }

    struct Listener {
        let descriptor: Int32
        let settings: ControllerSettings
        let addresses: [DeviceAddress]
        let unixPath: String?
        /// Faults that have not struck yet, the soonest first, and the function to call at each.
        var plans: [FaultPlan] = []
        var onFault: @Sendable (ControllerFault) -> Void = { _ in }
        /// When the first host connected; ``plans`` count from this moment.
        var firstConnection: MonotonicTime?

        var nextFault: MonotonicTime? {
            guard let firstConnection, let delay = plans.first?.delay else { return nil }
            return firstConnection + delay
        }
    }

    static let unreadLimit = 65_536
    static let connectionLimit = 512

    let air: VirtualAir
    var connections: [Connection] = []
    var listeners: [Listener] = []
    var wakeUp: (reading: Int32, writing: Int32)?
    var isStopped = false
    private var lastAddress: UInt64 = 0
    private var buffer = [UInt8](repeating: 0, count: 16_384)

    /// The time at which the air began, on the system's clock and on the air's own clock.
    private let start: Int64
    private let pace: Int64

    /// `start`: the air's time at this moment.
    init(air: VirtualAir, start: Int64) {
        self.air = air
        self.start = start
        pace = air.settings.pace
    }

    /// The air's time.
    var now: MonotonicTime { MonotonicTime(nanoseconds: start + (Descriptor.now() - start) * pace) }

    mutating func attach(
        _ descriptor: Int32, address: DeviceAddress?, settings: ControllerSettings, origin: ControllerState.Origin,
        listener: Int32? = nil
    ) {
        air.advance(to: now)
        lastAddress += 1
        // Locally administered, so that the address collides with no maker's address.
        let address = address ?? DeviceAddress(kind: .public, value: 0x02_4D_52_00_00_00 + lastAddress)
        let id = air.attachController(address: address, settings: settings)
        connections.append(
            Connection(
                descriptor: descriptor, controller: id, origin: origin, address: address, listener: listener))
    }

    /// The first address of the listener that no controller has now. A controller that closes in this turn no longer
    /// has its address.
    private func freeAddress(of listener: Listener) -> DeviceAddress? {
        listener.addresses.first { address in !connections.contains { !$0.isClosed && $0.address == address } }
    }

    // MARK: A turn

    /// Sets the descriptors to wait for, and returns the wait in milliseconds; -1 is for ever.
    func waits(_ polled: inout [pollfd]) -> Int32 {
        polled.removeAll(keepingCapacity: true)
        if let wakeUp { polled.append(pollfd(fd: wakeUp.reading, events: Int16(POLLIN), revents: 0)) }
        for listener in listeners { polled.append(pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)) }
        for connection in connections {
            var events: Int32 = 0
            if connection.unsent.isEmpty || air.outputCount(of: connection.controller) < Self.unreadLimit {
                events |= POLLIN
            }
            if !connection.unsent.isEmpty { events |= POLLOUT }
            polled.append(pollfd(fd: connection.descriptor, events: Int16(events), revents: 0))
        }
        var soonest = air.deadline
        for listener in listeners {
            if let fault = soonestFault(of: listener) { soonest = min(soonest ?? fault, fault) }
        }
        guard let deadline = soonest else { return -1 }
        let wait = (deadline.nanoseconds - now.nanoseconds + 1_000_000 * pace - 1) / (1_000_000 * pace)
        return Int32(clamping: max(0, wait))
    }

    /// Reads the hosts' octets, advances the air, and writes the air's output.
    mutating func turn(_ polled: [pollfd]) {
        air.advance(to: now)
        let ready = Set(polled.lazy.filter { $0.revents != 0 }.map(\.fd))
        if !ready.isEmpty { read(ready) }
        air.advance(to: now)
        for index in listeners.indices { strike(index) }
        for index in connections.indices { write(index) }
        removeClosed()
    }

    private mutating func read(_ ready: Set<Int32>) {
        if let wakeUp, ready.contains(wakeUp.reading) { drain(wakeUp.reading) }
        for index in connections.indices where ready.contains(connections[index].descriptor) {
            guard
                connections[index].unsent.isEmpty
                    || air.outputCount(of: connections[index].controller) < Self.unreadLimit
            else { continue }
            switch Descriptor.read(connections[index].descriptor, into: &buffer) {
            case .octets(let octets): air.receive(octets, from: connections[index].controller, at: now)
            case .nothing: break
            case .end: connections[index].isClosed = true
            }
        }
        for index in listeners.indices where ready.contains(listeners[index].descriptor) {
            let listener = listeners[index]
            while let descriptor = Descriptor.accept(listener.descriptor) {
                guard connections.count < Self.connectionLimit else {
                    close(descriptor)
                    continue
                }
                attach(
                    descriptor, address: freeAddress(of: listener), settings: listener.settings, origin: .listener,
                    listener: listener.descriptor)
                if listener.firstConnection == nil { listeners[index].firstConnection = air.now }
            }
        }
    }

    /// The controller for a listener's next fault: the newest connection's.
    private func victim(of listener: Listener) -> AirNodeID? {
        connections.last { $0.listener == listener.descriptor && !$0.isClosed }?.controller
    }

    /// A due fault waits until there is a controller.
    private func soonestFault(of listener: Listener) -> MonotonicTime? {
        victim(of: listener) == nil ? nil : listener.nextFault
    }

    private mutating func strike(_ index: Int) {
        while let due = soonestFault(of: listeners[index]), due <= air.now, let id = victim(of: listeners[index]) {
            let fault = listeners[index].plans.removeFirst().fault
            air.simulate(fault, of: id)
            listeners[index].onFault(fault)
        }
    }

    private mutating func drain(_ descriptor: Int32) {
        let count = buffer.count
        while buffer.withUnsafeMutableBytes({ Glibc.read(descriptor, $0.baseAddress, count) }) > 0 {}
    }

    private mutating func write(_ index: Int) {
        while !connections[index].isClosed {
            if connections[index].unsent.isEmpty {
                connections[index].unsent = air.takeOutput(of: connections[index].controller)[...]
            }
            guard !connections[index].unsent.isEmpty else { return }
            guard let count = Descriptor.write(connections[index].descriptor, connections[index].unsent) else {
                connections[index].isClosed = true
                return
            }
            connections[index].unsent = connections[index].unsent.dropFirst(count)
            if !connections[index].unsent.isEmpty { return }
        }
    }

    private mutating func removeClosed() {
        guard connections.contains(where: \.isClosed) else { return }
        for connection in connections where connection.isClosed {
            air.detach(connection.controller)
            close(connection.descriptor)
        }
        connections.removeAll(where: \.isClosed)
    }

    /// Closes all connections; hosts see the end of their streams.
    mutating func closeAll() {
        for connection in connections {
            air.detach(connection.controller)
            close(connection.descriptor)
        }
        for listener in listeners {
            close(listener.descriptor)
            if let path = listener.unixPath { unlink(path) }
        }
        connections = []
        listeners = []
        if let wakeUp {
            close(wakeUp.reading)
            close(wakeUp.writing)
        }
        wakeUp = nil
    }
}
