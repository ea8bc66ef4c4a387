// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Operations
@testable import Page

/// The page carries out the operations of the table that are the page's own, each by its method.
struct PageRequestsTests {
    private let scene: OperationsScene
    private let requests: PageRequests

    init() throws {
        scene = try OperationsScene()
        let news = PageNews(scene.gateway, PageExtras()) { _ in true }
        requests = PageRequests(scene.gateway, PageExtras(), news, PageProcessor())
    }

    private func status(_ method: PageRequest.Method, _ row: OperationRow) async -> Int {
        var request = PageRequest(method: method, path: "/api/" + row.name.rawValue)
        request.headers["content-type"] = "application/json"
        if method == .post { request.body = Array("{}".utf8) }
        return await requests.answer(request).status
    }

    /// Another site can make a browser send GET.
    @Test(arguments: [PageRequest.Method.get, .head])
    func `a request without a body carries out no operation that changes something`(
        method: PageRequest.Method
    ) async throws {
        let changing = OperationTable.rows.filter { $0.effect > .looks }
        #expect(changing.contains { $0.name == .restart } && changing.contains { $0.name == .factoryReset })
        for row in changing { #expect(await status(method, row) == 404, "\(row.name)") }
    }

    @Test(arguments: [PageRequest.Method.get, .post])
    func `operations that are not the page's are unknown to it`(method: PageRequest.Method) async throws {
        let others = OperationTable.rows.filter { !$0.callers.contains(.page) || $0.form == .dialogue }
        #expect(!others.isEmpty)
        for row in others { #expect(await status(method, row) == 404, "\(row.name)") }
        let looks = OperationTable.rows.first { $0.name == .settings }
        #expect(await status(.get, try #require(looks)) == 200)
    }

    @Test(arguments: [0, 1])
    func `a file is no longer than its row allows`(excess: Int) async throws {
        let length = OperationTable.provisionLabel.row.bounds.result + excess
        let window = PageExtras.Window(state: { .init(open: false, secondsLeft: nil) }) { () throws(OperationError) in
            [UInt8](repeating: UInt8(ascii: "x"), count: length)
        }
        let extras = PageExtras(window: window)
        let page = PageRequests(scene.gateway, extras, PageNews(scene.gateway, extras) { _ in true }, PageProcessor())
        let answer = await page.answer(PageRequest(method: .get, path: "/api/" + OperationName.provisionLabel.rawValue))
        #expect(answer.status == (excess == 0 ? 200 : 500))
    }

    /// A form of another site can send three types of text without the browser's question, and JSON is none of them.
    @Test(
        arguments: [
            ("application/json", 200), ("Application/JSON", 200), ("application/json; charset=utf-8", 200),
            ("application/json ;charset=utf-8", 200), (nil, 415), ("", 415), ("text/plain", 415), ("text/json", 415),
            ("text/plain; application/json", 415), ("application/jsonp", 415), ("application/json-seq", 415),
            ("application/jso", 415), ("xapplication/json", 415), ("application/x-www-form-urlencoded", 415),
            ("multipart/form-data; boundary=application/json", 415), ("application/json, text/plain", 415),
        ] as [(String?, Int)])
    func `changes are asked for as JSON alone`(type: String?, status: Int) async throws {
        var request = PageRequest(method: .post, path: "/api/buffer-resume", body: Array("{}".utf8))
        request.headers["content-type"] = type
        #expect(await requests.answer(request).status == status)
    }

    @Test func `a header that could be read in two ways is refused`() {
        for name in ["host", "content-length", "transfer-encoding", "origin", "sec-fetch-site"] {
            #expect(!PageExchange.isAmbiguous(["accept", name]), "\(name)")
            #expect(PageExchange.isAmbiguous([name, "accept", name]), "\(name)")
        }
        #expect(!PageExchange.isAmbiguous(["host", "accept", "accept", "cookie"]))
        #expect(PageExchange.isAmbiguous(["content-length", "transfer-encoding"]))
        for name in ["origin ", "ori gin", "origin\u{7F}", "örigin"] {
            #expect(PageExchange.isAmbiguous([name]), "\(name)")
        }
    }
}
