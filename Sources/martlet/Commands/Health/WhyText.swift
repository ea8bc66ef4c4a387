// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Foundation
import Health

/// The answer of `martlet why` for people.
enum WhyText {
    /// With `columns`, for a terminal of this width. `zone`: the time zone of the times.
    static func lines(_ explanation: SensorExplanation, columns: Int? = nil, zone: TimeZone) -> [String] {
        var lines: [(text: String, indent: Int)] = [(head(explanation), 0), (clean(explanation.answer), 0)]
        if let seconds = explanation.radioSecondsDay {
            let time = SpokenTime.of(Int64((seconds * 1_000).rounded()))
            let about = seconds < 1 ? "" : "about "
            lines.append(("The links of this gateway keep its radio on for \(about)\(time) a day.", 0))
        }
        lines += (explanation.problems ?? []).map { (($0.severity == .notice ? "· " : "! ") + clean($0.text), 2) }
        if let advice = explanation.advice { lines += [("", 0), ("To do: " + clean(advice), 7)] }
        if let octets = explanation.octets {
            lines += [("", 0), ("It advertises", 0), ("  advertisement  " + octets.advertisement, 17)]
            if let response = octets.scanResponse { lines.append(("  scan response  " + response, 17)) }
        }
        if let peculiarities = explanation.peculiarities {
            lines += [("", 0), ("It departs from the specification", 0)]
            lines += peculiarities.map { ("  " + clean($0), 2) }
        }
        if !explanation.ends.isEmpty {
            lines += [("", 0), ("Links that ended in the last 24 hours", 0)]
            let widest = explanation.ends.map { String($0.count).count }.max() ?? 0
            lines += explanation.ends.map { entry in
                let reason = entry.reason.map(String.init(describing:)) ?? "all others"
                return ("  " + Text.fit(String(entry.count), widest, right: true) + " × " + reason, widest + 5)
            }
        }
        if !explanation.events.isEmpty {
            lines += [("", 0), ("What happened", 0)]
            var day = ""
            for event in explanation.events {
                let (date, time) = moment(event, explanation.uptimeMs, zone)
                if date != day, !date.isEmpty { lines.append(("  " + date + offset(event, zone), 2)) }
                day = date
                lines.append(("  \(Text.fit(time, 8))  \(clean(text(event, zone)))", 12))
            }
        }
        guard let columns else { return lines.map(\.text) }
        return lines.flatMap { Text.wrapped($0.text, columns, indent: $0.indent) }
    }

    /// `greenhouse (Greenhouse, C4:7C:8D:00:11:04)`.
    private static func head(_ explanation: SensorExplanation) -> String {
        let facts = [explanation.name, explanation.address].compactMap { $0 }.filter { $0 != explanation.sensor }
        return clean(explanation.sensor + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"))
    }

    /// Names and reasons come from the air. A sentence may contain several of them.
    private static func clean(_ text: String) -> String { Text.plain(text, limit: 1024) }

    // MARK: Events

    /// The line of an event.
    static func text(_ event: SensorEvent, _ zone: TimeZone) -> String {
        var text = words(event)
        if let link = event.link, event.kind == .connected || event.kind == .linkEnded { text += ", link \(link)" }
        if event.count > 1 {
            let since = event.firstUnixMs.map { " since " + time($0, zone, besides: event.unixMs) } ?? ""
            text += " (\(event.count) times\(since))"
        }
        return text
    }

    private static func words(_ event: SensorEvent) -> String {
        let detail = event.detail.map { ": " + $0 } ?? ""
        let signal = event.rssi.map { ", at \($0) dBm" } ?? ""
        func lasting(_ word: String) -> String { event.lastedMs.map { " \(word) \(SpokenTime.of($0))" } ?? "" }
        switch event.kind {
        case .listening: return "listening" + detail
        case .elsewhere: return "another gateway collects from it" + detail
        case .counterBack: return "its counter went back" + detail
        case .claimed: return "two devices claim to be it" + detail
        case .keyNeeded: return "its packets cannot be read" + detail
        case .heard: return "heard\(signal)"
        case .connecting: return "connecting" + (event.detail.map { " (\($0))" } ?? "")
        case .connectionFailed: return "connecting failed" + (event.reason.map { ": \($0)" } ?? detail)
        case .connected: return "connected"
        case .collecting: return "collecting" + (event.detail.map { ", " + $0 } ?? "")
        case .setUpFailed: return "set-up failed" + detail
        case .linkEnded:
            let reason = event.reason.map { ": \($0)" } ?? ""
            let who = event.endedBy.map { ", \(party($0))" } ?? ""
            let during = event.during.map { ", during \($0)" } ?? ""
            return "link ended\(lasting("after"))\(reason)\(who)\(during)\(detail)\(signal)"
        case .pairing: return "pairing"
        case .paired: return "paired" + detail
        case .pairingFailed: return "pairing failed" + detail
        case .waiting: return "waiting" + (event.waitMs.map { " \(SpokenTime.of($0)) before the next try" } ?? "")
        case .pollFailed: return "a poll failed" + detail
        case .commandRefused: return "a command was refused" + detail
        case .silent:
            let usual = event.usualMs.map { "; one usually comes every \(SpokenTime.of($0))" } ?? ""
            return "no value\(lasting("for"))\(usual)"
        case .speaking: return "values again\(lasting("after"))"
        case .subscriptionLost: return "it had lost a subscription, which was written again" + detail
        case .radioStep: return "something was done about the radio" + detail
        case .radioStepFailed: return "nothing could be done about the radio" + detail
        case .radioBack: return "the radio does its work again\(lasting("after"))" + detail
        case .controllerLost: return "controller not ready" + detail
        case .controllerReady: return "controller ready"
        case .ruleChanged: return "its entry changed"
        case .removed: return "let go" + detail
        case .stopped: return "the gateway is stopping"
        }
    }

    private static func party(_ party: LinkEndReason.Party) -> String {
        switch party {
        case .gateway: "by the gateway"
        case .peer: "by the sensor"
        case .radio: "lost by the radio"
        case .security: "for security"
        case .controller: "by the controller"
        }
    }

    // MARK: Times

    /// Day and time; for an event without wall time, no day, and its age, as far as there is one.
    private static func moment(_ event: SensorEvent, _ now: Int64, _ zone: TimeZone) -> (day: String, time: String) {
        guard let unixMs = event.unixMs else {
            if event.earlierBoot == true { return ("", "earlier") }
            return ("", SpokenTime.of(now.subtractingSaturated(event.uptimeMs)) + " ago")
        }
        return (day(unixMs, zone), clock(unixMs, zone))
    }

    /// ` UTC+01:00`, the zone of the day's times.
    private static func offset(_ event: SensorEvent, _ zone: TimeZone) -> String {
        event.unixMs.map { " " + ZonedTime.offset(of: zone, at: date($0)) } ?? ""
    }

    /// `14:05:33`, after the day if the day differs from the day of `other`.
    private static func time(_ unixMs: Int64, _ zone: TimeZone, besides other: Int64?) -> String {
        let day = day(unixMs, zone)
        return (day == other.map { self.day($0, zone) } ? "" : day + " ") + clock(unixMs, zone)
    }

    private static func day(_ unixMs: Int64, _ zone: TimeZone) -> String {
        date(unixMs).formatted(Date.ISO8601FormatStyle(timeZone: zone).year().month().day())
    }

    private static func clock(_ unixMs: Int64, _ zone: TimeZone) -> String {
        date(unixMs).formatted(Date.ISO8601FormatStyle(timeZone: zone).time(includingFractionalSeconds: false))
    }

    private static func date(_ unixMs: Int64) -> Date { Date(timeIntervalSince1970: Double(unixMs) / 1_000) }
}
