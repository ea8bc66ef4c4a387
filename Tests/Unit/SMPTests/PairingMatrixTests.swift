// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

/// Two machines with all combinations of features: the association model, the questions to people, and equal keys.
struct PairingMatrixTests {
    /// The content of tables 2.6 to 2.8 of Core 5.4, Vol 3, Part H, 2.3.5.1, written out.
    private enum Way: Character {
        case justWorks = "J"
        case comparison = "N"
        case initiatorDisplays = "I"
        case responderDisplays = "R"
        case bothEnter = "B"
        case outOfBand = "O"
    }

    private static let order: [IOCapability] = [
        .displayOnly, .displayYesNo, .keyboardOnly, .noInputNoOutput, .keyboardDisplay,
    ]
    /// A row a responder, a column an initiator, in the order above.
    private static let legacy = ["JJRJR", "JJRJR", "IIBJI", "JJJJJ", "IIRJI"]
    private static let secure = ["JJRJR", "JNRJN", "IIBJI", "JJJJJ", "INRJN"]

    private struct Case: CustomStringConvertible {
        var capability: [LinkRole: IOCapability]
        var offersSecureConnections: [LinkRole: Bool]
        var wantsProtection: [LinkRole: Bool]
        var hasData: [LinkRole: Bool]

        var isSecure: Bool { !offersSecureConnections.values.contains(false) }

        var way: Way {
            let data = hasData.values
            if isSecure ? data.contains(true) : !data.contains(false) { return .outOfBand }
            guard wantsProtection.values.contains(true) else { return .justWorks }
            let table = isSecure ? PairingMatrixTests.secure : PairingMatrixTests.legacy
            guard let row = PairingMatrixTests.order.firstIndex(of: capability[.peripheral] ?? .noInputNoOutput),
                let column = PairingMatrixTests.order.firstIndex(of: capability[.central] ?? .noInputNoOutput)
            else { return .justWorks }
            return Way(rawValue: Array(table[row])[column]) ?? .justWorks
        }

        var description: String {
            "\(capability) secure \(offersSecureConnections) "
                + "protection \(wantsProtection) data \(hasData)"
        }

        func machine(_ role: LinkRole) -> PairingMachine {
            PairingSample.machine(role) {
                $0.ioCapability = capability[role] ?? .noInputNoOutput
                $0.allowsLegacy = true
                $0.offersSecureConnections = offersSecureConnections[role] == true
                $0.requiresAuthentication = wantsProtection[role] == true
                if hasData[role] == true {
                    $0.exchangeOutOfBand(role)
                    $0.peerOutOfBand?.temporaryKey = PairingSample.key(String(repeating: "5c", count: 16))
                } else {
                    $0.tellOutOfBand(role)
                }
            }
        }
    }

    private static let flags = [(false, false), (false, true), (true, false), (true, true)]

    @Test(arguments: flags, flags)
    func `every pair of devices finds the model of the tables`(secure: (Bool, Bool), protection: (Bool, Bool)) {
        for initiator in IOCapability.allCases {
            for responder in IOCapability.allCases {
                for data in Self.flags {
                    check(
                        Case(
                            capability: [.central: initiator, .peripheral: responder],
                            offersSecureConnections: [.central: secure.0, .peripheral: secure.1],
                            wantsProtection: [.central: protection.0, .peripheral: protection.1],
                            hasData: [.central: data.0, .peripheral: data.1]))
                }
            }
        }
    }

    private func check(_ row: Case) {
        var loop = PairingLoop(initiator: row.machine(.central), responder: row.machine(.peripheral))
        loop.run()
        let way = row.way
        #expect(loop.endings(.central) == 1 && loop.endings(.peripheral) == 1, "\(row)")
        if way == .justWorks, row.wantsProtection.values.contains(true) {
            // A device that wants protection, and cannot have it, does not pair.
            let failures = [loop.failure(.central), loop.failure(.peripheral)]
            #expect(failures.contains(.refused(.authenticationRequirements)), "\(row)")
            #expect(failures.contains(.refusedByPeer(.authenticationRequirements)), "\(row)")
            #expect(!loop.sent.contains { ![0x01, 0x02, 0x05].contains($0.octets[0]) }, "\(row)")
            return
        }
        guard let initiator = loop.result(.central), let responder = loop.result(.peripheral) else {
            Issue.record("no result: \(row)")
            return
        }
        #expect(loop.machines[.central]?.model == model(way) && loop.machines[.peripheral]?.model == model(way))
        #expect(initiator.model == model(way) && responder.model == model(way), "\(row)")
        #expect(initiator.isAuthenticated == (way != .justWorks), "\(row)")
        #expect(responder.isAuthenticated == initiator.isAuthenticated, "\(row)")
        let security = LinkSecurity(
            isEncrypted: true, isAuthenticated: way != .justWorks, isSecureConnections: row.isSecure, keySize: 16)
        #expect(loop.security(.central) == security && loop.security(.peripheral) == security, "\(row)")
        #expect(areSame(initiator.keys, responder.keys, isSecure: row.isSecure), "\(row)")
        checkQuestions(loop, way, "\(row)")
    }

    private func model(_ way: Way) -> AssociationModel {
        switch way {
        case .justWorks: .justWorks
        case .comparison: .numericComparison
        case .initiatorDisplays, .responderDisplays, .bothEnter: .passkeyEntry
        case .outOfBand: .outOfBand
        }
    }

    private func areSame(_ left: LongTermKeys, _ right: LongTermKeys, isSecure: Bool) -> Bool {
        switch (left, right) {
        case (.secureConnections(let left), .secureConnections(let right)): isSecure && left == right
        case (.legacy(let leftPeer?, let leftLocal?), .legacy(let rightPeer?, let rightLocal?)):
            !isSecure && leftPeer == rightLocal && leftLocal == rightPeer
        default: false
        }
    }

    private func checkQuestions(_ loop: PairingLoop, _ way: Way, _ comment: Comment) {
        let (initiator, responder) = (loop.questions(to: .central), loop.questions(to: .peripheral))
        let isRight =
            switch way {
            case .justWorks: initiator == [] && responder == [.consent]
            case .outOfBand: initiator == [] && responder == []
            case .bothEnter: initiator == [.enterPasskey] && responder == [.enterPasskey]
            case .initiatorDisplays:
                responder == [.enterPasskey] && initiator == loop.shown(by: .central).map { [.display(passkey: $0)] }
            case .responderDisplays:
                initiator == [.enterPasskey] && responder == loop.shown(by: .peripheral).map { [.display(passkey: $0)] }
            case .comparison:
                if case .compare(let digits)? = initiator.first {
                    initiator == [.compare(digits)] && responder == initiator && digits < 1_000_000
                } else {
                    false
                }
            }
        #expect(isRight, comment)
    }
}
