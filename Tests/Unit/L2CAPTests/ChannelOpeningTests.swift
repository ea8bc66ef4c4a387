// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import L2CAP
import Testing

/// Opening and closing of credit based channels.
struct ChannelOpeningTests {
    // MARK: We ask

    @Test func `L2CAP/LE/CFC/BV-01-C: a peer without credit based channels`() {
        var rig = ChannelRig()
        let identifier = rig.ask()
        let reject = SignallingPDU.commandReject(identifier: identifier, reason: .notUnderstood, data: [])
        #expect(rig.receive(reject) == [.failed(tag: 7, .notSupported)])
        #expect(!rig.machine.hasChannels)
    }

    @Test func `L2CAP/LE/CFC/BV-02-C: a supported SPSM opens`() {
        var rig = ChannelRig()
        #expect(
            rig.machine.open(spsm: 0x25, tag: 7, at: rig.now)
                == [.send(.creditBasedConnectionRequest(identifier: 1, spsm: 0x25, ownOffer))])
        #expect(rig.answer(1, .success) == [.opened(0x40, tag: 7)])
        #expect(rig.machine[0x40]?.peerMTU == 512)
        #expect(rig.answer(1, .success) == [], "a second answer")
    }

    /// L2CAP/LE/CFC/BV-04-C: SPSM. L2CAP/LE/CFC/BV-10-C: authentication. L2CAP/LE/CFC/BV-12-C: authorization.
    /// L2CAP/LE/CFC/BV-14-C: key size. L2CAP/LE/CFC/BV-16-C: resources. L2CAP/LE/CFC/BV-18-C: invalid source CID.
    /// L2CAP/LE/CFC/BV-19-C: source CID already allocated. L2CAP/LE/CFC/BV-24-C: encryption. And an unknown result.
    @Test(arguments: [UInt16(2), 5, 6, 7, 4, 9, 10, 8, 11, 0x7777])
    func `L2CAP/LE/CFC/BV-04, 10, 12, 14, 16, 18, 19, 24-C: a refusal is told as it came`(result: UInt16) {
        var rig = ChannelRig()
        let identifier = rig.ask()
        let result = ConnectionResult(rawValue: result)
        #expect(
            rig.answer(identifier, result, channel: 0, mtu: 0, mps: 0, credits: 0)
                == [.failed(tag: 7, .refused(result))])
        #expect(!rig.machine.hasChannels)
    }

    @Test func `no answer in 30 s is a failure, and a late one is ignored`() {
        var rig = ChannelRig()
        let identifier = rig.ask()
        #expect(rig.machine.deadline == .zero + .seconds(30))
        rig.now = .zero + .seconds(30)
        #expect(rig.expire() == [.failed(tag: 7, .timedOut)])
        #expect(rig.answer(identifier, .success) == [])
        #expect(rig.machine.deadline == nil)
    }

    @Test func `L2CAP/LE/CFC/BV-29-C: only dynamic channels that are free are taken from a peer's answer`() {
        for bad in [ChannelIdentifier(rawValue: 0x3F), 0x80, 0x04, 0] {
            var rig = ChannelRig()
            let identifier = rig.ask()
            #expect(rig.answer(identifier, .success, channel: bad) == [.failed(tag: 7, .badAnswer)])
        }
        var rig = ChannelRig()
        let one = rig.ask()
        let two = rig.ask(tag: 8)
        #expect(rig.answer(one, .success, channel: 0x7F) == [.opened(0x40, tag: 7)])
        #expect(rig.answer(two, .success, channel: 0x7F) == [.failed(tag: 8, .badAnswer)])
    }

    @Test func `a peer whose sizes are too small is disconnected`() {
        var rig = ChannelRig()
        let identifier = rig.ask()
        #expect(
            rig.answer(identifier, .success, mps: 22) == [
                .send(.disconnectionRequest(identifier: 2, destination: 0x50, source: 0x40)),
                .failed(tag: 7, .badAnswer),
            ])
    }

    @Test func `a channel that nobody wants any more is closed when it opens`() {
        var rig = ChannelRig()
        let identifier = rig.ask()
        rig.machine.abandon { $0 == 7 }
        #expect(
            rig.answer(identifier, .success) == [
                .send(.disconnectionRequest(identifier: 2, destination: 0x50, source: 0x40)),
                .failed(tag: 7, .abandoned),
            ])
    }

    // MARK: The peer asks

    @Test func `L2CAP/LE/CFC/BV-03-C: a request for a published SPSM is answered with our sizes`() {
        var rig = ChannelRig(role: .peripheral)
        #expect(
            rig.accept() == [
                .send(.creditBasedConnectionResponse(identifier: 9, ownOffer, result: .success)),
                .opened(0x40, tag: nil),
            ])
    }

    /// L2CAP/LE/CFC/BV-05-C, L2CAP/LE/CFC/BV-22-C.
    @Test func `L2CAP/LE/CFC/BV-05-C and BV-22-C: requests for other SPSMs are refused, however many`() {
        var rig = ChannelRig()
        for spsm in [UInt16(0x81), 0, 0x25, 0xFFFF] + (0x82...0xFF) {
            #expect(rig.accept(spsm: spsm) == refused(.spsmNotSupported))
        }
        #expect(!rig.machine.hasChannels)
    }

    static let securityRows: [(ChannelRequirement, LinkSecurity, ConnectionResult)] = [
        // L2CAP/LE/CFC/BV-11-C: no key at all. L2CAP/LE/CFC/BV-25-C: an unused key.
        (.encrypted, .none, .insufficientAuthentication),
        (.encrypted, LinkSecurity(isEncrypted: false, hasBond: true), .insufficientEncryption),
        (.encrypted, LinkSecurity(isEncrypted: true, keySize: 16), .success),
        (
            ChannelRequirement(authentication: true), LinkSecurity(isEncrypted: true, keySize: 16),
            .insufficientAuthentication
        ),
        (
            ChannelRequirement(authentication: true),
            LinkSecurity(isEncrypted: true, isAuthenticated: true, keySize: 16),
            .success
        ),
        // L2CAP/LE/CFC/BV-15-C.
        (
            ChannelRequirement(encryption: true, keySize: 16), LinkSecurity(isEncrypted: true, keySize: 15),
            .encryptionKeySizeTooShort
        ),
        (
            ChannelRequirement(encryption: true, keySize: 15), LinkSecurity(isEncrypted: true, keySize: 15), .success
        ),
        // The length of the key counts as much where authentication alone is required, and means nothing where neither is.
        (
            ChannelRequirement(authentication: true, keySize: 16),
            LinkSecurity(isEncrypted: true, isAuthenticated: true, keySize: 15), .encryptionKeySizeTooShort
        ),
        (
            ChannelRequirement(authentication: true, keySize: 15),
            LinkSecurity(isEncrypted: true, isAuthenticated: true, keySize: 15), .success
        ),
        (ChannelRequirement(keySize: 16), .none, .success),
        // A bond helps if its key is as good as required.
        (ChannelRequirement(authentication: true), LinkSecurity(hasBond: true), .insufficientAuthentication),
        (
            ChannelRequirement(authentication: true), LinkSecurity(hasBond: true, bondIsAuthenticated: true),
            .insufficientEncryption
        ),
        // L2CAP/LE/CFC/BV-13-C.
        (ChannelRequirement(authorization: true), .none, .insufficientAuthorization),
        (ChannelRequirement(authorization: true), LinkSecurity(isEncrypted: false, isAuthorized: true), .success),
    ]

    @Test(arguments: securityRows)
    func `L2CAP/LE/CFC/BV-11, 13, 15, 25-C: what a publication requires`(
        requirement: ChannelRequirement, security: LinkSecurity, result: ConnectionResult
    ) {
        var rig = ChannelRig()
        rig.listeners = [0x80: requirement]
        rig.security = security
        let effects = rig.accept()
        if result == .success {
            #expect(effects.last == .opened(0x40, tag: nil))
        } else {
            #expect(effects == refused(result))
        }
    }

    @Test func `L2CAP/LE/CFC/BV-17-C: beyond 16 channels there are no resources`() {
        var rig = ChannelRig()
        for number in 0..<UInt16(16) {
            let effects = rig.accept(ChannelIdentifier(rawValue: 0x50 + number))
            #expect(effects.last == .opened(ChannelIdentifier(rawValue: 0x40 + number), tag: nil))
        }
        #expect(rig.accept(0x60) == refused(.noResources))
        #expect(rig.machine.open(spsm: 0x25, tag: 1, at: .zero) == [.failed(tag: 1, .tooManyChannels)])
    }

    @Test(arguments: [UInt16(0), 4, 0x3F, 0x80, 0xFFFF])
    func `L2CAP/LE/CFC/BV-29-C: a source outside the dynamic range is invalid`(source: UInt16) {
        var rig = ChannelRig()
        #expect(rig.accept(ChannelIdentifier(rawValue: source)) == refused(.invalidSourceCID))
    }

    @Test func `L2CAP/LE/CFC/BV-20-C: a source that is in use is already allocated`() {
        var rig = ChannelRig()
        _ = rig.accept(0x7F)
        #expect(rig.accept(0x7F) == refused(.sourceCIDAlreadyAllocated))
    }

    @Test(arguments: [(22, 64), (64, 22), (0, 0), (64, 65534)] as [(UInt16, UInt16)])
    func `L2CAP/LE/CFC/BV-21-C: sizes below 23 are unacceptable`(mtu: UInt16, mps: UInt16) {
        var rig = ChannelRig()
        #expect(rig.accept(mtu: mtu, mps: mps) == refused(.unacceptableParameters))
    }

    // MARK: Ends

    @Test func `L2CAP/LE/CFC/BV-08-C: we disconnect`() {
        var rig = ChannelRig()
        _ = rig.accept()
        #expect(
            rig.machine.close(0x40, at: .zero) == [
                .send(.disconnectionRequest(identifier: 1, destination: 0x50, source: 0x40)),
                .closed(0x40, .closedByUs),
            ])
        #expect(rig.machine.close(0x40, at: .zero) == [])
        #expect(rig.accept(0x51).last == .opened(0x41, tag: nil), "the number is not free yet")
        #expect(rig.first(1, [1]) == [], "what was on the way is dropped")
        #expect(rig.receive(.disconnectionResponse(identifier: 1, destination: 0x50, source: 0x40)) == [])
        #expect(rig.first(1, [1]) == nil)
        #expect(rig.accept(0x50).last == .opened(0x40, tag: nil))
    }

    @Test func `a disconnection without an answer is over after 30 s`() {
        var rig = ChannelRig()
        _ = rig.accept()
        _ = rig.machine.close(0x40, at: .zero)
        rig.now = .zero + .seconds(30)
        #expect(rig.expire() == [])
        #expect(!rig.machine.hasChannels)
    }

    @Test func `L2CAP/LE/CFC/BV-09-C: the peer disconnects`() {
        var rig = ChannelRig()
        _ = rig.accept()
        #expect(
            rig.receive(.disconnectionRequest(identifier: 3, destination: 0x40, source: 0x50)) == [
                .send(.disconnectionResponse(identifier: 3, destination: 0x40, source: 0x50)),
                .closed(0x40, .closedByPeer),
            ])
        #expect(!rig.machine.hasChannels)
    }

    @Test func `L2CAP/LE/CFC/BV-23-C: a disconnection of an unknown channel is rejected, of a wrong pair ignored`() {
        var rig = ChannelRig()
        _ = rig.accept()
        #expect(
            rig.receive(.disconnectionRequest(identifier: 3, destination: 0x41, source: 0x50))
                == [.send(.commandReject(identifier: 3, reason: .invalidChannel, data: [0x41, 0, 0x50, 0]))])
        #expect(rig.receive(.disconnectionRequest(identifier: 3, destination: 0x40, source: 0x51)) == [])
        #expect(rig.machine[0x40] != nil)
    }

    @Test func `both sides disconnect at once`() {
        var rig = ChannelRig()
        _ = rig.accept()
        _ = rig.machine.close(0x40, at: .zero)
        #expect(
            rig.receive(.disconnectionRequest(identifier: 3, destination: 0x40, source: 0x50))
                == [.send(.disconnectionResponse(identifier: 3, destination: 0x40, source: 0x50))])
        #expect(!rig.machine.hasChannels)
        #expect(rig.machine.deadline == nil, "nothing waits for the other answer")
    }

    @Test func `what waits is sent before a channel closes, for 10 s at most`() {
        var rig = ChannelRig()
        _ = rig.accept(credits: 1)
        #expect(rig.machine.send([1, 2, 3], on: 0x40) == true)
        #expect(rig.machine.close(0x40, at: .zero) == [])
        #expect(rig.machine.send([4], on: 0x40) == false)
        #expect(
            rig.machine.nextFrame(at: .zero)?.effects == [
                .send(.disconnectionRequest(identifier: 1, destination: 0x50, source: 0x40)),
                .closed(0x40, .closedByUs),
            ])

        var stuck = ChannelRig()
        _ = stuck.accept(credits: 0)
        #expect(stuck.machine.send([1], on: 0x40) == true)
        #expect(stuck.machine.close(0x40, at: .zero) == [])
        #expect(stuck.machine.deadline == .zero + .seconds(10))
        stuck.now = .zero + .seconds(10)
        #expect(stuck.expire().last == .closed(0x40, .closedByUs))
    }

    @Test func `the end of the link ends everything`() {
        var rig = ChannelRig()
        _ = rig.accept()
        _ = rig.ask(tag: 3)
        #expect(rig.machine.fail() == [.failed(tag: 3, .linkLost), .closed(0x40, .linkLost)])
        #expect(!rig.machine.hasChannels)
    }
}
