// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CCurl

/// Sends requests over HTTPS by libcurl, one at a time, on the thread of the caller.
///
/// The server's certificate is checked, redirects are not followed, and each request has an end: by its time limit, by the size
/// of the answer, or by ``stop()``. Each request has a connection of its own.
package final class HTTPSClient: Sendable {
    /// Octets of an answer's header, and of its body, that are read at most: its status is enough.
    private static let answerLimit = 65_536
    private static let connectTimeout: Duration = .seconds(10)

    private let stopSign: Stop

    private struct Stop: @unchecked Sendable {
        // An atomic of C; freed with the client.
        let pointer: OpaquePointer?
    }

    package init() { stopSign = Stop(pointer: curl_stop_make()) }

    deinit { curl_stop_free(stopSign.pointer) }

    /// Ends a request under way within a second, and all later requests at once. Any thread.
    package func stop() {
        if let pointer = stopSign.pointer { curl_stop_set(pointer) }
    }

    /// Waits for the outcome.
    package func send(_ post: HTTPSPost) -> HTTPSOutcome {
        guard let stop = stopSign.pointer else { return .failed("there is no memory") }
        if let error = curl_open() {
            return .failed("a webhook needs libcurl4: \(String(cString: error))")
        }
        let outcome = outcome(of: post, stop)
        return Self.judge(outcome)
    }

    private func outcome(of post: HTTPSPost, _ stop: OpaquePointer) -> CurlOutcome {
        post.url.revealed.withCString { url in
            Self.withText(post.header?.revealed) { header in
                post.userAgent.withCString { agent in
                    post.contentType.withCString { type in
                        Self.withText(post.caFile) { file in
                            post.body.withUnsafeBytes { body in
                                // An empty body has no address.
                                let start = body.baseAddress ?? UnsafeRawPointer(url)
                                var request = CurlRequest(
                                    url: url, header: header, user_agent: agent, content_type: type, body: start,
                                    count: body.count, ca_file: file,
                                    connect_timeout: Self.milliseconds(min(post.timeout, Self.connectTimeout)),
                                    timeout: Self.milliseconds(post.timeout), limit: Self.answerLimit)
                                return curl_post(&request, stop)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func withText<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        guard let text else { return body(nil) }
        return text.withCString { body($0) }
    }

    private static func milliseconds(_ duration: Duration) -> Int { Int(clamping: max(duration.wholeMilliseconds, 1)) }

    private static func judge(_ outcome: CurlOutcome) -> HTTPSOutcome {
        if outcome.code == CURLE_ABORTED_BY_CALLBACK { return .stopped }
        let status = outcome.status
        // An answer that is longer than the limit has a status all the same.
        let hasAnswer = outcome.code == CURLE_OK || outcome.code == CURLE_WRITE_ERROR
        guard hasAnswer, status >= 200 else {
            return .failed(words(text(of: outcome.error)))
        }
        if status < 300 { return .taken(status) }
        if status < 400 {
            let host = text(of: outcome.redirect)
            return .refused(
                status,
                "the server answered with \(status), a redirect\(host.isEmpty ? "" : " to \(host)"), which is not followed"
            )
        }
        return .refused(status, "the server answered with \(status)")
    }

    /// The library's words without a final stop and without lines.
    private static func words(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.isEmpty ? "there is no answer" : line.hasSuffix(".") ? String(line.dropLast()) : line
    }

    private static func text<Characters>(of tuple: Characters) -> String {
        withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
