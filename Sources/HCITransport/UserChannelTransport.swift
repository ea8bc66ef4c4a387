// SPDX-License-Identifier: Apache-2.0

import CBlueZ
import Glibc

/// The kernel's HCI user channel: the process has the adapter alone, and the kernel's own host stack is out of the way.
/// Needs CAP_NET_ADMIN and an adapter that is down.
package struct UserChannelTransport: HCITransport {
    package let descriptor: Int32
    package var keepsPacketBorders: Bool { true }
    private let name: String

    /// Octets that the socket may hold unread: a second of a busy room's advertising reports.
    private static let receiveBuffer: Int32 = 1 << 20

    package init(index: UInt16) throws(TransportError) {
        name = "hci\(index)"
        descriptor = socket(
            AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), BTPROTO_HCI)
        guard descriptor >= 0 else {
            throw Self.explain(errno, adapter: name, index: index, call: "socket")
        }
        var address = sockaddr_hci()
        address.hci_family = sa_family_t(AF_BLUETOOTH)
        address.hci_dev = index
        address.hci_channel = UInt16(HCI_CHANNEL_USER)
        let size = socklen_t(MemoryLayout<sockaddr_hci>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        guard result == 0 else {
            let number = errno
            Glibc.close(descriptor)
            throw Self.explain(number, adapter: name, index: index, call: "bind")
        }
        var octets = Self.receiveBuffer
        if setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &octets, socklen_t(MemoryLayout<Int32>.size)) != 0 {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &octets, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { return count }
            if count == 0 { throw gone }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            default: throw gone
            }
        }
    }

    package func write(_ octets: UnsafeRawBufferPointer) throws(TransportError) -> Int {
        while true {
            let count = Glibc.write(descriptor, octets.baseAddress, octets.count)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS: return 0
            default: throw gone
            }
        }
    }

    package func close() { Glibc.close(descriptor) }

    private var gone: TransportError {
        TransportError(
            kind: .lost,
            message: "\(name): the adapter went away (unplugged, or its driver stopped); waiting for it to come back")
    }

    /// Tells the reasons of net/bluetooth/hci_sock.c apart, with what to do about each.
    private static func explain(
        _ number: Int32, adapter: String, index: UInt16, call: StaticString
    ) -> TransportError {
        switch number {
        case EBUSY, EUSERS:
            return TransportError(kind: .busy, message: "\(adapter) is busy: \(AdapterHolder.describe(index: index))")
        case EALREADY:
            return TransportError(kind: .busy, message: "\(adapter) is already bound by this process")
        case EPERM, EACCES:
            return TransportError(
                kind: .notPermitted,
                message: "\(adapter): not permitted to take the adapter over: CAP_NET_ADMIN is missing. "
                    + "Run as root, use the systemd unit, or grant it: setcap cap_net_admin,cap_net_raw+eip $(which martlet)"
            )
        case ENODEV:
            return TransportError(
                kind: .notFound,
                message: "\(adapter): no such adapter. \(AdapterHolder.listAdapters()) "
                    + "Check that the controller is plugged in and its driver loaded (dmesg | grep -i bluetooth)")
        case ERFKILL:
            return TransportError(
                kind: .blocked, message: "\(adapter) is blocked by rfkill: run «rfkill unblock bluetooth»")
        case EAFNOSUPPORT:
            return TransportError(
                kind: .notFound,
                message: "\(adapter): this kernel has no Bluetooth: load its module (modprobe bluetooth) or use a "
                    + "controller on a socket or serial line (--controller tcp:HOST:PORT, unix:PATH, serial:DEVICE,BAUD)"
            )
        default:
            return TransportError(
                kind: .other, message: "\(adapter): \(call) failed: \(String(cString: strerror(number)))")
        }
    }
}
