// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Logging
import Synchronization
import Testing

@testable import NetworkControl

/// A backend with the test's answers, and a record of its calls.
private final class PlayedBackend: NetworkBackend, @unchecked Sendable {
    // The helper's thread alone calls; the test reads `said`.
    let said = Mutex<[String]>([])
    var joinFailure: NetworkTrouble?
    var trialEnd: ContinuousClock.Instant?
    let takenBack = DispatchSemaphore(value: 0)
    static let uuid = "0b0e7a5e-0000-4000-8000-000000000000"

    private func say(_ words: String) { said.withLock { $0.append(words) } }

    func status() throws(NetworkTrouble) -> NetworkStatus {
        say("status")
        return NetworkStatus(isConnected: true, addresses: ["192.0.2.7"], hasWiFi: true)
    }
    func scan() throws(NetworkTrouble) -> [WirelessNetwork] {
        say("scan")
        return [WirelessNetwork(ssid: "Attic", strength: 70, security: .wpa2, frequency: 2_412, isJoined: false)]
    }
    func setCountry(_ country: String) throws(NetworkTrouble) { say("country \(country)") }
    func join(
        _ settings: WirelessSettings, limit: Duration, whileQuiet connection: Int32, progress: (NetworkStep) -> Void
    ) throws(NetworkTrouble) -> NetworkStatus {
        say("join \(settings.ssid) \(settings.password?.count ?? 0) \(limit.components.seconds)")
        progress(.associate)
        if let joinFailure { throw joinFailure }
        progress(.address)
        trialEnd = .now + limit
        return NetworkStatus(isConnected: true, ssid: settings.ssid, addresses: ["192.0.2.8"], hasWiFi: true)
    }
    func keep() throws(NetworkTrouble) -> String {
        say("keep")
        guard trialEnd != nil else { throw NetworkTrouble(.timedOut, "there is no trial") }
        trialEnd = nil
        return Self.uuid
    }
    func settle(_ kept: String?) throws(NetworkTrouble) -> String? {
        say("settle \(kept ?? "none")")
        return nil
    }
    func revert(_ kept: String?) throws(NetworkTrouble) {
        say("take back \(kept ?? "trial")")
        trialEnd = nil
        takenBack.signal()
    }
}

/// A helper at the other end of a socket pair.
private final class PlayedHelper {
    let backend = PlayedBackend()
    let descriptor: Int32
    private let thread = DispatchSemaphore(value: 0)

    init(patience: Duration = .seconds(60)) throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        descriptor = ends[0]
        let theirs = ends[1]
        let (backend, thread) = (backend, thread)
        Thread.detachNewThread {
            NetworkHelper(backend: backend, patience: patience, log: { _ in }).serve(over: theirs)
            close(theirs)
            thread.signal()
        }
    }

    func send(_ text: String) { LineSocket(descriptor: descriptor, maximumLine: 0).send(Array(text.utf8)) }

    /// The helper's answers from `text` until its end.
    func conversation(_ text: String, andLeave: Bool = true) -> [NetworkAnswer] {
        send(text)
        if andLeave { shutdown(descriptor, Int32(SHUT_WR)) }
        var octets: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(descriptor, &part, part.count, 0)
            guard count > 0 else { break }
            octets += part.prefix(count)
        }
        thread.wait()
        close(descriptor)
        return octets.split(separator: UInt8(ascii: "\n")).map {
            NetworkLine.decode(NetworkAnswer.self, Array($0)) ?? NetworkAnswer(words: "no answer: \($0)")
        }
    }

    var said: [String] { backend.said.withLock { $0 } }
}

@Suite("The helper's end of the socket") struct HelperTests {
    @Test("each request has its answer") func requests() throws {
        let helper = try PlayedHelper()
        let answers = helper.conversation(
            """
            {"verb":"status"}
            {"verb":"scan"}
            {"verb":"country","country":"DE"}
            {"verb":"settle","kept":"\(PlayedBackend.uuid)"}
            {"verb":"settle"}

            """)
        #expect(answers.map(\.failure) == [nil, nil, nil, nil, nil])
        #expect(answers[0].status?.addresses == ["192.0.2.7"])
        #expect(answers[1].networks?.map(\.ssid) == ["Attic"])
        #expect(helper.said == ["status", "scan", "country DE", "settle \(PlayedBackend.uuid)", "settle none"])
    }

    @Test("the end of the connection is the end of a trial") func end() throws {
        let helper = try PlayedHelper()
        let answers = helper.conversation(
            #"{"verb":"join","ssid":"Attic","password":"correct horse","limit":60}"# + "\n")
        #expect(answers.map(\.step) == [.associate, .address, nil])
        #expect(answers.last?.status?.ssid == "Attic")
        #expect(helper.said == ["join Attic 13 60", "take back trial"])
    }

    @Test("a trial whose time is over is taken back, and cannot be kept") func late() throws {
        let helper = try PlayedHelper()
        helper.send(#"{"verb":"join","ssid":"Attic","limit":1}"# + "\n")
        helper.backend.takenBack.wait()
        let answers = helper.conversation(#"{"verb":"keep"}"# + "\n")
        #expect(answers.map(\.step) == [.associate, .address, nil, nil])
        #expect(answers.last?.failure == .timedOut)
        #expect(helper.said == ["join Attic 0 1", "take back trial", "keep"])
    }

    @Test("a failure is told with its words") func failure() throws {
        let helper = try PlayedHelper()
        helper.backend.joinFailure = NetworkTrouble(.wrongPassword, "the access point does not take the password")
        let answers = helper.conversation(#"{"verb":"join","ssid":"Attic","limit":60}"# + "\n")
        #expect(answers.map(\.failure) == [nil, .wrongPassword])
        #expect(answers.last?.words == "the access point does not take the password")
        #expect(helper.said == ["join Attic 0 60"])
    }

    static let hostile = [
        "{}", "[]", "null", "\"status\"", "status", "{\"verb\":\"erase\"}", "{\"verb\":1}", "\u{0}\u{1}\u{2}",
        "{\"verb\":\"status\"",
        #"{"verb":"status","shell":"rm"}"#, #"{"verb":"status","ssid":"A"}"#, #"{"verb":"scan","country":"DE"}"#,
        #"{"verb":"country"}"#, #"{"verb":"country","country":"XX"}"#, #"{"verb":"country","country":"de"}"#,
        #"{"verb":"country","country":"DE\n"}"#, #"{"verb":"country","country":"DE","kept":"x"}"#,
        #"{"verb":"join"}"#, #"{"verb":"join","ssid":"A"}"#, #"{"verb":"join","ssid":"A","limit":0}"#,
        #"{"verb":"join","ssid":"A","limit":601}"#, #"{"verb":"join","ssid":"A","limit":-1}"#,
        #"{"verb":"join","ssid":"A","limit":9223372036854775808}"#, #"{"verb":"join","ssid":7,"limit":5}"#,
        #"{"verb":"join","password":"correct horse","limit":5}"#,
        #"{"verb":"join","ssid":"A","limit":5,"hidden":"no"}"#,
        #"{"verb":"settle","kept":""}"#, #"{"verb":"settle","kept":"../../etc/passwd"}"#,
        #"{"verb":"take-back","kept":"0B0E7A5E-0000-4000-8000-000000000000"}"#,
        String(repeating: "[", count: 2_000),
    ]

    @Test("a line that is no request is answered, does nothing, and leaves the next line alone", arguments: hostile)
    func refused(line: String) throws {
        let helper = try PlayedHelper()
        let answers = helper.conversation(line + "\n" + #"{"verb":"status"}"# + "\n")
        #expect(answers.map(\.failure) == [.notValid, nil])
        #expect(helper.said == ["status"])
    }

    @Test("there are seven requests, and a line has 2 KiB at most") func bounds() throws {
        #expect(NetworkRequest.Verb.allCases.count == 7)
        let request = #"{"verb":"status"}"#
        let blanks = { String(repeating: " ", count: $0 - request.utf8.count) }
        // As long as may be, and an octet longer.
        let (longest, tooLong) = (try PlayedHelper(), try PlayedHelper())
        #expect(longest.conversation(request + blanks(2_048) + "\n").map(\.failure) == [nil])
        #expect(longest.said == ["status"])
        #expect(tooLong.conversation(request + blanks(2_049) + "\n").map(\.failure) == [.notValid])
        #expect(tooLong.said == [])
    }

    @Test("a line without an end is not read for ever") func endless() throws {
        let helper = try PlayedHelper()
        let answers = helper.conversation(String(repeating: "x", count: 100_000))
        #expect(answers.map(\.failure) == [.notValid])
        #expect(helper.said == [])
    }

    @Test("a connection on which nothing is asked ends") func quiet() throws {
        let helper = try PlayedHelper(patience: .milliseconds(50))
        #expect(helper.conversation("", andLeave: false) == [])
    }

    @Test("a refusal does not quote the password") func secrets() throws {
        let helper = try PlayedHelper()
        let answers = helper.conversation(
            #"{"verb":"join","ssid":"A","password":"correct horse","limit":"correct horse"}"# + "\n")
        #expect(answers.count == 1)
        #expect(answers.first?.words?.contains("horse") == false)
    }
}
