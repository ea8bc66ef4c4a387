// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import NetworkControl
import Testing

@testable import Configuration
@testable import Gateway
@testable import Provisioning

@Suite struct ApplyPlanTests {
    private func staged(_ writes: (inout StagedChanges) throws -> Void) throws -> StagedChanges {
        var changes = StagedChanges()
        try writes(&changes)
        return changes
    }

    @Test func `changes become keys of the configuration, and empty ones take keys away`() throws {
        let plan = try staged {
            try $0.setName(Array("Attic".utf8))
            try $0.setBroker(
                Array(#"{"host":"b","port":8883,"tls":true,"username":"","password":"secret"}"#.utf8))
        }.plan(for: .bench())
        var change = ConfigurationChange()
        change.values = [
            ["gateway", "name"]: .text("Attic"), ["mqtt", "host"]: .text("b"), ["mqtt", "port"]: .integer(8883),
            ["mqtt", "tls", "enabled"]: .flag(true), ["mqtt", "password"]: .secret(Secret("secret")),
        ]
        change.values.updateValue(nil, forKey: ["mqtt", "username"])
        #expect(plan == ApplyPlan(change: change, checksBroker: true))
    }

    @Test func `the broker is proved when the way to it changes, and where there is one`() throws {
        let wireless = try staged { try $0.setWireless(Array(#"{"ssid":"Attic"}"#.utf8)) }
        #expect(try !wireless.plan(for: .bench()).checksBroker)
        #expect(try wireless.plan(for: .bench(isProvisioned: true)).checksBroker)
        let name = try staged { try $0.setName(Array("Attic".utf8)) }
        #expect(try !name.plan(for: .bench(isProvisioned: true)).checksBroker)
        let country = try staged { try $0.setCountry(Array("DE".utf8)) }
        #expect(try !country.plan(for: .bench(isProvisioned: true)).checksBroker)
        let user = try staged { try $0.setBroker(Array(#"{"username":"gw"}"#.utf8)) }
        #expect(try !user.plan(for: .bench()).checksBroker)
        #expect(try user.plan(for: .bench(isProvisioned: true)).checksBroker)
    }

    /// Only the gateway knows the whole route, and decides whether a stored password may go there. Its check is the first step of applying;
    /// after a refusal there is no trial.
    @Test func `another way without a password goes to the gateway's check as it is`() throws {
        let settings = GatewaySettings.bench(
            host: "b", port: 8883, usesTLS: true, hasPassword: true, isProvisioned: true)
        let changes = try staged { try $0.setBroker(Array(#"{"port":1884,"password":""}"#.utf8)) }
        var change = ConfigurationChange()
        change.values = [["mqtt", "port"]: .integer(1_884)]
        change.values.updateValue(nil, forKey: ["mqtt", "password"])
        let plan = try changes.plan(for: settings)
        #expect(plan == ApplyPlan(change: change, checksBroker: true))
        var machine = ApplyMachine(plan)
        #expect(machine.begin().contains { if case .perform(.check) = $0 { true } else { false } })
    }

    @Test func `half a certificate is not applied`() throws {
        var changes = StagedChanges()
        let hash = String(repeating: "0", count: 64)
        changes.authority = try StagedAuthority(
            announced: Array(#"{"size":10,"sha256":"\#(hash)"}"#.utf8), continuing: nil)
        #expect(refusal { _ = try changes.plan(for: .bench()) }?.text.contains("0 of 10 octets") == true)
    }
}

@Suite struct StagingAreaTests {
    private let start = ContinuousClock.now

    @Test func `what one phone has staged is in the way of another one, for ten minutes after it has gone`() throws {
        var area = StagingArea()
        try area.change(by: "A", at: start) { changes throws(WriteRefusal) in try changes.setName([65]) }
        #expect(area.changes(of: "A").name == "A" && area.changes(of: "B").isEmpty)
        func other() -> WriteRefusal? {
            refusal {
                try area.change(by: "B", at: start) { changes throws(WriteRefusal) in try changes.setName([66]) }
            }
        }
        #expect(other()?.code == WriteRefusal(.busy, "").code)
        var now = start + .seconds(6_000)
        var isDropped = area.expire(at: now, isConnected: { $0 == "A" })
        #expect(!isDropped)
        now += .seconds(600)
        isDropped = area.expire(at: now, isConnected: { _ in false })
        #expect(!isDropped && !area.isEmpty)
        now += .seconds(1)
        isDropped = area.expire(at: now, isConnected: { _ in false })
        #expect(isDropped && area.isEmpty)
        #expect(other() == nil && area.changes(of: "B").name == "B")
    }

    @Test(arguments: [("A", false), ("B", true)])
    func `a phone that is heard prolongs its own changes alone`(phone: String, isDropped: Bool) throws {
        var area = StagingArea()
        try area.change(by: "A", at: start) { changes throws(WriteRefusal) in try changes.setName([65]) }
        area.see(phone, at: start + .seconds(599))
        let hasExpired = area.expire(at: start + .seconds(601), isConnected: { _ in false })
        #expect(hasExpired == isDropped)
    }

    @Test func `a write that is refused changes nothing, and claims nothing`() throws {
        var area = StagingArea()
        let refused = refusal {
            try area.change(by: "A", at: start) { changes throws(WriteRefusal) in
                try changes.setName([65])
                try changes.setCountry([65])
            }
        }
        #expect(refused?.code == notValid && area.isEmpty)
        try area.change(by: "B", at: start) { changes throws(WriteRefusal) in try changes.setName([66]) }
    }

    @Test func `a phone that has paired keeps what it staged`() throws {
        var area = StagingArea()
        try area.change(by: "A", at: start) { changes throws(WriteRefusal) in try changes.setName([65]) }
        area.rename("A", to: "B")
        area.rename("C", to: "D")
        #expect(area.changes(of: "B").name == "A" && area.changes(of: "A").isEmpty)
    }
}
