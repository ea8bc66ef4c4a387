// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import Testing

/// Requests that the database answers, octet by octet.
struct ServerRequestTests {
    static let rows: [(String, request: String, response: String)] = [
        ("MTU", "02 b900", "030502"),
        ("MTU below the default", "02 0500", "030502"),
        ("MTU cut", "02 05", "0102000004"),
        ("MTU too long", "02 050200", "0102000004"),

        ("information, one width", "04 2000 2500", "0501 20000028 21000328 22006e2a 23000328 24006f2a"),
        ("information, 16 bits before 128", "04 2b00 2d00", "05012b0001292c000328"),
        ("information, 128 bits", "04 2d00 2f00", "05022d00107a9d2c6b3f0a9b5e4b7b1c01004d5e"),
        ("information, nothing there", "04 4000 ffff", "010440000a"),
        ("information, start 0", "04 0000 ffff", "0104000001"),
        ("information, start behind end", "04 0500 0400", "0104050001"),
        ("information, cut", "04 0100 ff", "0104000004"),

        ("service by UUID", "06 0100 ffff 0028 0d18", "0720003500"),
        ("service by UUID, 128 bits", "06 0100 ffff 0028 107a9d2c6b3f0a9b5e4b7b1c01004d5e", "0736003800"),
        (
            "service by the 128-bit form of a short one", "06 0100 ffff 0028 fb349b5f80000080001000000d180000",
            "010601000a"
        ),
        ("service by UUID, absent", "06 0100 ffff 0028 1118", "010601000a"),
        ("value of a characteristic", "06 0100 ffff 6e2a 0708", "0722002200"),
        ("value that may not be read", "06 0100 ffff 722a 01", "010601000a"),
        ("value that an owner has", "06 0100 ffff 6f2a", "010601000a"),
        ("by value, start 0", "06 0000 ffff 0028 0d18", "0106000001"),
        ("by value, start behind end", "06 0900 0800 0028 0d18", "0106090001"),
        ("by value, cut", "06 0100 ffff 00", "0106000004"),

        ("characteristics", "08 2000 3500 0328", "0907 2100022200 6e2a 23000e24006f2a 2500322600702a"),
        ("characteristic, 128 bits", "08 2c00 3500 0328", "09152c000a2d00107a9d2c6b3f0a9b5e4b7b1c01004d5e"),
        ("included service", "08 3c00 ffff 0228", "09083d0039003b000f18"),
        ("value by type", "08 0100 ffff 6e2a", "090422000708"),
        ("value by the 128-bit form of its type", "08 0100 ffff fb349b5f80000080001000006e2a0000", "090422000708"),
        (
            "long value by type", "08 0100 ffff 107a9d2c6b3f0a9b5e4b7b1c01004d5e",
            "09152d00000102030405060708090a0b0c0d0e0f101112"
        ),
        ("by type, not permitted", "08 0100 ffff 712a", "0108290002"),
        ("by type, insufficient authentication", "08 0100 ffff 722a", "01082f0005"),
        ("by type, insufficient authorization", "08 0100 ffff 742a", "0108330008"),
        ("by type, absent", "08 0100 ffff 992a", "010801000a"),
        ("by type, start 0", "08 0000 ffff 0328", "0108000001"),
        ("by type, start behind end", "08 0300 0200 0328", "0108030001"),
        ("by type, type of 4 octets", "08 0100 ffff 03280000", "0108000004"),
        ("hash by type", "08 0100 ffff 2a2b", "09121700" + String(repeating: "a5", count: 16)),

        ("read", "0a 2200", "0b0708"),
        ("read long", "0a 2d00", "0b000102030405060708090a0b0c0d0e0f101112131415"),
        ("read configuration", "0a 2700", "0b0000"),
        ("read service", "0a 2000", "0b0d18"),
        ("read, handle 0", "0a 0000", "010a000001"),
        ("read, no such handle", "0a 9900", "010a990001"),
        ("read not permitted", "0a 3500", "010a350002"),
        ("read, insufficient authentication", "0a 2f00", "010a2f0005"),
        ("read, insufficient authentication for MITM", "0a 3100", "010a310005"),
        ("read, insufficient authorization", "0a 3300", "010a330008"),
        ("read, cut", "0a 22", "010a000004"),
        ("read, too long", "0a 220000", "010a000004"),

        ("blob", "0c 2d00 1600", "0d161718191a1b1c1d1e1f202122232425262728292a2b"),
        ("blob, last part", "0c 2d00 3a00", "0d3a3b"),
        ("blob at the end", "0c 2d00 3c00", "0d"),
        ("blob behind the end", "0c 2d00 3d00", "010c2d0007"),
        ("blob of a short descriptor at its end", "0c 2b00 0200", "0d"),
        ("blob behind the end of a descriptor", "0c 2b00 0300", "010c2b0007"),
        ("blob, no such handle", "0c 9900 0000", "010c990001"),
        ("blob not permitted", "0c 3500 0000", "010c350002"),
        ("blob, insufficient authentication", "0c 2f00 0000", "010c2f0005"),
        ("blob, cut", "0c 2d00 00", "010c000004"),

        ("multiple", "0e 2200 3b00", "0f070864"),
        ("multiple, cut to the MTU", "0e 2d00 2200", "0f000102030405060708090a0b0c0d0e0f101112131415"),
        ("multiple, one handle", "0e 2200", "010e000004"),
        ("multiple, no such handle", "0e 2200 9900", "010e990001"),
        ("multiple not permitted", "0e 2200 3500", "010e350002"),
        ("multiple, the first error counts", "0e 3500 9900", "010e350002"),
        ("multiple, insufficient authorization", "0e 2200 3300", "010e330008"),
        ("multiple variable", "20 2200 3b00", "2102000708010064"),
        (
            "multiple variable, last one cut", "20 2200 2d00",
            "21020007083c00000102030405060708090a0b0c0d0e0f"
        ),
        ("multiple variable, no such handle", "20 9900 2200", "0120990001"),
        ("multiple variable not permitted", "20 2200 3500", "0120350002"),
        ("multiple variable, one handle", "20 2200", "0120000004"),

        ("services", "10 0100 ffff 0028", "110601000900001810001900011820003500 0d18"),
        ("service, 128 bits", "10 3600 ffff 0028", "111436003800107a9d2c6b3f0a9b5e4b7b1c01004d5e"),
        ("secondary services", "10 0100 ffff 0128", "110639003b000f18"),
        ("services, none left", "10 4000 ffff 0028", "011040000a"),
        ("groups of another type", "10 0100 ffff 0328", "0110010010"),
        ("services, start 0", "10 0000 ffff 0028", "0110000001"),
        ("services, start behind end", "10 0200 0100 0028", "0110020001"),
        ("services, cut", "10 0100 ffff", "0110000004"),

        ("write, no such handle", "12 9900 01", "0112990001"),
        ("write not permitted", "12 2200 01", "0112220003"),
        ("write to a declaration", "12 2000 01", "0112200003"),
        ("write to a descriptor not permitted", "12 2b00 01", "01122b0003"),
        ("write, insufficient authentication", "12 2f00 01", "01122f0005"),
        ("write, insufficient authorization", "12 3300 01", "0112330008"),
        ("write too long", "12 3500 0102030405", "011235000d"),
        ("write, cut", "12 35", "0112000004"),
        ("configuration", "12 2700 0100", "13"),
        ("configuration too short", "12 2700 01", "011227000d"),
        ("configuration too long", "12 2700 010000", "011227000d"),
        ("configuration of what is not offered", "12 2a00 0200", "01122a00fd"),
        ("configuration with reserved bits", "12 2700 0400", "01122700fd"),
        ("configuration with reserved high bits", "12 2700 0101", "01122700fd"),
        ("features", "12 1500 01", "13"),
        ("features of no octets", "12 1500", "011215000d"),
        ("name not writable", "12 0300 41", "0112030003"),

        ("prepare, no such handle", "16 9900 0000 01", "0116990001"),
        ("prepare, handle 0", "16 0000 0000 01", "0116000001"),
        ("prepare not permitted", "16 2200 0000 01", "0116220003"),
        ("prepare, insufficient authentication", "16 2f00 0000 01", "01162f0005"),
        ("prepare, insufficient authorization", "16 3300 0000 01", "0116330008"),
        ("prepare", "16 2400 0000 010203", "1724000000010203"),
        ("prepare, offset and length are looked at later", "16 3500 ff00 0102030405", "173500ff000102030405"),
        ("prepare, cut", "16 2400 00", "0116000004"),
        ("execute nothing", "18 01", "19"),
        ("cancel nothing", "18 00", "19"),
        ("execute, reserved flag", "18 02", "0118000004"),

        ("unknown request", "bf 00", "01bf000006"),
        ("unknown request in the range of the specification", "22", "0122000006"),
        ("unknown command", "ff 00", ""),
        ("signed write", "d2 2400 01 000000000000000000000000", ""),
        ("confirmation of nothing", "1e", ""),
        ("a response", "0b 01", ""),
        ("an error", "01 0a 0100 01", ""),
        ("nothing", "", ""),
    ]

    @Test(arguments: rows.indices) func `a request is answered as the specification has it`(index: Int) throws {
        let (name, request, response) = Self.rows[index]
        var bench = try ServerBench()
        #expect(try bench.answer(to: request) == response.replacing(" ", with: ""), "\(name)")
    }

    @Test func `the MTU is exchanged once, and is never below 23`() throws {
        var bench = try ServerBench()
        #expect(try bench.receive("02 b900") == [.send([3, 5, 2]), .mtuExchanged(185)])
        #expect(bench.machine.mtu == 185)
        #expect(try bench.receive("02 1700") == [.send([3, 5, 2])])
        #expect(bench.machine.mtu == 185)
        var other = try ServerBench()
        #expect(try other.receive("02 0000") == [.send([3, 5, 2]), .mtuExchanged(23)])
    }

    static let securities: [(LinkSecurity, plain: String, authenticated: String)] = [
        (.none, "010a2f0005", "010a310005"),
        (.init(hasBond: true), "010a2f000f", "010a310005"),
        (.init(hasBond: true, bondIsAuthenticated: true), "010a2f000f", "010a31000f"),
        (.init(isEncrypted: true, keySize: 15), "010a2f000c", "010a310005"),
        (.init(isEncrypted: true, keySize: 16), "0b01", "010a310005"),
        (.init(isEncrypted: true, isAuthenticated: true, keySize: 7), "010a2f000c", "010a31000c"),
        (.init(isEncrypted: true, isAuthenticated: true, keySize: 16), "0b01", "0b02"),
    ]

    @Test(arguments: securities.indices) func `the security of the link decides the error`(index: Int) throws {
        let row = Self.securities[index]
        var bench = try ServerBench()
        bench.security = row.0
        #expect(try bench.answer(to: "0a 2f00") == row.plain)
        #expect(try bench.answer(to: "0a 3100") == row.authenticated)
    }

    @Test func `secure connections and authorization are asked for where they are needed`() {
        let access = AttributeAccess(level: .secureConnections, needsAuthorization: true)
        var security = LinkSecurity(isEncrypted: true, isAuthenticated: true, keySize: 16)
        #expect(access.refusal(of: security) == .insufficientAuthentication)
        security.isSecureConnections = true
        #expect(access.refusal(of: security) == .insufficientAuthorization)
        security.isAuthorized = true
        #expect(access.refusal(of: security) == nil)
        #expect(AttributeAccess(level: .encrypted, minimumKeySize: 3).minimumKeySize == 7)
        #expect(AttributeAccess(level: .encrypted, minimumKeySize: 200).minimumKeySize == 16)
    }

    @Test func `a client discovers the whole table page by page`() throws {
        var bench = try ServerBench()
        var found: [UInt16] = []
        var start: UInt16 = 1
        while case .send(let octets) = try #require(
            bench.machine.received(
                ATTPDU.findInformationRequest(start: start, end: .max).encoded[...], in: bench.context
            ).first),
            case .findInformationResponse(let list) = try ATTPDU(decoding: octets[...])
        {
            found += list.map(\.handle)
            start = (list.last?.handle ?? .max) &+ 1
        }
        #expect(found == bench.database.attributes.map(\.handle))
    }
}
