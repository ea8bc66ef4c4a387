// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Logging
import MQTT
import Platform
import Readings

/// Notices another gateway under this gateway's name; a value.
///
/// Each process of a gateway has a nonce. On each connection the process publishes the nonce, retained, on
/// `…/gw/<gw>/claim`: the claim. A gateway answers each claim with another nonce by its own claim, so both gateways know of
/// each other. Two gateways with one client id take turns at the broker: each gateway finds the other claim in the place of
/// its own claim. If claims do not come back, gateways know of each other by the nonces in their statistics:
/// ``NamesakeWatch``.
package struct NameClaim: Sendable {
    /// Answers go out at most this often.
    static let answerInterval: Duration = .seconds(20)
    /// The trouble ends after this time without an answer of the other gateway.
    static let patience: Duration = .seconds(90)
    /// As ``patience``, for gateways in turns: see ``MQTTConfiguration/takenOverDelay``.
    static let patienceInTurns: Duration = .seconds(1_500)
    /// As ``patience``, for gateways that are heard by their statistics: three times as long as the pause between two.
    static let patienceForStatistics: Duration = .seconds(180)
    /// Octets of a claim.
    static let limit = 512
    /// Octets of statistics, whose content does not matter here.
    static let statisticsLimit = 8_192
    /// The key of the nonces of former processes.
    static let formersKey = "claim:nonces"
    private static let rememberedFormers = 8
    private static let nonceLength = 16

    /// The octets of a claim.
    struct Payload: Codable, Equatable {
        var v = 1
        var gw: String
        /// 16 hexadecimal digits.
        var nonce: String
    }

    let gateway: String
    let nonce: String
    /// The nonces of this gateway's former processes, the oldest first.
    private var formers: [String]?
    /// This process was connected before, and has said its claim.
    private var hasClaimed = false
    private var answeredAt: MonotonicTime?
    private var owesAnswer = false
    private var foreignUntil: MonotonicTime?
    private(set) var watch = NamesakeWatch()
    /// Other messages on the topic.
    private(set) var malformed = 0

    /// - Parameter nonce: By chance, once for each process: ``makeNonce(_:)``.
    init(gateway: String, nonce: String) { (self.gateway, self.nonce) = (gateway, nonce) }

    package static func makeNonce(_ randomness: inout Randomness) -> String {
        let digits = String(randomness.bits(), radix: 16)
        return String(repeating: "0", count: nonceLength - digits.count) + digits
    }

    /// Another gateway lives under this gateway's name.
    func isForeign(at now: MonotonicTime) -> Bool { foreignUntil.map { now < $0 } ?? false }

    /// A connection begins, on which the claim is said.
    ///
    /// - Returns: The nonces to keep, if they are news.
    mutating func begin(at now: MonotonicTime, from facts: any FactSource) -> String? {
        (answeredAt, owesAnswer) = (now, false)
        watch.begin(at: now)
        var kept = (facts.identifier(for: Self.formersKey) ?? "").split(separator: ",").map(String.init)
            .filter(Self.isNonce)
        if formers == nil { formers = kept.filter { $0 != nonce } }
        guard !kept.contains(nonce) else { return nil }
        kept = kept.suffix(Self.rememberedFormers - 1) + [nonce]
        return kept.joined(separator: ",")
    }

    /// The connection, with its claim, has ended.
    mutating func end(at now: MonotonicTime) {
        hasClaimed = true
        watch.end(at: now)
    }

    /// Whether the gateway begins to listen to its statistics.
    mutating func takeWatch(at now: MonotonicTime) -> Bool { watch.takeDue(at: now) }

    /// The claim as JSON.
    var payload: [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(Payload(gw: gateway, nonce: nonce))).map { [UInt8]($0) }
    }

    /// A message has come on the claim's topic, from any client.
    ///
    /// - Parameter isRetained: The broker had the message before.
    mutating func heard(_ payload: [UInt8], isRetained: Bool, at now: MonotonicTime) {
        // An empty message removes a retained claim.
        guard !payload.isEmpty else { return }
        guard payload.count <= Self.limit, let claim = try? JSONDecoder().decode(Payload.self, from: Data(payload)),
            claim.gw == gateway, Self.isNonce(claim.nonce)
        else {
            if malformed < .max { malformed += 1 }
            return
        }
        guard claim.nonce != nonce else { return watch.heardOwnClaim() }
        guard isRetained else {
            owesAnswer = true
            foreignUntil = max(foreignUntil ?? .zero, now + Self.patience)
            return
        }
        // On the first connection the broker has the claim of a former process, or of anybody in the past. A living gateway
        // hears this process's claim, and answers. Later the broker has another claim in the place of this process's, because
        // another gateway was there; or, after the broker's own crash, that of a former process again.
        guard hasClaimed, formers?.contains(claim.nonce) != true else { return }
        foreignUntil = now + Self.patienceInTurns
    }

    /// Statistics have come on the topic of this gateway's statistics.
    mutating func heardStatistics(_ payload: [UInt8], at now: MonotonicTime) {
        guard payload.count <= Self.statisticsLimit,
            let claim = try? JSONDecoder().decode(Payload.self, from: Data(payload)),
            Self.isNonce(claim.nonce), claim.nonce != nonce
        else { return }
        foreignUntil = max(foreignUntil ?? .zero, now + Self.patienceForStatistics)
    }

    /// The time of the owed answer; nil without a debt.
    var answerDue: MonotonicTime? { owesAnswer ? (answeredAt ?? .zero) + Self.answerInterval : nil }

    /// Whether the answer goes out now.
    mutating func takeAnswer(at now: MonotonicTime) -> Bool {
        guard let due = answerDue, now >= due else { return false }
        (answeredAt, owesAnswer) = (now, false)
        return true
    }

    private static func isNonce(_ text: String) -> Bool {
        text.utf8.count == nonceLength
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

extension PublisherMachine {
    /// A connection begins.
    mutating func beginClaim(at now: MonotonicTime, from facts: any FactSource) {
        if let kept = gateway.beginClaim(at: now, from: facts) { want(.keep(kept, key: NameClaim.formersKey)) }
        announceClaim()
    }

    /// - Returns: Whether the message is on the topic of claims, or of the gateway's statistics.
    mutating func receiveClaim(_ message: IncomingMessage, at now: MonotonicTime) -> Bool {
        guard gateway.claim != nil else { return false }
        let isNews: Bool
        switch message.topic.text {
        case topics.claim: isNews = gateway.heardClaim(message.payload, isRetained: message.isRetained, at: now)
        case topics.statistics where !message.isRetained: isNews = gateway.heardStatistics(message.payload, at: now)
        default: return false
        }
        if isNews {
            // The account of health has the remedy.
            log(.error, "another gateway lives under this gateway's name", ["gateway": "\(topics.gatewayName)"])
        }
        return true
    }

    mutating func answerClaim(at now: MonotonicTime) {
        if gateway.takeAnswer(at: now) { announceClaim() }
    }

    private mutating func announceClaim() {
        guard let payload = gateway.claim?.payload else { return }
        control.append(OutgoingMessage(topic: topics.claim, payload: payload, retain: true))
    }
}
