// SPDX-License-Identifier: Apache-2.0

import CBlueZ
import Glibc

/// The kernel's HCI user channel: the process has the adapter alone, and the kernel's own host stack is out of the way.
package enum UserChannel {
    /// Octets that the socket may hold unread. The kernel drops packets for a full socket without a word. The kernel
    /// allows twice this size, and counts some 2,300 octets for each packet of ACL data from a UART, however short. The
    /// socket thus holds 3,600 packets. At 1,500 packets a second this lasts longer than the 2 s for which a full
    /// journal stops reading.
    private static let receiveBuffer: Int32 = 4 << 20

    /// Opens a socket that reads and writes one packet at a time, and never waits.
    ///
    /// Needs CAP_NET_ADMIN and an adapter that is down.
    package static func open(index: UInt16, _ words: TransportWords = .library) throws(TransportError) -> Int32 {
        let name = "hci\(index)"
        let descriptor = socket(
            AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), BTPROTO_HCI)
        guard descriptor >= 0 else { throw explain(errno, adapter: name, index: index, call: "socket", words) }
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
            throw explain(number, adapter: name, index: index, call: "bind", words)
        }
        var octets = receiveBuffer
        if setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &octets, socklen_t(MemoryLayout<Int32>.size)) != 0 {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &octets, socklen_t(MemoryLayout<Int32>.size))
        }
        return descriptor
    }

    /// Packets that the socket had no room for, as the kernel counts them.
    static func packetsLost(on descriptor: Int32) -> UInt32 {
        // SK_MEMINFO_VARS of linux/sock_diag.h, with SK_MEMINFO_DROPS as the last.
        var figures = [UInt32](repeating: 0, count: 9)
        var size = socklen_t(figures.count * MemoryLayout<UInt32>.stride)
        guard getsockopt(descriptor, SOL_SOCKET, SO_MEMINFO, &figures, &size) == 0 else { return 0 }
        return figures[8]
    }

    static func noAdapter(index: UInt16, _ words: TransportWords) -> TransportError {
        TransportError(
            kind: .notFound,
            message:
                "hci\(index): no such adapter. \(AdapterHolder.listAdapters()) Check that the controller is plugged in "
                + "and its driver loaded (\(words.command(.kernelOnBluetooth)))")
    }

    /// Explains each error of net/bluetooth/hci_sock.c, with the action that helps.
    private static func explain(
        _ number: Int32, adapter: String, index: UInt16, call: StaticString, _ words: TransportWords
    ) -> TransportError {
        switch number {
        case EBUSY, EUSERS:
            if AdapterState(index: index)?.isUnfinished == true {
                return TransportError(
                    kind: .unfinished,
                    message:
                        "\(adapter): the kernel could not set the adapter up, and does not try again "
                        + "(\(words.command(.kernelOnAdapter(adapter)))). Plug the adapter out and in, run its attaching "
                        + "program again, or restart the machine")
            }
            return TransportError(
                kind: .busy, message: "\(adapter) is busy: \(AdapterHolder.describe(index: index, words))")
        case EALREADY:
            return TransportError(kind: .busy, message: "\(adapter) is already bound by this process")
        case EPERM, EACCES:
            return TransportError(
                kind: .notPermitted,
                message:
                    "\(adapter): not permitted to take the adapter over: CAP_NET_ADMIN is missing. "
                    + "Run as root, as a service with AmbientCapabilities=CAP_NET_ADMIN, or grant the right: "
                    + "\(words.command(.allowAdapter(program: program)))")
        case ENODEV:
            return noAdapter(index: index, words)
        case ERFKILL:
            return TransportError(
                kind: .blocked,
                message: "\(adapter) is blocked by rfkill: run «\(words.command(.unblockBluetooth))»")
        case EAFNOSUPPORT:
            return TransportError(
                kind: .notFound,
                message:
                    "\(adapter): this kernel has no Bluetooth: load its module (\(words.command(.loadBluetooth))) or use a "
                    + "controller on a socket or serial line (\(TransportError.otherTransports))")
        default:
            return TransportError(
                kind: .other, message: "\(adapter): \(call) failed: \(String(cString: strerror(number)))")
        }
    }

    /// The path of this program.
    private static var program: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        guard count > 0 else { return CommandLine.arguments.first ?? "PROGRAM" }
        return String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
