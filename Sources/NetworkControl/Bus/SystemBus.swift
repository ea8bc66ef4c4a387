// SPDX-License-Identifier: Apache-2.0

import CSDBus
import Glibc
import Health

/// A signal from the bus.
struct BusSignal: Equatable {
    var path: String
    var interface: String
    var member: String
    var arguments: [BusValue]
}

/// A connection to the system bus, for one thread.
final class SystemBus {
    private let library: SDBus
    private let bus: OpaquePointer

    /// Connects to `DBUS_SYSTEM_BUS_ADDRESS`, or to the system's own address.
    init() throws(BusFailure) {
        library = try SDBus.opened()
        var opened: OpaquePointer?
        let status = library.open_system(&opened)
        guard status >= 0, let opened else {
            throw BusFailure(
                name: BusFailure.noBus, message: "no system bus: \(String(cString: strerror(-status)))")
        }
        bus = opened
    }

    deinit { _ = library.flush_close_unref(bus) }

    /// Calls a method, and waits for its answer.
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        limit: Duration = .seconds(10)
    ) throws(BusFailure) -> [BusValue] {
        var made: OpaquePointer?
        let status = library.message_new_method_call(bus, &made, destination, path, interface, member)
        guard status >= 0, let made else { throw BusFailure(errno: -status, what: member) }
        let message = BusMessage(taking: made, of: library)
        for argument in arguments { try message.append(argument) }
        var failure = sd_bus_error()
        defer { library.error_free(&failure) }
        var answer: OpaquePointer?
        let outcome = library.call(bus, message.pointer, limit.microseconds, &failure, &answer)
        guard outcome >= 0, let answer else {
            guard let name = failure.name else { throw BusFailure(errno: -outcome, what: member) }
            throw BusFailure(
                name: String(cString: name), message: failure.message.map { String(cString: $0) } ?? member)
        }
        return try BusMessage(taking: answer, of: library).values()
    }

    /// Subscribes to signals that fit the rule; they come through ``nextSignal()``.
    func match(_ rule: String) throws(BusFailure) {
        let bus = "org.freedesktop.DBus"
        _ = try call(bus, "/org/freedesktop/DBus", bus, "AddMatch", [.string(rule)])
    }

    /// The next signal already received; nil when there is none.
    func nextSignal() throws(BusFailure) -> BusSignal? {
        while true {
            var taken: OpaquePointer?
            let status = library.process(bus, &taken)
            guard status >= 0 else { throw BusFailure(errno: -status, what: "the system bus") }
            guard let taken else {
                if status == 0 { return nil }
                continue
            }
            let message = BusMessage(taking: taken, of: library)
            guard library.message_is_signal(taken, nil, nil) > 0, let path = library.message_get_path(taken),
                let interface = library.message_get_interface(taken), let member = library.message_get_member(taken)
            else { continue }
            return BusSignal(
                path: String(cString: path), interface: String(cString: interface), member: String(cString: member),
                arguments: try message.values())
        }
    }

    /// Waits until data comes over the bus or `descriptor`, or the time is over. Call it when ``nextSignal()`` has
    /// returned nil.
    ///
    /// - Returns: Whether `descriptor` can be read, even if only its end.
    func wait(alsoFor descriptor: Int32, limit: Duration) -> Bool {
        var watched = [
            pollfd(fd: library.get_fd(bus), events: Int16(max(0, library.get_events(bus))), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&watched, nfds_t(watched.count), limit.milliseconds)
        return count > 0 && watched[1].revents != 0
    }
}

extension SDBus {
    /// The library; the first call opens it.
    static func opened(_ file: String = "libsystemd.so.0") throws(BusFailure) -> SDBus {
        let room = UnsafeMutablePointer<SDBus>.allocate(capacity: 1)
        defer { room.deallocate() }
        if let fault = sdbus_open(file, room) {
            throw BusFailure(
                name: BusFailure.noBus,
                message: Advice.here(
                    "libsystemd cannot be opened (\(String(cString: fault))): \(.machine(.install, "libsystemd0"))"))
        }
        return room.move()
    }
}

extension Duration {
    /// Rounded up, and within the range of a C interface.
    var milliseconds: Int32 {
        Int32(clamping: max(0, (self / .milliseconds(1)).rounded(.up).clamped))
    }

    var microseconds: UInt64 {
        UInt64(clamping: max(0, (self / .microseconds(1)).rounded(.up).clamped))
    }
}

extension Double {
    fileprivate var clamped: Int64 { self < 1e15 ? (self > -1e15 ? Int64(self) : -1_000_000) : 1_000_000_000_000_000 }
}
