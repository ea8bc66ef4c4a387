// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing

/// The words for the procedure to which a server owes an answer.
struct OutstandingProcedureTests {
    private static let handles = ATTPDU.HandleRange(start: 0x10, end: 0x1F)
    private static let measurement = BluetoothUUID(UInt16(0x2A37))

    /// Rows: the request, and the words. Handle 0x002A has a name.
    static let rows: [(GATTRequest, String)] = [
        (.discoverServices(nil), "the discovery of services"),
        (.discoverServices([BluetoothUUID(UInt16(0x180D))]), "the search for services by UUID"),
        (.discoverIncludedServices(handles), "the discovery of included services"),
        (.discoverCharacteristics(handles, nil), "the discovery of characteristics"),
        (.discoverDescriptors(handles), "the discovery of descriptors"),
        (.read(handle: 0x2A), "the reading of 2A37"), (.read(handle: 0x2B), "the reading of handle 0x002b"),
        (.read(handle: 0x1), "the reading of handle 0x0001"), (.read(handle: 0xFFFF), "the reading of handle 0xffff"),
        (.readByType(measurement), "the reading of 2A37"), (.readAll(measurement, in: handles), "the reading of 2A37"),
        (.readByType(BluetoothUUID(UInt16(0x2A00))), "the reading of Device Name"),
        (.readMultiple(handles: [1, 2]), "the reading of several values"),
        (.readMultipleVariable(handles: [1, 2]), "the reading of several values"),
        (.write(handle: 0x2A, value: [1]), "the writing of 2A37"),
        (.write(handle: 0xABC, value: [1]), "the writing of handle 0x0abc"),
        (.reliableWrite([.init(handle: 0x2A, value: [1])]), "the writing of several values"),
        (.watchServices, "the subscription to Service Changed"),
        // The descriptor is not known: the search for it is a procedure of ours.
        (
            .configure(valueHandle: 0x2A, endHandle: 0x2F, .notification),
            "the search for the descriptor that switches notifications on"
        ),
    ]

    private static func words(_ machine: GATTClientMachine) -> String? {
        machine.outstanding?.text { $0 == 0x2A ? "2A37" : nil }
    }

    @Test(arguments: rows)
    func `a request is told in words until it is answered, and after its time is over, too`(
        request: GATTRequest, words: String
    ) {
        var machine = GATTClientMachine(ownMTU: 517)
        _ = machine.start(without: [.mtuExchange], at: .zero)
        #expect(Self.words(machine) == nil)
        let effects = machine.request(request, id: GATTRequestID(rawValue: 1), at: .zero)
        #expect(effects.count == 1 && Self.words(machine) == words)
        _ = machine.expire(at: .zero + .seconds(30))
        #expect(machine.isClosed && Self.words(machine) == words)
    }

    @Test func `the search for the descriptor, the further search and the subscription are told apart`() {
        var machine = GATTClientMachine(ownMTU: 517)
        _ = machine.start(without: [.mtuExchange], at: .zero)
        func answer(_ octets: [UInt8]) { _ = machine.received(octets[...], at: .zero) }
        let request = GATTRequest.configure(valueHandle: 0x2A, endHandle: 0x2F, .notification)
        _ = machine.request(request, id: GATTRequestID(rawValue: 1), at: .zero)
        #expect(machine.outstandingOwn == .descriptorSearch && machine.begun == [.descriptorSearch])
        answer([0x01, 0x04, 0x2B, 0x00, 0x06])
        #expect(machine.outstandingOwn == .configurationSearch)
        #expect(machine.begun == [.descriptorSearch, .configurationSearch])
        #expect(Self.words(machine) == OwnProcedure.configurationSearch.rawValue)
        answer([0x09, 0x04, 0x2C, 0x00, 0x00, 0x00])
        #expect(machine.outstandingOwn == nil && Self.words(machine) == "the subscription to 2A37")
        answer([0x13])
        #expect(Self.words(machine) == nil)
    }
}
