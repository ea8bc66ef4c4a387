// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Provisioning

@Suite struct StagedAuthorityTests {
    private static let certificate = Array(
        ("-----BEGIN CERTIFICATE-----\n" + String(repeating: "MIIB", count: 400) + "\n-----END CERTIFICATE-----\n").utf8
    )

    private func announce(
        _ size: Int, _ hash: String?, continuing former: StagedAuthority? = nil
    ) throws -> StagedAuthority {
        let hash = hash.map { #","sha256":"\#($0)""# } ?? ""
        return try StagedAuthority(announced: Array(#"{"size":\#(size)\#(hash)}"#.utf8), continuing: former)
    }

    private func part(_ offset: UInt32, _ data: some Collection<UInt8>) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: offset >> (8 * $0)) } + data
    }

    @Test func `it comes in parts, which may come again, and goes on after an interruption`() throws {
        let whole = Self.certificate
        let hash = StagedAuthority.hash(of: whole)
        var authority = try announce(whole.count, hash.uppercased())
        #expect(authority.message.state == "partial" && authority.message.received == 0)
        for start in stride(from: 0, to: 1_016, by: 508) {
            try authority.add(part(UInt32(start), whole[start..<start + 508]))
        }
        try authority.add(part(500, whole[500..<1_000]))
        #expect(authority.data.count == 1_016 && !authority.isComplete)
        // The phone returns, and announces the same authority.
        authority = try announce(whole.count, hash, continuing: authority)
        #expect(authority.message.received == 1_016)
        let rest = whole.dropFirst(1_016)
        try authority.add(part(1_016, rest.prefix(508)))
        try authority.add(part(1_524, rest.dropFirst(508)))
        #expect(authority.isComplete && authority.data == whole && authority.message.state == "complete")
        #expect(authority.message.sha256 == hash)
        // Another authority starts anew.
        #expect(try announce(whole.count, String(repeating: "0", count: 64), continuing: authority).data.isEmpty)
        #expect(try announce(whole.count - 1, hash, continuing: authority).data.isEmpty)
    }

    @Test func `a gap, too much and what is empty are refused`() throws {
        let whole = Self.certificate
        var authority = try announce(whole.count, StagedAuthority.hash(of: whole))
        try authority.add(part(0, whole.prefix(100)))
        for bad in [
            [], [0], [100, 0, 0, 0], part(101, [1]), part(.max, [1]), part(0x7FFF_FFFF, [1]),
            part(100, whole), part(100, Array(repeating: 0, count: whole.count - 99)),
        ] {
            #expect(refusal { try authority.add(bad) }?.code == notValid, "\(bad.prefix(8))")
        }
        #expect(authority.data == Array(whole.prefix(100)))
    }

    @Test func `what has another hash, or holds no certificate, is dropped`() throws {
        var authority = try announce(4, StagedAuthority.hash(of: [1, 2, 3, 4]))
        #expect(refusal { try authority.add(part(0, [1, 2, 3, 5])) }?.text.contains("another hash") == true)
        #expect(authority.data.isEmpty)
        #expect(refusal { try authority.add(part(0, [1, 2, 3, 4])) }?.text.contains("no certificate") == true)
        #expect(authority.data.isEmpty && !authority.isComplete)
    }

    @Test(
        arguments: [
            #"{"size":16385,"sha256":"0"}"#, #"{"size":-1}"#, #"{"size":9223372036854775808}"#, #"{"size":10}"#,
            #"{"size":10,"sha256":"00"}"#, #"{"sha256":"00"}"#, "10", #"{"size":1e3,"sha256":"xx"}"#,
        ])
    func `what cannot be announced is refused`(text: String) {
        #expect(refusal { _ = try StagedAuthority(announced: Array(text.utf8), continuing: nil) }?.code == notValid)
    }

    @Test func `no octets take it away`() throws {
        let authority = try announce(0, nil)
        #expect(authority.isComplete && authority.hash == nil && authority.message.state == "none")
    }
}
