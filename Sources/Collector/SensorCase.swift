// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health

/// The facts about an accepted sensor that explain its state. Its ``answer`` is a sentence, its ``advice`` a remedy.
struct SensorCase: Equatable, Sendable {
    var id: String
    var link: SensorStatus.Link
    /// Milliseconds since each.
    var connectedAge: Int64?
    var lastValueAge: Int64?
    var lastHeardAge: Int64?
    /// Milliseconds since an advertisement of a listened sensor that no family here understands.
    var unreadAge: Int64?
    var rssi: Int?
    var usual: Int64?
    /// The state that all surfaces show.
    var state = SensorState.fresh
    /// Values came, and come no more.
    var isSilent: Bool { state == .silent || state == .notUnderstood && lastValueAge != nil }
    var isPairing = false
    /// The security problem that a person has to solve, and the solution, in words.
    var trouble: String?
    var lastFailure: String?
    var missing: [String] = []
    /// Milliseconds until the next attempt.
    var nextTry: Int64?
    var turns = SlotTurns()
    /// Milliseconds between two polls; nil without polls.
    var pollInterval: Int64?
    var lastLink = LastLink()
    /// The gateway that takes care of the sensor instead of this gateway.
    var owner: String?
    private var surroundings = Surroundings()

    /// Signals below this strength are weak, in dBm.
    static let weakSignal = -85

    init(id: String, link: SensorStatus.Link) {
        self.id = id
        self.link = link
    }

    /// The part of the case that all sensors of a gateway share.
    private struct Surroundings: Equatable {
        var controller: String?
        var refusal: String?
        var unheardAge: Int64?
        var installation = Installation.package
    }

    /// The fault of the controller.
    var controller: String? {
        get { surroundings.controller }
        set { surroundings.controller = newValue }
    }

    /// The uses that a working controller refuses permanently.
    var refusal: String? {
        get { surroundings.refusal }
        set { surroundings.refusal = newValue }
    }

    /// Milliseconds for which the radio has heard nobody, while the state is unknown for this reason.
    var unheardAge: Int64? {
        get { surroundings.unheardAge }
        set { surroundings.unheardAge = newValue }
    }

    /// Advice names the commands of this installation.
    var installation: Installation {
        get { surroundings.installation }
        set { surroundings.installation = newValue }
    }

    var answer: String {
        if link == .unavailable || controller != nil {
            let trouble = controller.map { Self.clause(Self.parts($0).first) } ?? "still starting"
            return "The sensor is not connected: the controller is not ready (\(trouble))."
        }
        if let unheardAge, let lastValueAge {
            return
                "The state of the sensor is unknown: the radio has heard nothing for \(SpokenTime.of(unheardAge)), and "
                + "the last value came \(SpokenTime.of(lastValueAge)) ago."
        }
        switch link {
        case .collecting: return collecting
        case .listening: return listening
        case .resting: return resting
        case .queued: return queued
        case .elsewhere:
            let other = owner.map { "The gateway \($0)" } ?? "Another gateway"
            return "\(other) collects from the sensor; this gateway takes over when the other falls silent."
        case .settingUp:
            let since = connectedAge.map { "; the link began \(SpokenTime.of($0)) ago" } ?? ""
            let step = isPairing ? "pairs with the sensor" : "sets the sensor up"
            return "The gateway \(step)\(since)."
        case .waiting, .disconnecting:
            let next = nextTry.map { "; the next try is in \(SpokenTime.of($0))" } ?? ""
            guard let why = lastFailure ?? (nextTry == nil ? trouble : nil) else {
                return "The sensor is not connected: \(past)\(next)."
            }
            return "The gateway collects nothing from the sensor: \(Self.clause(why))\(next)."
        case .connecting, .unavailable: return "The sensor is not connected: \(past)."
        }
    }

    private var collecting: String {
        let history = lastLink.recentWords(id).map { "; the link before \($0)" } ?? ""
        guard let lastValueAge else {
            let since = connectedAge.map { "has been connected for \(SpokenTime.of($0))" } ?? "is connected"
            return "The sensor \(since), and no value has come yet\(history)."
        }
        guard isSilent else {
            let ago = SpokenTime.of(lastValueAge)
            return "The gateway collects from the sensor; the last value came \(ago) ago\(history)\(turns.shortfall)."
        }
        let usually = usual.map { ", though values usually come every \(SpokenTime.of($0))" } ?? ""
        let silence = SpokenTime.of(lastValueAge) + usually
        return "The sensor is connected, but silent: no value has come for \(silence)\(history)."
    }

    /// For a sensor with a link for each poll.
    private var resting: String {
        let every = pollInterval.map { " every \(SpokenTime.of($0))" } ?? ""
        let last = lastValueAge.map { "; the last value came \(SpokenTime.of($0)) ago" } ?? ""
        let next = nextTry.map { ", the next poll is in \(SpokenTime.of($0))" } ?? ""
        return "The gateway reads the sensor\(every)\(last)\(next)."
    }

    /// For a sensor that waits for its turn.
    private var queued: String {
        let last =
            lastValueAge.map { "; the last value came \(SpokenTime.of($0)) ago" } ?? ", and no value has come yet"
        return "The sensor waits for its turn: \(turns.reason)\(last)\(turns.shortfall)."
    }

    /// For a sensor without a connection.
    private var listening: String {
        let signal = rssi.map { ", at \($0) dBm" } ?? ""
        guard let lastValueAge else {
            let heard = lastHeardAge.map { "; last heard \(SpokenTime.of($0)) ago\(signal)" } ?? ""
            return "The gateway listens to the sensor, and could read nothing yet\(heard)."
        }
        let ago = "the last value came \(SpokenTime.of(lastValueAge)) ago\(signal)"
        if let owner, !isSilent {
            return "The gateway listens to the sensor, and the gateway \(owner) delivers the values; \(ago)."
        }
        guard isSilent else { return "The gateway listens to the sensor; \(ago)." }
        let usually = usual.map { ", though values usually come every \(SpokenTime.of($0))" } ?? ""
        if isUnread, let unreadAge {
            return "The sensor is heard, but its advertisements are not understood: the newest came "
                + "\(SpokenTime.of(unreadAge)) ago, and \(ago)."
        }
        return "The gateway does not hear the sensor any more: \(ago)\(usually)."
    }

    /// The sensor is in the air, and sends different data than before.
    private var isUnread: Bool {
        guard let unreadAge, let lastValueAge else { return unreadAge != nil }
        return isSilent && unreadAge < lastValueAge
    }

    /// The time of the last sign, and the end of the last link.
    private var past: String {
        let signal = rssi.map { " at \($0) dBm" } ?? ""
        let heard = lastHeardAge.map { "last heard \(SpokenTime.of($0)) ago\(signal)" }
        let end = lastLink.words(id).map { "the last link \($0)" }
        let parts = [heard ?? "not heard since the gateway started", end].compactMap { $0 }
        return parts.joined(separator: "; ")
    }

    /// The first sentence, and the remaining sentences with the remedy.
    private static func parts(_ text: String) -> (first: String, rest: String?) {
        let sentences = text.split(separator: ". ", maxSplits: 1).map(String.init)
        return (sentences.first ?? text, sentences.count > 1 ? sentence(sentences[1]) : nil)
    }

    /// Without the full stop at its end.
    static func clause(_ text: String) -> String {
        text.last == "." ? String(text.dropLast()) : text
    }

    /// The remedy; nil if the sensor works, or time will tell.
    var advice: String? {
        if let controller {
            return Self.parts(controller).rest ?? advise("\(.martlet(.status)) says how the controller is.")
        }
        if let refusal, link != .collecting || isSilent, link != .listening || isSilent || lastValueAge == nil {
            return Self.adviceOnRefusal(refusal, on: installation)
        }
        if let trouble { return Self.sentence(trouble) }
        if unheardAge != nil { return advise("The radio is examined first; \(.martlet(.doctor)) says more.") }
        if link == .queued || link == .collecting && !isSilent && !turns.shortfall.isEmpty { return SlotTurns.advice }
        if link == .listening {
            guard isSilent || lastValueAge == nil else { return nil }
            if isUnread {
                return "Does the sensor have a new format or a new firmware? Its present packets are below."
            }
            let weak = rssi.map { $0 <= Self.weakSignal } ?? false
            return weak
                ? "The signal was weak: bring the sensor nearer, or the gateway's antenna away from metal."
                : "Is the sensor's battery empty, or did the sensor move away?"
        }
        if link == .collecting {
            if isSilent { return silenceAdvice }
            if !missing.isEmpty { return Self.sentence("not everything is there: " + missing.joined(separator: "; ")) }
            guard lastLink.isLostOften else { return nil }
        }
        guard link != .settingUp, link != .resting, link != .elsewhere else { return nil }
        if lastFailure != nil, link != .collecting, lastLink.end?.endedBy == .gateway {
            return advise(
                "Compare the entry with the services and characteristics of the sensor; \(.martlet(.devices)) shows "
                    + "the devices in the air.")
        }
        guard let end = lastLink.end, let reason = end.reason,
            let advice = LinkEndAdvice.of(reason, during: end.during, sensor: id).advice.map(advise)
        else {
            return lastHeardAge == nil ? "Is the sensor switched on, near, and not connected to a phone?" : nil
        }
        guard reason.party == .radio, let rssi, rssi <= Self.weakSignal else { return advice }
        return "The signal was weak (\(rssi) dBm). " + advice
    }

    /// The sensor is not to blame.
    static func adviceOnRefusal(_ refusal: String, on installation: Installation) -> String {
        let advice: Advice =
            "The adapter is the cause: \(refusal). Another firmware or another adapter helps; "
            + "\(.martlet(.doctor)) examines this adapter."
        return advice.text(on: installation)
    }

    private func advise(_ advice: Advice) -> String { advice.text(on: installation) }

    private var silenceAdvice: String {
        "The link stands: perhaps the sensor has nothing to say, like a button, or hangs. If values are due, "
            + "take the sensor's battery out for a moment."
    }

    static func sentence(_ text: String) -> String {
        let rest = text.dropFirst()
        return (text.first.map { String($0).uppercased() } ?? "") + rest + (text.last == "." ? "" : ".")
    }
}
