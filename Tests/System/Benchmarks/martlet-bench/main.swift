// SPDX-License-Identifier: Apache-2.0

// martlet-bench PORT adv|extadv|notify|links LINKS - Martlet's Core Bluetooth as the host under test.
//
// Connects to the controller on 127.0.0.1:PORT (Tests/Rig/load/h4gen), counts in the application's callback, and prints
// {"callbacks": N, "gaps": N} at the end of the connection. With `links` the controller is a virtual radio's, and the
// program prints the resident memory before the first link and with all links.

import CoreBluetooth
import Foundation

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("martlet-bench: \(message)\n".utf8))
    exit(1)
}

func finish(_ counted: SequenceCount) -> Never {
    print(counted.report)
    exit(0)
}

extension Data {
    /// The 32-bit little-endian number at `offset`; nil when the value is too short.
    func sequenceNumber(at offset: Int) -> UInt32? {
        guard count >= offset + 4 else { return nil }
        return withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let port = UInt16(arguments[1]), let links = Int(arguments[3]) else {
    fail("usage: martlet-bench PORT adv|extadv|notify|links LINKS")
}
let queue = DispatchQueue(label: "martlet-bench")
let delegate: any CBCentralManagerDelegate =
    switch arguments[2] {
    case "notify": Notifications(links: links)
    case "links": Discoveries(links: links, queue: queue)
    default: Advertisements()
    }
let controller = CBController(transport: .tcp(host: "127.0.0.1", port: port), stateDirectory: nil)
let central = CBCentralManager(
    delegate: delegate, queue: queue,
    options: [CBCentralManagerOptionControllerKey: controller])
withExtendedLifetime((central, delegate)) { dispatchMain() }
