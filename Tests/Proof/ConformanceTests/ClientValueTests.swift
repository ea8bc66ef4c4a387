// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import GATT
import HCI
import Testing

@testable import HostBench

/// Our host as GATT client: notifications, indications, the Generic Attribute service, time-outs.
struct ClientValueTests {
    @Test func `GATT/CL/GAN/BV-01-C notification`() throws {
        try conformance("GATT/CL/GAN/BV-01-C") { bench in
            try bench.connect()
            try subscribe(bench, .notification)
            try bench.send(att: "1B 03 00 0A 0B")
            try bench.told(handle: 3, changedTo: "0A 0B")
            try bench.send(att: "1B 03 00")
            try bench.told(handle: 3, changedTo: "")
            // A notification has no answer, and does not disturb a transaction.
            try bench.ask(.read(handle: 3))
            try bench.expects(att: "0A 03 00")
            try bench.send(att: "1B 03 00 0C")
            try bench.send(att: "0B 0C")
            try bench.told(handle: 3, changedTo: "0C")
            try bench.told(value: "0C")
        }
    }

    @Test func `GATT/CL/GAN/BV-02-C multiple handle value notification`() throws {
        try conformance("GATT/CL/GAN/BV-02-C") { bench in
            try bench.connect()
            try subscribe(bench, .notification)
            try bench.send(att: "23 03 00 02 00 AA BB 07 00 01 00 CC")
            try bench.told(handle: 3, changedTo: "AA BB")
            try bench.told(handle: 7, changedTo: "CC")
        }
    }

    @Test func `GATT/CL/GAI/BV-01-C indication`() throws {
        try conformance("GATT/CL/GAI/BV-01-C") { bench in
            try bench.connect()
            try subscribe(bench, .indication)
            try bench.send(att: "1D 03 00 0A 0B")
            try bench.told(handle: 3, changedTo: "0A 0B", isIndication: true)
            // The confirmation waits for the client.
            try bench.expectsNothing()
            try bench.confirm()
            try bench.expects(att: "1E")
        }
    }

    @Test func `GATT/CL/GAI/BI-01-C several indications`() throws {
        try conformance("GATT/CL/GAI/BI-01-C") { bench in
            try bench.connect()
            try subscribe(bench, .indication)
            for number in UInt8(1)...5 {
                try bench.send(att: [0x1D, 3, 0, number])
                try bench.told(handle: 3, changedTo: text([number]), isIndication: true)
                try bench.confirm()
                // A second word of the client is no second confirmation.
                try bench.confirm()
                try bench.expects(att: "1E")
            }
            // The client confirms an indication in the middle of a transaction.
            try bench.ask(.read(handle: 3))
            try bench.expects(att: "0A 03 00")
            try bench.send(att: "1D 03 00 06")
            try bench.told(handle: 3, changedTo: "06", isIndication: true)
            try bench.confirm()
            try bench.expects(att: "1E")
            try bench.send(att: "0B 06")
            try bench.told(value: "06")
        }
    }

    @Test func `GATT/CL/GAS/BV-01-C service changed`() throws {
        try conformance("GATT/CL/GAS/BV-01-C") { bench in
            try bench.connect()
            try bench.ask(.watchServices)
            try bench.answers("06 01 00 FF FF 00 28 01 18", with: "07 01 00 04 00")
            try bench.answers("06 05 00 FF FF 00 28 01 18", with: "01 06 05 00 0A")
            try bench.answers("08 01 00 04 00 03 28", with: "09 07 02 00 20 03 00 05 2A")
            try bench.answers("08 03 00 04 00 03 28", with: "01 08 03 00 0A")
            try bench.answers("04 04 00 04 00", with: "05 01 04 00 02 29")
            try bench.answers("12 04 00 02 00", with: "13")
            try bench.told(
                .characteristics([
                    RemoteCharacteristic(uuid: short(0x2A05), properties: 0x20, valueHandle: 3, endHandle: 4)
                ]))
            try bench.ask(.discoverServices([short(0x180D)]))
            try bench.answers("06 01 00 FF FF 00 28 0D 18", with: "07 10 00 FF FF")
            try bench.told(.services([RemoteService(uuid: short(0x180D), handles: range(0x10, 0xFFFF))]))
            try bench.send(att: "1D 03 00 10 00 FF FF")
            try bench.expects(att: "1E")
            let changed = try bench.wait(for: "changed services") {
                if case .servicesChanged(_, let start, let end) = $0 { range(start, end) } else { nil }
            }
            try require(changed == range(0x10, 0xFFFF), "the client was told \(changed)")
            // The client does not answer from its former knowledge: it searches the service anew.
            try bench.ask(.discoverServices([short(0x180D)]))
            try bench.answers("06 01 00 FF FF 00 28 0D 18", with: "07 20 00 FF FF")
            try bench.told(.services([RemoteService(uuid: short(0x180D), handles: range(0x20, 0xFFFF))]))
        }
    }

    @Test func `GATT/CL/GAS/BV-02-C database hash`() throws {
        try conformance("GATT/CL/GAS/BV-02-C") { bench in
            try bench.connect()
            try bench.ask(.readByType(short(0x2B2A)))
            try bench.answers("08 01 00 FF FF 2A 2B", with: "09 12 05 00 " + text(counting(16)))
            try bench.told(.value(counting(16)))
        }
    }

    @Test func `GATT/CL/GAS/BV-03-C robust caching`() throws {
        try conformance("GATT/CL/GAS/BV-03-C") { bench in
            let features = try supportedFeatures(bench)
            try require(features & 1 != 0, "the client wrote \(features)")
            // The client reads the hash after the server's "Database Out Of Sync".
            try bench.ask(.read(handle: 9))
            try bench.answers("0A 09 00", with: "01 0A 09 00 12")
            try bench.answers("08 01 00 FF FF 2A 2B", with: "09 12 08 00 " + text(counting(16)))
        }
    }

    @Test func `GATT/CL/GAS/BV-05-C multiple handle value notifications`() throws {
        try conformance("GATT/CL/GAS/BV-05-C") { bench in
            let features = try supportedFeatures(bench)
            try require(features & 4 != 0, "the client wrote \(features)")
            try bench.send(att: "23 03 00 01 00 AA 07 00 01 00 CC")
            try bench.told(handle: 3, changedTo: "AA")
            try bench.told(handle: 7, changedTo: "CC")
        }
    }

    @Test func `GATT/CL/GAT/BV-03-C read multiple variable length time-out`() throws {
        try conformance("GATT/CL/GAT/BV-03-C") { bench in
            try bench.connect()
            try timesOut(bench, .readMultipleVariable(handles: [3, 5]), "20 03 00 05 00")
        }
    }

    @Test func `GATT/CL/GAT/BV-01-C read time-out`() throws {
        try conformance("GATT/CL/GAT/BV-01-C") { bench in
            try bench.connect()
            try timesOut(bench, .read(handle: 3), "0A 03 00")
        }
    }

    @Test func `GATT/CL/GAT/BV-02-C write time-out`() throws {
        try conformance("GATT/CL/GAT/BV-02-C") { bench in
            try bench.connect()
            try timesOut(bench, .write(handle: 3, value: [7]), "12 03 00 07")
        }
    }

    // MARK: Parts

    /// The client meets a server with Client Supported Features; returns the octet that it writes there.
    private func supportedFeatures(_ bench: Bench) throws -> UInt8 {
        try bench.connect()
        try bench.ask(.watchServices)
        try bench.answers("06 01 00 FF FF 00 28 01 18", with: "07 01 00 08 00")
        try bench.answers("06 09 00 FF FF 00 28 01 18", with: "01 06 09 00 0A")
        try bench.answers(
            "08 01 00 08 00 03 28", with: "09 07 02 00 20 03 00 05 2A 05 00 0A 06 00 29 2B 07 00 02 08 00 2A 2B")
        try bench.answers("08 08 00 08 00 03 28", with: "01 08 08 00 0A")
        try bench.answers("04 04 00 04 00", with: "05 01 04 00 02 29")
        try bench.answers("12 04 00 02 00", with: "13")
        let seen = try bench.expects(att: "12 06 00 ??")
        try bench.send(att: "13")
        try bench.told(
            .characteristics([
                RemoteCharacteristic(uuid: short(0x2A05), properties: 0x20, valueHandle: 3, endHandle: 4)
            ]))
        return seen[3]
    }

    /// The client switches the value of handle 3 on; its descriptor is handle 4.
    private func subscribe(_ bench: Bench, _ configuration: ClientCharacteristicConfiguration) throws {
        try bench.ask(.configure(valueHandle: 3, endHandle: 5, configuration))
        try bench.answers("04 04 00 05 00", with: "05 01 04 00 02 29 05 00 01 29")
        try bench.answers(OctetPattern("12 04 00 " + text(little(configuration.rawValue))), with: "13")
        try bench.told(.written)
    }

    /// The tester stays silent for 30 s: the request fails and the link ends, without further packets.
    private func timesOut(_ bench: Bench, _ request: GATTRequest, _ octets: OctetPattern) throws {
        try bench.ask(request)
        try bench.expects(att: octets)
        try bench.expectsNothing(for: .seconds(29))
        try bench.told(.failure(.timedOut), within: .seconds(2))
        try bench.disconnected(.localHostTerminated)
        try bench.expectsNothing()
        // A new link works again.
        try bench.connect()
        try bench.ask(.read(handle: 3))
        try bench.answers("0A 03 00", with: "0B 01")
        try bench.told(value: "01")
    }
}
