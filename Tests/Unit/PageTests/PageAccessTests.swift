// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import Page

/// A mutable value for expectations, which take no mutating call.
private final class Door {
    private var access: PageAccess

    init(_ access: PageAccess) { self.access = access }

    var counted: (peers: Int, known: Int) { access.counted }
    func knows(host: String?) -> Bool { access.knows(host: host) }
    func isOurs(_ request: PageRequest) -> Bool { access.isOurs(request) }
    func isForAnotherSite(_ request: PageRequest) -> Bool { access.isForAnotherSite(request) }
    func isIn(_ request: PageRequest, at now: MonotonicTime) -> Bool { access.isIn(request, at: now) }
    func judge(_ text: String, from peer: String, at now: MonotonicTime) -> PageAccess.Judgement {
        access.judge(text, from: peer, at: now)
    }
    func begin(_ token: String, at now: MonotonicTime) { access.begin(token, at: now) }
    func leave(_ request: PageRequest) { access.leave(request) }
    func admits(_ request: PageRequest, at now: MonotonicTime) -> Bool { access.admits(request, at: now) }
    func judgeProgram(_ request: PageRequest, at now: MonotonicTime) -> PageAccess.Judgement? {
        access.judgeProgram(request, at: now)
    }
    func cookie(_ token: String) -> String { access.cookie(token) }
}

/// The page's visitors and their rights, without a server.
struct PageAccessTests {
    private static let password = "a long password"

    private static func access(password: String? = password, isSecure: Bool = false) -> Door {
        Door(
            PageAccess(
                password: password.map { Secret($0) }, hosts: ["attic", "attic.local", "Gateway.Example.org"],
                isSecure: isSecure))
    }

    private static func post(_ headers: [String: String], peer: String = "192.0.2.1") -> PageRequest {
        PageRequest(method: .post, path: "/api/restart", headers: headers, peer: peer)
    }

    private static func at(_ seconds: Int) -> MonotonicTime { .zero + .seconds(1000 + seconds) }

    @Test(
        arguments: [
            ("127.0.0.1:8080", true), ("localhost", true), ("LOCALHOST:80", true), ("[::1]:8080", true),
            ("192.168.1.7:8443", true), ("attic:8080", true), ("Attic.local", true), ("gateway.example.org", true),
            ("evil.example:8080", false), ("127.0.0.1.evil.example", false), ("[evil.example]", false), ("", false),
            ("attic.evil", false), ("[::1", false), ("1", false), ("0x7f000001", false),
            // The nearest foreign name to each of our names.
            ("attic.", false), ("attic:", false), ("attic:80:80", false), ("x@attic", false), ("atticx", false),
            ("xattic", false), ("attic.locals", false), ("localhost.", false), ("localhostx", false), ("local", false),
            ("xlocalhost", false), ("x.localhost", false),
            ("[::1]evil", false), ("[localhost]", false), ("[127.0.0.1]", false), ("127.0.0.1.", false),
            ("192.168.1.7:", false), ("192.168.1.7@evil.example", false),
        ])
    func `the page answers to its own names and to addresses alone`(host: String, isKnown: Bool) {
        #expect(Self.access().knows(host: host) == isKnown)
        #expect(!Self.access().knows(host: nil))
    }

    @Test(
        arguments: [
            (["origin": "http://127.0.0.1:8080", "sec-fetch-site": "same-origin"], true),
            (["origin": "http://127.0.0.1:8080"], true),
            // What a person has typed or reloaded.
            (["origin": "http://127.0.0.1:8080", "sec-fetch-site": "none"], true), (["sec-fetch-site": "none"], false),
            (["origin": "http://127.0.0.1:8080", "sec-fetch-site": "nonex"], false),
            // A program: no browser leaves both out.
            ([:], true),
            (["origin": "http://evil.example", "sec-fetch-site": "cross-site"], false),
            (["origin": "http://evil.example"], false), (["origin": "null"], false),
            // A proxy with TLS.
            (["origin": "https://127.0.0.1:8080"], true), (["origin": "https://127.0.0.1:8081"], false),
            (["origin": "http://127.0.0.1:8081"], false),
            (["origin": "http://127.0.0.1:8080", "sec-fetch-site": "same-site"], false),
            (["sec-fetch-site": "cross-site"], false), (["sec-fetch-site": "same-origin"], false),
            // Origins that contain ours at the beginning, at the end, or in the middle.
            (["origin": "http://127.0.0.1:8080.evil.example"], false), (["origin": "http://127.0.0.1:80801"], false),
            (["origin": "http://127.0.0.1:8080/"], false), (["origin": "http://127.0.0.1:8080@evil.example"], false),
            (["origin": "http://127.0.0.1:8080 "], false), (["origin": " http://127.0.0.1:8080"], false),
            (["origin": "http://127.0.0.1:808"], false), (["origin": "http://127.0.0.1"], false),
            (["origin": "http://evil.example/http://127.0.0.1:8080"], false),
            (["origin": "xhttp://127.0.0.1:8080"], false),
            (["origin": "HTTP://127.0.0.1:8080"], false), (["origin": "//127.0.0.1:8080"], false),
            (["origin": "127.0.0.1:8080"], false), (["origin": "http://"], false), (["origin": ""], false),
            (["origin": "ftp://127.0.0.1:8080"], false),
            (["origin": "http://127.0.0.1:8080,http://evil.example"], false),
            (["origin": "http://127.0.0.1:8080", "sec-fetch-site": "same-originx"], false),
            (["origin": "http://127.0.0.1:8080", "sec-fetch-site": ""], false),
        ] as [([String: String], Bool)])
    func `a request of another site changes nothing`(headers: [String: String], isOurs: Bool) {
        let request = Self.post(headers.merging(["host": "127.0.0.1:8080"]) { $1 })
        #expect(Self.access().isOurs(request) == isOurs)
        let isOfTLS = headers["origin"]?.hasPrefix("https:") ?? true
        #expect(Self.access(isSecure: true).isOurs(request) == (isOurs && isOfTLS))
    }

    @Test(
        arguments: [
            (nil, false), ("same-origin", false), ("none", false), ("same-site", true), ("cross-site", true),
            ("same-originx", true), ("", true),
        ] as [(String?, Bool)])
    func `a browser says for which site it asks`(site: String?, isForAnother: Bool) {
        var request = PageRequest(method: .get, path: "/api/settings")
        request.headers["sec-fetch-site"] = site
        #expect(Self.access().isForAnotherSite(request) == isForAnother)
    }

    @Test func `an origin is nobody's where the request names no host`() {
        for host in [nil, ""] {
            var headers = ["origin": "http://"]
            headers["host"] = host
            #expect(!Self.access().isOurs(Self.post(headers)))
        }
    }

    @Test func `who gives the password is in, for as long as they come back`() {
        let access = Self.access()
        #expect(access.judge("another password", from: "a", at: Self.at(0)) == .wrong)
        #expect(access.judge(Self.password, from: "a", at: Self.at(0)) == .right)
        access.begin("token", at: Self.at(0))
        var request = Self.post(["cookie": "other=1; martlet=token"])
        #expect(access.admits(request, at: Self.at(12 * 3600 - 1)))
        #expect(access.admits(request, at: Self.at(2 * 12 * 3600 - 2)))
        #expect(!access.isIn(request, at: Self.at(3 * 12 * 3600 - 2)), "twelve hours after the last visit")
        #expect(!access.admits(request, at: Self.at(3 * 12 * 3600 - 2)))
        #expect(!access.admits(request, at: Self.at(0)), "an old session came back")
        request.headers["cookie"] = "martlet="
        #expect(!access.admits(request, at: Self.at(0)))
        access.begin("second", at: Self.at(0))
        request.headers["cookie"] = "martlet=second"
        access.leave(request)
        #expect(!access.admits(request, at: Self.at(1)))
    }

    @Test func `without a password everybody is in, and with one nobody else`() {
        let open = Self.access(password: nil)
        #expect(open.admits(Self.post([:]), at: Self.at(0)))
        let locked = Self.access()
        #expect(!locked.admits(Self.post([:]), at: Self.at(0)))
        #expect(!locked.admits(Self.post(["cookie": "martlet=guess"]), at: Self.at(0)))
    }

    @Test func `wrong passwords cost pauses that grow, to their peer alone`() {
        let access = Self.access()
        var now = 0
        for _ in 0..<5 { #expect(access.judge("wrong", from: "a", at: Self.at(now)) == .wrong) }
        var pauses: [Int] = []
        for _ in 0..<8 {
            guard case .wait(let seconds) = access.judge(Self.password, from: "a", at: Self.at(now)) else {
                Issue.record("no pause")
                return
            }
            pauses.append(seconds)
            now += seconds
            #expect(access.judge("wrong", from: "a", at: Self.at(now)) == .wrong)
        }
        #expect(pauses == [2, 4, 8, 16, 32, 60, 60, 60])
        #expect(access.judge(Self.password, from: "b", at: Self.at(now)) == .right)
        #expect(access.judge(Self.password, from: "a", at: Self.at(now + 60)) == .right)
        #expect(access.judge("wrong", from: "a", at: Self.at(now + 60)) == .wrong)
        #expect(access.judge("wrong", from: "a", at: Self.at(now + 60)) == .wrong, "the count did not begin anew")
    }

    @Test func `addresses of one network are one, also where this machine has many`() {
        let access = Self.access()
        for number in 0..<5 {
            #expect(access.judge("wrong", from: "2001:db8:1:2\(number)::\(number + 1)", at: Self.at(0)) == .wrong)
            #expect(access.judge("wrong", from: "127.0.\(number).1", at: Self.at(0)) == .wrong)
        }
        #expect(access.judge(Self.password, from: "2001:db8:1:2f:ffff::9", at: Self.at(0)) == .wait(seconds: 2))
        #expect(access.judge(Self.password, from: "127.9.9.9", at: Self.at(0)) == .wait(seconds: 2))
        #expect(access.judge(Self.password, from: "2001:db8:1:100::1", at: Self.at(0)) == .right)
        #expect(access.judge(Self.password, from: "fe80::1%eth0", at: Self.at(0)) == .right)
    }

    @Test func `guesses from everywhere keep out neither who is in nor who has been`() {
        let access = Self.access()
        #expect(access.judge(Self.password, from: "192.0.2.1", at: Self.at(0)) == .right)
        access.begin("token", at: Self.at(0))
        for number in 0..<1_000 {
            _ = access.judge("guess", from: "198.51.\(number / 250).\(number % 250)", at: Self.at(1))
        }
        guard case .wait = access.judge(Self.password, from: "203.0.113.1", at: Self.at(1)) else {
            Issue.record("the guesses have no end")
            return
        }
        let request = Self.post(["cookie": "martlet=token"])
        #expect(access.admits(request, at: Self.at(1)) && access.judgeProgram(request, at: Self.at(1)) == .right)
        #expect(access.judge(Self.password, from: "192.0.2.1", at: Self.at(1)) == .right)
        #expect(access.judge(Self.password, from: "203.0.113.1", at: Self.at(3)) == .right, "the next one is looked at")
    }

    @Test func `sessions and counted peers are bounded`() {
        let access = Self.access()
        for number in 0..<100 { access.begin("t\(number)", at: Self.at(number)) }
        #expect(!access.admits(Self.post(["cookie": "martlet=t67"]), at: Self.at(100)))
        #expect(access.admits(Self.post(["cookie": "martlet=t68"]), at: Self.at(100)))
        for peer in 0..<2_000 { _ = access.judge("wrong", from: "p\(peer)", at: Self.at(peer)) }
        #expect(access.counted.peers <= PasswordTries.maximumPeers && access.counted.known == 0)
    }

    @Test func `programs give the password with each request`() {
        let access = Self.access()
        func basic(_ text: String) -> PageRequest {
            Self.post(["authorization": "Basic \(text)"], peer: "192.0.2.9")
        }
        // user:a long password, then user:wrong.
        let (right, wrong) = (basic("dXNlcjphIGxvbmcgcGFzc3dvcmQ="), basic("dXNlcjp3cm9uZw=="))
        #expect(access.judgeProgram(right, at: Self.at(0)) == .right)
        #expect(access.judgeProgram(wrong, at: Self.at(0)) == .wrong)
        #expect(access.judgeProgram(basic("%%%"), at: Self.at(0)) == nil)
        #expect(access.judgeProgram(basic("YQ=="), at: Self.at(0)) == nil)
        #expect(access.judgeProgram(Self.post([:]), at: Self.at(0)) == nil)
        for _ in 0..<4 { #expect(access.judgeProgram(wrong, at: Self.at(0)) == .wrong) }
        #expect(access.judgeProgram(right, at: Self.at(0)) == .wait(seconds: 2))
        let person = access.judge("a long password", from: "192.0.2.9", at: Self.at(0))
        #expect(person == .right, "who logs in is not held up")
        #expect(access.judgeProgram(right, at: Self.at(1)) == .wait(seconds: 1), "nor is the program let go by that")
        #expect(access.judgeProgram(right, at: Self.at(2)) == .right)
    }

    @Test func `cookies are for this site alone, and with TLS for nothing else`() {
        #expect(Self.access().cookie("x") == "martlet=x; Path=/; HttpOnly; SameSite=Strict")
        #expect(
            Self.access(isSecure: true).cookie("x") == "__Host-martlet=x; Path=/; HttpOnly; SameSite=Strict; Secure")
    }

    @Test func `a token reads the metrics, and is neither the password nor a session`() {
        let token = "0123456789abcdef"
        let door = Door(
            PageAccess(
                password: Secret(Self.password), metricsToken: Secret(token), hosts: ["attic"], isSecure: true))
        func program(_ header: String?) -> PageRequest {
            PageRequest(
                method: .get, path: "/metrics", headers: header.map { ["authorization": $0] } ?? [:],
                peer: "192.0.2.1")
        }
        let now = Self.at(0)
        #expect(door.judgeProgram(program("Bearer " + token), at: now) == .right)
        #expect(door.judgeProgram(program("bearer " + token), at: now) == .right)
        #expect(door.judgeProgram(program(nil), at: now) == nil)
        #expect(!door.admits(program("Bearer " + token), at: now))
        #expect(door.judge(token, from: "192.0.2.1", at: now) == .wrong)
        let password = Data("x:\(token)".utf8).base64EncodedString()
        #expect(door.judgeProgram(program("Basic " + password), at: now) == .wrong)
        #expect(door.judgeProgram(program("Bearer " + Self.password), at: now) == .wrong)
        let without = Door(PageAccess(password: Secret(Self.password), hosts: ["attic"], isSecure: true))
        #expect(without.judgeProgram(program("Bearer "), at: now) == .wrong)
        #expect(without.judgeProgram(program("Bearer " + Self.password), at: now) == .wrong)
    }

    @Test func `wrong tokens are held up as wrong passwords of programs are`() {
        let door = Door(
            PageAccess(
                password: Secret(Self.password), metricsToken: Secret("0123456789abcdef"), hosts: ["attic"],
                isSecure: true))
        let request = PageRequest(
            method: .get, path: "/metrics", headers: ["authorization": "Bearer wrong"], peer: "192.0.2.1")
        let judgements = (0..<8).map { _ in door.judgeProgram(request, at: Self.at(0)) }
        #expect(judgements.first == .wrong)
        if case .wait = judgements.last {} else { Issue.record("\(judgements)") }
    }
}
