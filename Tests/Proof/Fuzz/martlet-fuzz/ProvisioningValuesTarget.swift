// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import FuzzSeeds
import Gateway
import NetworkControl
import Provisioning

/// Values of the configuration service, commands of Improv, and lines, from phones, gateways and the network helper: the product accepts
/// each, or refuses it with words. No buffer grows beyond its bound.
struct ProvisioningValuesTarget: FuzzTarget {
    static let name = "provisioning-values"
    static let maximumLength = FuzzFormats.Limit.configuration

    static var seeds: [[UInt8]] {
        func staged(_ values: [(kind: UInt8, text: String)]) -> [UInt8] {
            var script = FuzzScript(0)
            for value in values {
                script.add(value.kind)
                script.add(counted: Array(value.text.utf8))
            }
            return script.octets
        }
        let hash = String(repeating: "0123456789abcdef", count: 4)
        var improv = FuzzScript(1, 3, 0)
        for packet: [UInt8] in [
            [2, 0, 2], [3, 0, 3], [4, 0, 4], [5, 0, 5], [6, 2, 0x41, 0x42, 0x8B], [1, 4, 1, 0x41, 1, 0x42, 0x8A],
        ] {
            improv.add(0, 1)
            improv.add(counted: packet)
            improv.add(1, 0, 2, 10)
        }
        var halves = FuzzScript(1, 2, 0)
        halves.add(0, 1)
        halves.add(counted: [1, 30, 12, 0x4D, 0x79, 0x57])
        halves.add(0, 2)
        halves.add(counted: [4])
        halves.add(2, 70, 3, 3, 4, 1)
        return [
            staged([
                (0, "DE"), (1, "Attic"), (2, #"{"ssid":"Attic","password":"12345678","hidden":false}"#),
                (3, #"{"host":"broker.local","port":8883,"tls":true,"username":"gw","password":"p"}"#),
            ]),
            staged([(2, #"{"ssid":""}"#), (2, #"{"ssid":"A","passwort":"x"}"#), (3, #"{"port":70000}"#), (1, "")]),
            staged([(4, #"{"size":4,"sha256":"\#(hash)"}"#), (5, "\0\0\0\0-----"), (4, #"{"size":0}"#)]),
            staged([(6, "2026-06-30T21:40:12.480Z"), (6, "2024-02-29T00:00:00Z"), (6, "2100-02-29T24:00:00Z")]),
            improv.octets, halves.octets,
            [2, 8] + Array("{\"step\":\"associate\",\"state\":\"running\"}\n{\"end\":true}\n".utf8),
            [2, 0] + Array("no end, and \u{FF} in it\n\n\n".utf8),
            [2, 200] + Array(#"{"verb":"join","ssid":"Attic","password":"12345678","limit":90}"#.utf8),
            [2, 200] + Array(#"{"verb":"settle","kept":"5b0e1b3c-5f2b-4c53-9d5e-0a6b2e1c7d11"}"#.utf8),
            [2, 200] + Array(#"{"status":{"isConnected":true,"addresses":["192.0.2.7"],"hasWiFi":true}}"#.utf8),
            [2, 200] + Array(#"{"failure":"wrong-password","words":"the keys differ"}"#.utf8),
        ]
    }

    init() {}

    mutating func run(_ octets: [UInt8]) {
        var input = FuzzInput(octets)
        switch input.pick(3) {
        case 0: stage(&input)
        case 1: improv(&input)
        default: lines(&input)
        }
    }

    // MARK: The configuration service

    private func stage(_ input: inout FuzzInput) {
        var staged = StagedChanges()
        while !input.isAtEnd {
            let kind = input.pick(8)
            let value = input.counted()
            do throws(WriteRefusal) {
                switch kind {
                case 0: try staged.setCountry(value)
                case 1: try staged.setName(value)
                case 2: try staged.setWireless(value)
                case 3: try staged.setBroker(value)
                case 4: staged.authority = try StagedAuthority(announced: value, continuing: staged.authority)
                case 5: try staged.authority?.add(value)
                case 6: time(String(decoding: value, as: UTF8.self))
                default: _ = try staged.plan(for: Self.settings)
                }
            } catch {
                promise(!error.text.isEmpty && error.text.utf8.count <= 512, "refused with \(error.text)")
            }
            check(staged)
        }
    }

    private func check(_ staged: StagedChanges) {
        if case .join(let settings)? = staged.wireless {
            promise(
                (1...32).contains(settings.ssid.utf8.count), "a network's name of \(settings.ssid.utf8.count) octets")
            promise((settings.password?.utf8.count ?? 8) <= 64, "a password that is too long")
        }
        promise((staged.name?.count ?? 1) <= 32, "a name that is too long")
        promise((staged.broker.port ?? 1) > 0 && (staged.broker.port ?? 1) < 65_536, "a port that is none")
        promise((staged.authority?.data.count ?? 0) <= StagedAuthority.maximumSize, "too much of a certificate")
        promise("\(staged.wireless as Any)".contains("password") == false, "a password is printed")
    }

    private func time(_ text: String) {
        guard let time = UniversalTime(text) else { return }
        promise(time.text.flatMap { UniversalTime($0) } == time, "\(text) is read as \(time)")
    }

    private static let settings = GatewaySettings(
        name: "Martlet", gateway: "gw", host: "localhost", port: 1883, usesTLS: false, username: nil, hasPassword: true,
        authorityHash: nil, isProvisioned: true, network: nil, canUndo: false)

    // MARK: Improv

    private func improv(_ input: inout FuzzInput) {
        var machine = ImprovMachine(capabilities: Improv.Capabilities(rawValue: 0x0F))
        var now = MonotonicTime.zero
        var consented = false
        var working: Set<UInt64> = []
        let instant = ContinuousClock.now
        var openings = 0
        func take(_ effects: [ImprovMachine.Effect]) {
            for effect in effects {
                switch effect {
                case .perform(let request, let number):
                    promise(consented || !request.needsAuthorization, "\(request) without consent")
                    promise(working.insert(number).inserted, "\(number) is begun twice")
                    promise(working.count == 1, "\(working.count) things are done at once")
                case .abandon(let number): promise(working.remove(number) != nil, "\(number) is not being done")
                case .result(let octets, _):
                    promise((3...258).contains(octets.count), "a result of \(octets.count) octets")
                    promise(Improv.checksum(octets.dropLast()) == octets.last, "a wrong checksum")
                case .state(let state): promise(state == machine.state, "\(state) is told of \(machine.state)")
                case .error, .identify: break
                }
            }
        }
        while !input.isAtEnd {
            switch input.pick(5) {
            case 0:
                let client = UInt64(input.u8() & 15)
                take(machine.received(input.counted(), from: client, at: now))
            case 1:
                guard let number = working.popFirst() else { continue }
                let strings = input.flag() ? [String(repeating: "x", count: Int(input.u8()) * 2)] : []
                take(machine.finished(number, input.flag() ? .failed(.unableToConnect) : .done(strings), at: now))
            case 2:
                now = now + .seconds(Int(input.u8()))
                take(machine.expire(at: now))
                promise(machine.deadline.map { $0 > now } ?? true, "time stands still")
            case 3:
                let openers: [WindowState.Opener?] = [nil, .unprovisioned, .owner, .button, .command]
                let opener = input.pick(openers)
                openings += 1
                consented = consented || opener == .button || opener == .command
                take(machine.windowChanged(WindowState(opener: opener, end: instant + .seconds(openings)), at: now))
                if opener == nil { promise(machine.advertisedState == nil, "a closed window is advertised") }
            default: machine.disconnected(UInt64(input.u8() & 15))
            }
            promise(machine.assembled <= ImprovMachine.clientLimit * 258, "\(machine.assembled) octets are kept")
        }
    }

    // MARK: Lines

    private func lines(_ input: inout FuzzInput) {
        let size = Int(input.u8()) + 1
        let octets = input.rest()
        var (whole, pieces) = (LineReceiver(limit: 128), LineReceiver(limit: 128))
        let expected = whole.receive(octets)
        var lines: [String] = []
        for start in stride(from: 0, to: octets.count, by: size) {
            lines += pieces.receive(octets[start..<min(octets.count, start + size)])
        }
        promise(lines == expected, "lines differ by how they are cut")
        promise(pieces.losses == whole.losses, "\(pieces.losses) lines are lost, or \(whole.losses)")
        // A wrong octet becomes three.
        promise(lines.allSatisfy { !$0.isEmpty && $0.utf8.count <= 3 * 128 }, "a line is longer than it may be")
        for line in lines { helper(Array(line.utf8)) }
        helper(octets)
    }

    /// A line to the network helper, and a line from the helper to the gateway.
    private func helper(_ line: [UInt8]) {
        if let request = NetworkLine.decode(NetworkRequest.self, line), request.complaint == nil {
            let again = NetworkLine.encode(request)?.dropLast() ?? []
            promise(NetworkLine.decode(NetworkRequest.self, Array(again)) == request, "a request is read as another")
        }
        if let answer = NetworkLine.decode(NetworkAnswer.self, line) {
            let again = NetworkLine.encode(answer)?.dropLast() ?? []
            promise(NetworkLine.decode(NetworkAnswer.self, Array(again)) == answer, "an answer is read as another")
        }
    }
}
