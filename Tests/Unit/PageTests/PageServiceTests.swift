// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Page

/// Which requests the page answers, before the operations, without a server.
struct PageServiceTests {
    private let scene: OperationsScene
    private let page: PageService

    init() throws {
        scene = try OperationsScene("[page]\nlisten = \"127.0.0.1:1\"\n")
        page = try #require(
            PageService(
                scene.gateway.configuration, of: scene.gateway, extras: PageExtras(), logger: scene.lines.logger))
    }

    private func status(
        _ method: PageRequest.Method, _ path: String, _ headers: [String: String] = [:]
    ) async -> Int {
        let request = PageRequest(
            method: method, path: path, headers: ["host": "127.0.0.1:1"].merging(headers) { $1 })
        let response = await page.respond(to: request)
        if case .events(let feed) = response.body { feed.end() }
        return response.status
    }

    /// The other site reads no answer, but makes the gateway work.
    @Test(arguments: ["/events", "/metrics", "/api/settings", "/api/why", "/api/"])
    func `what costs work is shown to no other site`(path: String) async {
        for site in ["cross-site", "same-site"] {
            #expect(await status(.get, path, ["sec-fetch-site": site]) == 403, "\(site)")
            #expect(await status(.head, path, ["sec-fetch-site": site]) == 403, "\(site)")
        }
        for site in ["same-origin", "none"] {
            #expect(await status(.get, path, ["sec-fetch-site": site]) != 403, "\(site)")
        }
    }

    @Test func `another site may lead to the page itself`() async {
        #expect(await status(.get, "/", ["sec-fetch-site": "cross-site"]) == 200)
    }

    @Test(arguments: ["/login", "/logout", "/api/restart", "/api/buffer-pause", "/nothing"])
    func `another site changes nothing`(path: String) async {
        #expect(await status(.post, path, ["origin": "http://evil.example"]) == 403)
        #expect(await status(.post, path, ["origin": "http://127.0.0.1:1", "sec-fetch-site": "same-site"]) == 403)
    }

    @Test(arguments: ["/", "/login", "/metrics", "/events", "/api/settings"])
    func `under a foreign name there is no page`(path: String) async {
        for method in [PageRequest.Method.get, .head, .post] {
            #expect(await status(method, path, ["host": "evil.example:1"]) == 421)
        }
    }
}
