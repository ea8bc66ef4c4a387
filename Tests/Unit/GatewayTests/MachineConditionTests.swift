// SPDX-License-Identifier: Apache-2.0

import Health
import Platform
import Testing

@testable import Gateway
@testable import Publisher
@testable import Readings

@Suite("Problems of the machine, of certificates, and paused history")
struct MachineConditionTests {
    /// 2026-12-01, in seconds since 1970.
    private static let now: Int64 = 1_796_083_200
    private static let day: Int64 = 86_400

    private static func found(_ change: (inout SystemStatus) -> Void) -> [Condition] {
        var system = SystemStatus()
        change(&system)
        return GatewayConditions.machine(system, at: now)
    }

    @Test(arguments: [(79.9, false), (80, true), (84.6, true), (-300, false), (1e300, true)])
    func `heat is a problem from 80 degrees on`(degrees: Double, isHot: Bool) {
        #expect(Self.found { $0.temperatureC = degrees }.map(\.code) == (isHot ? [.tooHot] : []))
    }

    @Test(arguments: [
        ("0", nil), ("50000", ProblemCode.powerWasWeak), ("50005", .powerWeak), ("1\n", .powerWeak), ("e0008", nil),
        ("40000", nil), ("10000", .powerWasWeak),
    ])
    func `the firmware's flags tell a weak supply`(flags: String, code: ProblemCode?) throws {
        let supply = try #require(PowerSupply(flags: flags))
        #expect(Self.found { $0.supply = supply }.map(\.code) == [code].compactMap { $0 })
    }

    @Test(arguments: ["", "x", "g1", "fffffffff"]) func `other flags are none`(flags: String) {
        #expect(PowerSupply(flags: flags) == nil)
    }

    @Test func `memory that grows is told with its figures`() {
        let lows: [UInt64] = [10 << 20, 12 << 20, 15 << 20 + 1 << 19]
        let growing = MemoryStatus(residentBytes: 0, ownBytes: 0, hourlyLows: lows, isGrowing: true)
        let text = Self.found { $0.memory = growing }.map { Problem($0, on: .package).text }
        #expect(text == ["the gateway's own memory grows: from 10.0 MiB to 15.5 MiB in 2 hours"])
        let steady = MemoryStatus(residentBytes: 0, ownBytes: 0, hourlyLows: lows)
        #expect(Self.found { $0.memory = steady }.isEmpty)
    }

    private static func certificate(_ begin: Int64?, _ end: Int64?, isUnreadable: Bool? = nil) -> [Problem] {
        found {
            $0.certificates = [
                CertificateStatus(
                    key: "mqtt.tls.ca_file", file: "/ca.pem", begin: begin, end: end, isUnreadable: isUnreadable)
            ]
        }.map { Problem($0, on: .package) }
    }

    @Test func `a certificate is told a month before its end, and when it is not good`() {
        #expect(Self.certificate(0, Self.now + 30 * Self.day).isEmpty)
        let soon = Self.certificate(0, Self.now + 30 * Self.day - 1)
        #expect(soon.map(\.code) == [.certificateEnds])
        #expect(soon.first?.text == "mqtt.tls.ca_file ends in 29 days, on 2026-12-30: /ca.pem")
        #expect(soon.first?.severity == .warning)
        let ended = Self.certificate(0, Self.now)
        #expect(ended.first?.text == "mqtt.tls.ca_file has ended on 2026-12-01: /ca.pem")
        #expect(ended.first?.severity == .failure)
        #expect(Self.certificate(0, Self.now + 1).map(\.code) == [.certificateEnds])
        let early = Self.certificate(Self.now + Self.day, Self.now + 90 * Self.day)
        #expect(early.first?.text == "mqtt.tls.ca_file begins on 2026-12-02, and is not good yet: /ca.pem")
        #expect(Self.certificate(Self.now, Self.now + 90 * Self.day).isEmpty)
        #expect(Self.certificate(nil, nil).first?.text == "mqtt.tls.ca_file has no certificate in PEM: /ca.pem")
        #expect(Self.certificate(nil, nil, isUnreadable: true).isEmpty)
        // Without the time nobody can judge.
        let system = SystemStatus(certificates: [CertificateStatus(key: "k", file: "f", begin: 0, end: 1)])
        #expect(GatewayConditions.machine(system, at: nil).isEmpty)
    }

    @Test(arguments: [
        ("paused", 0, nil), ("paused", 1, "1 reading waits"), ("paused", 2, "2 readings wait"), ("normal", 9, nil),
    ])
    func `paused history with readings is a problem`(mode: String, waiting: Int, text: String?) {
        let status = GatewayHealthTests.status {
            ($0.mqtt.historyMode, $0.journal.buffered) = (mode, waiting)
        }.judged
        let problem = status.problems?.first { $0.code == .historyPaused }
        #expect(problem?.text == text.map { "history is paused, and " + $0 })
        #expect((status.problems ?? []).count == (text == nil ? 0 : 1))
    }
}
