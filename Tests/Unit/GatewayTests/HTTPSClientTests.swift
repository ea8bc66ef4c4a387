// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import GatewayBench
@testable import HTTPClient

@Suite("Requests over HTTPS", .serialized)
struct HTTPSClientTests {
    let shop: CertificateShop
    let server: HTTPSListener

    init() throws {
        shop = try CertificateShop()
        server = try HTTPSListener(shop)
    }

    private func post(
        _ url: String? = nil, caFile: String? = nil, header: String? = nil, timeout: Duration = .seconds(20)
    ) -> HTTPSPost {
        HTTPSPost(
            url: Secret(url ?? server.url), header: header.map { Secret($0) }, body: Array("{\"a\":1}".utf8),
            userAgent: "Martlet/test", caFile: caFile ?? shop.authority, timeout: timeout)
    }

    @Test func `a request has its body, its type and one more header, and is taken`() throws {
        #expect(HTTPSClient().send(post(header: "Authorization: Bearer abc")) == .taken(204))
        let request = try #require(server.requests.first)
        #expect(request.path == "/hook?key=geheim" && request.body == "{\"a\":1}")
        #expect(request.headers["authorization"] == "Bearer abc")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["user-agent"] == "Martlet/test" && request.headers["expect"] == nil)
        #expect(server.requests.count == 1)
    }

    @Test func `a certificate of an unknown authority, or for another name, is no server`() throws {
        let other = try CertificateShop()
        let unknown = HTTPSClient().send(post(caFile: other.authority))
        #expect(unknown.isFailure && unknown.words.contains("certificate"), "\(unknown)")
        let wrong = HTTPSClient().send(post("https://127.0.0.1:\(server.port)/hook"))
        #expect(wrong.isFailure, "\(wrong)")
        #expect(server.requests.isEmpty, "nothing was sent")
    }

    @Test func `a plain address is not used, and a server that is away is a failure without secrets`() throws {
        #expect(HTTPSClient().send(post("http://127.0.0.1:\(server.port)/hook?key=geheim")).isFailure)
        let port = try TestPorts.next()
        let away = HTTPSClient().send(post("https://localhost:\(port)/hook?key=geheim", header: "X-Key: geheim"))
        #expect(away.isFailure && !away.words.contains("geheim") && !away.words.hasSuffix("."), "\(away)")
    }

    @Test func `a server refuses for good what it cannot read, and nothing else`() {
        #expect((200..<600).filter { HTTPSOutcome.refused($0, "").isFinal } == [400, 413, 415, 422])
        for outcome in [HTTPSOutcome.failed(""), .stopped, .taken(400)] { #expect(!outcome.isFinal) }
    }

    @Test func `an error and a redirect are refusals; a redirect is not followed`() {
        server.behave(.fail500)
        let failed = HTTPSClient().send(post())
        #expect(failed == .refused(500, "the server answered with 500") && !failed.isFinal)
        server.behave(.refuse400)
        #expect(HTTPSClient().send(post()).isFinal)
        server.behave(.redirect)
        let words = "the server answered with 307, a redirect to 127.0.0.1:\(server.port), which is not followed"
        #expect(HTTPSClient().send(post()) == .refused(307, words))
        #expect(server.requests.map(\.path).filter { $0 == "/elsewhere" }.isEmpty)
        server.behave(.oddRedirect)
        let odd = HTTPSClient().send(post()).words
        #expect(odd.contains("a redirect to evil?[31m") && odd.contains(".example, which"), "\(odd)")
        #expect(odd.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(odd)")
    }

    @Test func `an answer without an end is read so far that its status is known`() {
        server.behave(.huge)
        #expect(HTTPSClient().send(post()) == .taken(200))
        server.behave(.header)
        #expect(HTTPSClient().send(post()) == .taken(200))
    }

    @Test func `a server that closes or hangs is a failure, and a stop ends the wait`() async {
        server.behave(.close)
        #expect(HTTPSClient().send(post()).isFailure)
        server.behave(.hang)
        let slow = HTTPSClient().send(post(timeout: .milliseconds(300)))
        #expect(slow.isFailure, "\(slow)")
        let client = HTTPSClient()
        let (before, post) = (server.requests.count, post(timeout: .seconds(600)))
        let outcome = Task.detached { client.send(post) }
        #expect(await eventually { server.requests.count > before })
        client.stop()
        #expect(await outcome.value == .stopped)
        #expect(client.send(post) == .stopped)
    }

    /// Resident octets and open descriptors of this process.
    private func use() throws -> (memory: Int, descriptors: Int) {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (
            (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * 4_096,
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        )
    }

    @Test func `many requests leave no memory and no descriptors behind`() throws {
        let count = ProcessInfo.processInfo.environment["MARTLET_REQUESTS"].flatMap { Int($0) } ?? 300
        let client = HTTPSClient()
        for _ in 0..<count / 3 { #expect(client.send(post()) == .taken(204)) }
        let before = try use()
        for _ in 0..<count {
            guard client.send(post()) == .taken(204) else {
                Issue.record("a request was not taken")
                return
            }
        }
        let after = try use()
        print(
            "\(count) requests: \((after.memory - before.memory) >> 10) KiB, \(after.descriptors - before.descriptors) descriptors"
        )
        #expect(after.descriptors <= before.descriptors + 8, "\(before) \(after)")
        #expect(after.memory < before.memory + 16 << 20, "\(before) \(after)")
    }
}

extension HTTPSOutcome {
    var isFailure: Bool { if case .failed = self { true } else { false } }
}
