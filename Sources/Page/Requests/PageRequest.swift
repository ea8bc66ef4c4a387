// SPDX-License-Identifier: Apache-2.0

import Gateway

/// A request for the page, independent of the server that has read it.
struct PageRequest: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
    }

    var method: Method
    /// Without the query.
    var path: String
    var query: [String: String] = [:]
    /// Names in lower case; the last of several headers with a name counts.
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    /// The sender's address, for the count of wrong passwords.
    var peer = ""

    /// Whether the content type is JSON, with or without parameters.
    var isJSON: Bool {
        let type = headers["content-type"]?.prefix { $0 != ";" }.filter { $0 != " " }
        return type?.lowercased() == "application/json"
    }

    /// Cookies by name.
    var cookies: [String: String] {
        var cookies: [String: String] = [:]
        for part in (headers["cookie"] ?? "").split(separator: ";") {
            guard let equals = part.firstIndex(of: "=") else { continue }
            let name = part[..<equals].drop { $0 == " " }
            cookies[String(name)] = String(part[part.index(after: equals)...])
        }
        return cookies
    }
}

/// The server's answer.
struct PageResponse: Sendable {
    enum Body: Sendable {
        case octets([UInt8])
        /// Server-sent events, until the end of the stream or of the connection.
        case events(EventFeed)
    }

    var status: Int
    var headers: [(name: String, value: String)]
    var body: Body

    init(_ status: Int, _ type: String, _ octets: [UInt8], headers: [(name: String, value: String)] = []) {
        self.status = status
        self.headers = [("content-type", type)] + headers
        body = .octets(octets)
    }

    init(events: EventFeed) {
        status = 200
        // The connection ends with the events, and the header announces this.
        headers = [("content-type", "text/event-stream"), ("connection", "close")]
        body = .events(events)
    }

    static func json(_ status: Int, _ value: some Encodable) -> PageResponse {
        guard let octets = try? ControlCoding.encode(value) else {
            return PageResponse(500, "application/json", Array(#"{"error":"internal error","ok":false}"#.utf8))
        }
        return .json(status, octets)
    }

    /// - Parameter octets: JSON.
    static func json(_ status: Int, _ octets: [UInt8]) -> PageResponse {
        PageResponse(status, "application/json", octets)
    }

    /// Redirects to another path of the page, requested by GET.
    static func elsewhere(_ place: String, headers: [(name: String, value: String)] = []) -> PageResponse {
        PageResponse(303, "text/plain; charset=utf-8", [], headers: [("location", place)] + headers)
    }

    static func refusal(_ status: Int, _ sentence: String) -> PageResponse {
        .json(status, PageRefusal(error: sentence))
    }
}

/// The answer to a refused request.
struct PageRefusal: Encodable {
    var ok = false
    var error: String
}
