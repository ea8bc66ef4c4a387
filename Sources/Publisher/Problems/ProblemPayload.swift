// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health
import Readings

/// Writes the messages about the gateway's problems: the list on `…/problems`, a change on `…/event`.
struct ProblemPayload {
    /// Octets of all listed problems. Home Assistant keeps no attributes of more than 16 KiB.
    static let listLimit = 12_288
    /// Characters of a text.
    private static let textLimit = 512

    let gateway: String
    let stamp: TimeStamp

    /// The list. Problems without room are counted as `more`.
    func list(_ news: ProblemNews) -> [UInt8] {
        let now = news.uptimeMs ?? stamp.uptimeMilliseconds
        var items: [UInt8] = []
        var listed = 0
        for problem in news.problems {
            var item = PayloadWriter()
            if listed > 0 { item.literal(",") }
            item.literal("{")
            write(problem, at: now, to: &item)
            item.literal("}")
            guard items.count + item.count <= Self.listLimit else { break }
            items += item.octets
            listed += 1
        }
        var writer = head()
        writer.literal(",\"count\":")
        writer.integer(Int64(news.problems.count { $0.severity > .notice }))
        writer.literal(",\"failures\":")
        writer.integer(Int64(news.problems.count { $0.severity == .failure }))
        writer.literal(",\"notices\":")
        writer.integer(Int64(news.problems.count { $0.severity == .notice }))
        writer.literal(",\"problems\":[")
        writer.append(items)
        writer.literal("]")
        if listed < news.problems.count {
            writer.literal(",\"more\":")
            writer.integer(Int64(news.problems.count - listed))
        }
        end(&writer, at: now)
        return writer.octets
    }

    /// A change.
    func event(_ event: ProblemNews.Event) -> [UInt8] {
        var writer = head()
        writer.literal(",\"event\":\"problem\",\"outcome\":")
        writer.string(event.isGone ? "gone" : "shown")
        writer.literal(",")
        write(event.problem, at: event.uptimeMs, to: &writer)
        if event.isGone {
            writer.literal(",\"lasted_ms\":")
            writer.integer(event.problem.ageMs)
        }
        end(&writer, at: event.uptimeMs)
        return writer.octets
    }

    private func head() -> PayloadWriter {
        var writer = PayloadWriter()
        writer.literal("{\"v\":1,\"gw\":")
        writer.string(gateway)
        return writer
    }

    /// - Parameter uptime: The time of the message's content, in milliseconds since boot.
    private func end(_ writer: inout PayloadWriter, at uptime: Int64) {
        if let time = wallTime(of: uptime) {
            writer.literal(",\"time\":")
            writer.time(time)
        }
        writer.literal(",\"boot\":")
        writer.string(stamp.boot)
        writer.literal(",\"up_ms\":")
        writer.integer(uptime)
        writer.literal("}")
    }

    /// The keys of a problem, without braces.
    private func write(_ problem: Problem, at now: Int64, to writer: inout PayloadWriter) {
        writer.literal("\"code\":")
        writer.string(problem.code.rawValue)
        writer.literal(",\"severity\":")
        writer.string(problem.severity.rawValue)
        writer.literal(",\"part\":")
        writer.string(problem.part)
        if let sensor = problem.sensor {
            writer.literal(",\"sensor\":")
            writer.string(sensor)
        }
        writer.literal(",\"title\":")
        writer.string(String(problem.title.prefix(Self.textLimit)))
        writer.literal(",\"text\":")
        writer.string(String(problem.text.prefix(Self.textLimit)))
        if let remedy = problem.remedy {
            writer.literal(",\"remedy\":")
            writer.string(String(remedy.prefix(Self.textLimit)))
        }
        let since = now.subtractingSaturated(problem.ageMs)
        if let time = wallTime(of: since) {
            writer.literal(",\"since\":")
            writer.time(time)
        }
        writer.literal(",\"since_up_ms\":")
        writer.integer(since)
    }

    /// Milliseconds since 1970; nil while the clock is not to be trusted.
    private func wallTime(of uptime: Int64) -> Int64? {
        stamp.unixMilliseconds.map {
            $0.subtractingSaturated(stamp.uptimeMilliseconds).addingSaturated(uptime)
        }
    }
}
