// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import Testing

@testable import HostBench

/// Our host as GATT server: notifications and indications.
struct ServerUpdateTests {
    @Test func `GATT/SR/GAN/BV-01-C notifications to a client without a bond`() throws {
        try conformance("GATT/SR/GAN/BV-01-C") { bench in
            try dropped(bench, "0A 0B")
            try bench.expects(write: ServerTable.updatedConfiguration, [1, 0])
            try sends(bench, "0A 0B", "1B 28 00 0A 0B")
            // The server cuts the surplus octets.
            try sends(bench, text(counting(30)), text([0x1B, 0x28, 0] + counting(20)))
            try bench.reconnect()
            try bench.expects(read: ServerTable.updatedConfiguration, [0, 0])
            try dropped(bench, "0C")
        }
    }

    @Test func `GATT/SR/GAN/BV-03-C notifications to a bonded client`() throws {
        try conformance("GATT/SR/GAN/BV-03-C") { bench in
            try bench.bond()
            try bench.expects(write: ServerTable.updatedConfiguration, [1, 0])
            try bench.reconnect()
            try sends(bench, "0C", "1B 28 00 0C")
            try bench.expects(read: ServerTable.updatedConfiguration, [1, 0])
            // Switched off is kept as well.
            try bench.expects(write: ServerTable.updatedConfiguration, [0, 0])
            try bench.reconnect()
            try dropped(bench, "0C")
        }
    }

    @Test func `GATT/SR/GAN/BV-02-C multiple handle value notification`() throws {
        try conformance("GATT/SR/GAN/BV-02-C") { bench in
            try bench.expects(write: ServerTable.updatedConfiguration, [1, 0])
            try bench.expects(write: ServerTable.secondUpdatedConfiguration, [1, 0])
            let updates: [(handle: UInt16, value: [UInt8])] = [
                (ServerTable.updated, [0xAA, 0xBB]), (ServerTable.secondUpdated, [0xCC]),
            ]
            // A client that has not announced multiple notifications gets one value at a time.
            bench.notify(updates)
            try bench.expects(att: "1B 28 00 AA BB")
            try bench.expects(att: "1B 38 00 CC")
            try bench.expects(write: ServerTable.clientSupportedFeatures, [4])
            bench.notify(updates)
            try bench.expects(att: "23 28 00 02 00 AA BB 38 00 01 00 CC")
        }
    }

    @Test func `GATT/SR/GAI/BV-01-C indications to a client without a bond`() throws {
        try conformance("GATT/SR/GAI/BV-01-C") { bench in
            try bench.expects(write: ServerTable.updatedConfiguration, [2, 0])
            bench.notify("0A", of: ServerTable.updated)
            try bench.expects(att: "1D 28 00 0A")
            // The next indication waits for the confirmation.
            bench.notify("0B", of: ServerTable.updated)
            try bench.expectsNothing(for: .seconds(5))
            try bench.asks("1E", answer: "1D 28 00 0B")
            try bench.updateFinishes()
            try bench.send(att: "1E")
            try bench.updateFinishes()
            try bench.reconnect()
            try bench.expects(read: ServerTable.updatedConfiguration, [0, 0])
            try dropped(bench, "0C")
        }
    }

    @Test func `GATT/SR/GAI/BV-02-C indications to a bonded client`() throws {
        try conformance("GATT/SR/GAI/BV-02-C") { bench in
            try bench.bond()
            try bench.expects(write: ServerTable.updatedConfiguration, [2, 0])
            try bench.reconnect()
            bench.notify("0C", of: ServerTable.updated)
            try bench.expects(att: "1D 28 00 0C")
            try bench.send(att: "1E")
            try bench.updateFinishes()
            try bench.expects(read: ServerTable.updatedConfiguration, [2, 0])
        }
    }

    @Test func `GATT/SR/GAT/BV-01-C indication time-out`() throws {
        try conformance("GATT/SR/GAT/BV-01-C") { bench in
            try bench.expects(write: ServerTable.updatedConfiguration, [2, 0])
            bench.notify("0A", of: ServerTable.updated)
            try bench.expects(att: "1D 28 00 0A")
            bench.notify("0B", of: ServerTable.updated)
            try bench.expectsNothing(for: .seconds(29))
            // No confirmation in 30 s: nothing more is sent, and the bearer, which is the link, ends.
            try bench.expectsNothing(for: .seconds(2))
            try bench.linkEnds()
            try bench.updateFinishes()
            try bench.reconnect()
            try bench.expects(write: ServerTable.updatedConfiguration, [2, 0])
            bench.notify("0D", of: ServerTable.updated)
            try bench.expects(att: "1D 28 00 0D")
            try bench.send(att: "1E")
        }
    }

    @Test func `GATT/SR/GPM/BV-01-C configurations are a client's own`() throws {
        try conformance("GATT/SR/GPM/BV-01-C") { bench in
            let other = try bench.another()
            try bench.expects(write: ServerTable.updatedConfiguration, [1, 0])
            try bench.expects(read: ServerTable.updatedConfiguration, [1, 0])
            try other.expects(read: ServerTable.updatedConfiguration, [0, 0])
            try other.expects(write: ServerTable.updatedConfiguration, [2, 0])
            try bench.expects(read: ServerTable.updatedConfiguration, [1, 0])
            // Both bits are one value, and each bit alone is another value.
            try bench.expects(write: ServerTable.updatedConfiguration, [3, 0])
            try bench.expects(read: ServerTable.updatedConfiguration, [3, 0])
            try bench.expects(write: ServerTable.updatedConfiguration, [0, 0])
            try bench.expects(read: ServerTable.updatedConfiguration, [0, 0])
            try other.expects(read: ServerTable.updatedConfiguration, [2, 0])
        }
    }

    // MARK: Parts

    private func sends(_ bench: ServerBench, _ value: String, _ pdu: String) throws {
        bench.notify(value, of: ServerTable.updated)
        try bench.expects(att: OctetPattern(pdu))
        try bench.updateFinishes()
    }

    /// The client has not subscribed: it gets nothing, and the owner hears that no client got the value.
    private func dropped(_ bench: ServerBench, _ value: String) throws {
        bench.notify(value, of: ServerTable.updated)
        try bench.expectsNothing()
        try bench.updateFinishes()
    }
}
