// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Glibc
import Testing
import VirtualRadio

@testable import Collector
@testable import Gateway
@testable import GatewayBench

@Suite(.serialized, .ownThread, .timeLimit(.minutes(10)))
struct PairingProcessTests {
    /// A running gateway, and a sensor in the same air; each command is a separate process.
    private final class Scene {
        let whole: GatewayScene
        let sensor: PairingSensor
        var socket: String { whole.socket }
        /// The gateway's log.
        var log: String { whole.log }

        init(
            _ capability: CBPairingCapability = .none, passkey: String? = nil, needs: CBAttributePermissions = [],
            entry: String = "", isSilent: Bool = false
        ) throws {
            let radio = VirtualRadio(seed: 3)
            var policy = CBPairingPolicy()
            policy.incoming = .open
            policy.capability = capability
            policy.requiresAuthentication = !needs.isEmpty
            if let passkey { policy.addressPasskeys[GatewayScene.address.description] = CBPasskey(passkey) }
            sensor = try PairingSensor(on: radio, policy: policy, needs: needs, isSilent: isSilent)
            let sensor = sensor
            let isReady = blockingEventually { sensor.isAdvertising }
            try #require(isReady)
            whole = try GatewayScene(
                """
                [[sensor]]
                id = "thermo"
                name = "Thermo"
                subscribe = ["181a/2a6e"]
                \(entry)
                """, on: radio)
        }

        func restart() throws { try whole.restart() }

        var status: SensorStatus? { whole.sensors.first { $0.id == "thermo" } }

        func run(
            _ arguments: String..., typing: String? = nil
        ) throws -> (status: Int32?, output: String, errors: String) {
            let process = try MartletProcess(arguments + ["--socket", socket], input: typing)
            return (process.wait(.seconds(60)), process.output, process.errors)
        }
    }

    @Test func `a sensor that wants encryption is paired with by itself, and is known the next time`() throws {
        let scene = try Scene()
        try #require(blockingEventually { (scene.status?.readings ?? 0) > 2 }, "\(scene.log)")
        #expect(scene.status?.security == "encrypted, Secure Connections, 128 bit")
        let bonds = try scene.run("bonds")
        #expect(bonds.status == 0)
        #expect(bonds.output.contains("00:B0:00:00:00:02"), "\(bonds.output)")
        try scene.restart()
        try #require(blockingEventually { (scene.status?.readings ?? 0) > 2 }, "\(scene.log)")
        #expect(scene.sensor.ends.count == 1, "the bond was enough")
    }

    @Test func `a sensor that shows a passkey is paired with by who reads it`() throws {
        let scene = try Scene(.display, needs: .authenticationRequired)
        try #require(
            blockingEventually { scene.status?.trouble != nil }, "\(scene.log)")
        #expect(scene.status?.trouble?.contains("pairing failed") == true, "\(scene.status?.trouble ?? "")")
        let pair = try MartletProcess(["pair", "thermo", "--socket", scene.socket], hasInput: true)
        try #require(blockingEventually { !scene.sensor.shown.isEmpty }, "\(pair.errors)")
        try #require(blockingEventually { pair.errors.contains("Passkey that the sensor shows") })
        pair.type("12\n")
        pair.type((scene.sensor.shown.last ?? "") + "\n")
        #expect(pair.wait(.seconds(30)) == 0, "\(pair.output)\(pair.errors)")
        #expect(
            blockingEventually { pair.output == "thermo is paired: authenticated, Secure Connections, 128 bit.\n" },
            "\(pair.output)")
        #expect(blockingEventually { (scene.status?.readings ?? 0) > 2 }, "\(scene.log)")
        #expect(scene.status?.trouble == nil)
        #expect(!scene.log.contains(scene.sensor.shown.last ?? "?"), "no passkey in the log")
    }

    @Test func `a passkey of the configuration pairs without anybody`() throws {
        let scene = try Scene(passkey: "019655", needs: .secureConnectionsRequired, entry: "passkey = \"019655\"")
        try #require(blockingEventually { (scene.status?.readings ?? 0) > 2 }, "\(scene.log)")
        #expect(scene.status?.security == "authenticated, Secure Connections, 128 bit")
        #expect(!scene.log.contains("019655"))
    }

    @Test func `a wrong passkey is told, and the right one pairs`() throws {
        let scene = try Scene(passkey: "019655", needs: .authenticationRequired, entry: "pair = false")
        try #require(
            blockingEventually { scene.status?.trouble?.contains("run martlet pair thermo") == true },
            "\(scene.log)")
        let wrong = try scene.run("pair", "thermo", "--passkey", "019656")
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("The keys did not agree"), "\(wrong.errors)")
        #expect(scene.sensor.controller.bonds.isEmpty)
        // After a failure the next attempt has to wait, and the host says so.
        var right = try scene.run("pair", "thermo", "--passkey", "-", "--json", typing: "019655\n")
        for _ in 0..<100 where right.status != 0 && right.errors.contains("wait before the next") {
            usleep(200_000)
            right = try scene.run("pair", "thermo", "--passkey", "-", "--json", typing: "019655\n")
        }
        #expect(right.status == 0, "\(right.errors)")
        #expect(right.output.contains("\"authenticated\":true"), "\(right.output)")
        #expect(blockingEventually { (scene.status?.readings ?? 0) > 2 }, "\(scene.log)")
    }

    @Test func `a sensor that has lost its bond is told of, and paired again only by an operator`() throws {
        let scene = try Scene()
        try #require(blockingEventually { (scene.status?.readings ?? 0) > 2 }, "\(scene.log)")
        scene.sensor.forgetBonds()
        try #require(
            blockingEventually { scene.status?.trouble?.contains("the key of its bond is missing") == true },
            "\(scene.log)")
        #expect(scene.sensor.ends.count == 1, "nobody pairs anew by himself")
        let text = try scene.run("status")
        #expect(text.output.contains("run martlet unpair thermo, then martlet pair thermo"))
        let already = try scene.run("pair", "thermo", "--yes")
        #expect(already.status == 1)
        #expect(already.errors.contains("paired already"))
        #expect(try scene.run("unpair", "thermo", "--yes").status == 0)
        let again = try scene.run("pair", "thermo", "--yes")
        #expect(again.status == 0, "\(again.errors)")
        #expect(blockingEventually { scene.status?.link == .collecting }, "\(scene.log)")
    }

    @Test(arguments: [false, true])
    func `a bond that nobody asked for goes with its key until a value has come under it`(_ isRestarted: Bool) throws {
        let scene = try Scene(isSilent: true)
        try #require(blockingEventually { scene.status?.link == .collecting }, "\(scene.log)")
        #expect(scene.sensor.ends.count == 1)
        if isRestarted {
            try scene.restart()
            try #require(blockingEventually { scene.status?.link == .collecting }, "\(scene.log)")
            #expect(scene.sensor.ends.count == 1, "the bond outlives a restart")
        }
        scene.sensor.forgetBonds()
        try #require(
            blockingEventually { scene.sensor.ends.count == 2 || scene.status?.trouble != nil }, "\(scene.log)")
        try #require(blockingEventually { scene.status?.link == .collecting }, "\(scene.log)")
        #expect(scene.sensor.ends.count == 2 && scene.status?.trouble == nil, "\(scene.log)")
    }

    @Test func `what cannot be paired with is told in a sentence`() throws {
        let scene = try Scene()
        try #require(blockingEventually { scene.status != nil }, "\(scene.log)")
        let unknown = try scene.run("pair", "fridge")
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("no device is called \"fridge\""), "\(unknown.errors)")
        #expect(try scene.run("unpair", "fridge", "--yes").status == 1)
        #expect(try scene.run("unpair", "thermo").status == 2, "nobody is there to ask")
        #expect(try scene.run("pair", "thermo", "--passkey", "12345").status == 2)
    }
}
