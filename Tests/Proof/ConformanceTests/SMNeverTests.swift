// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import SMP
import Testing

@testable import HostBench

/// Our host neither derives keys for the other transport nor signs. The test cases for these features do not apply. These tests show that
/// our host offers, accepts and does neither.
struct SMNeverTests {
    @Test(arguments: [true, false])
    func `keys for the other transport are neither offered nor derived`(isCentral: Bool) throws {
        let bench = try Bench()
        bench.host.policy = Bench.open()
        try bench.link(asCentral: isCentral)
        var features = SMFeatures()
        features.authReq |= SMFeatures.crossTransport
        features.initiatorKeys = SMFeatures.linkKey | SMFeatures.identityKey
        features.responderKeys = SMFeatures.linkKey
        let tester = try bench.begins(features, asCentral: isCentral)
        // The tester reads each bit of our host: CT2 and the link key's bit are clear.
        try tester.pair()
        let bond = try bench.isPaired(tester)
        let keys = tester.hostFeatures.initiatorKeys | tester.hostFeatures.responderKeys
        try require(keys & SMFeatures.linkKey == 0, "our host wants a link key")
        try require(tester.hostFeatures.authReq & SMFeatures.crossTransport == 0, "our host sets CT2")
        try require(bond.keys == .secureConnections(tester.key), "there is another key")
        try bench.finish()
    }

    @Test func `a peripheral that agrees to a link key nobody has asked for is refused`() throws {
        let bench = try Bench()
        bench.host.policy = Bench.open()
        try bench.link(asCentral: true)
        let tester = try bench.begins(asCentral: true)
        try tester.takeRequest()
        var response = SMFeatures()
        response.authReq |= SMFeatures.crossTransport
        response.initiatorKeys = SMFeatures.linkKey
        response.responderKeys = SMFeatures.linkKey
        try tester.send([SMTester.Code.response] + response.parameters)
        try tester.expectsFailure(.invalidParameters)
        try bench.toldPairingFailed(.refused(.invalidParameters))
        try bench.isUnpaired()
        try bench.finish()
    }

    private static let signed = LocalService(
        uuid: short(0xFFE8),
        characteristics: [
            LocalCharacteristic(uuid: short(0xFFE9), properties: [.read, .write], value: [6])
        ])

    @Test(arguments: [true, false])
    func `no signing key is given or taken, and signed writes are ignored`(isSecure: Bool) throws {
        let bench = try Bench()
        let published = try bench.publish(Self.signed)
        bench.host.policy = isSecure ? Bench.open() : Bench.legacy()
        try bench.link(asCentral: false)
        var features = SMFeatures(isSecure: isSecure)
        features.initiatorKeys = SMFeatures.signingKey
        features.responderKeys = SMFeatures.signingKey
        let tester = SMTester(bench, isInitiator: true, features)
        try tester.pair()
        let keys = tester.responderFeatures.initiatorKeys | tester.responderFeatures.responderKeys
        try require(keys == 0, "our host agrees to \(tester.responderFeatures)")
        // An unwanted signing key, and writes with its signatures.
        try tester.send(SMTester.Code.signingInformation, Bench.secret(0x51).octets)
        try bench.expectsNothing()
        if isSecure {
            let bond = try bench.isPaired(tester)
            let file = String(decoding: try JSONEncoder().encode(bond), as: UTF8.self).lowercased()
            try require(!file.contains("sign"), "there is a signing key")
        } else {
            try bench.isPairedForNow(tester)
        }
        let handle = published.handles.start + 2
        for link in 0..<2 {
            // With and without encryption, with a plausible signature and without a signature.
            try bench.send(att: [0xD2] + little(handle) + [9] + counting(12))
            try bench.send(att: [0xD2] + little(handle) + [9])
            try bench.expectsNothing()
            let wasAsked = bench.events.contains { if case .server = $0 { true } else { false } }
            try require(!wasAsked, "the service's owner was asked: \(bench.events)")
            try bench.send(att: [0x0A] + little(handle))
            try bench.expects(att: "0B 06")
            if link == 0 { try bench.relink(asCentral: false) }
        }
        try bench.finish()
    }
}
