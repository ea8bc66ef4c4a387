// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gateway
import Operations
import Platform

/// The page's requests: rows of ``OperationTable``, and further requests of the page.
struct PageRequests: Sendable {
    private let gateway: GatewayService
    private let extras: PageExtras
    private let news: PageNews
    private let processor: PageProcessor
    /// The most time that a request counts for its work on other threads: the rest is waiting.
    private static let mostOfOne: Duration = .milliseconds(500)

    init(_ gateway: GatewayService, _ extras: PageExtras, _ news: PageNews, _ processor: PageProcessor) {
        (self.gateway, self.extras, self.news) = (gateway, extras, news)
        self.processor = processor
        let checks = PageChecks(processor)
        gateway.provide(.checkConfig) { [weak gateway] call throws(OperationError) in
            guard let gateway else { throw OperationError(.failed, "the gateway is stopping") }
            let given = try call.arguments(Check.self, of: .checkConfig)
            return try await checks.run { [weak gateway] in
                gateway?.checkConfiguration(given.text, of: given.path, until: $0)
            }
        }
    }

    private struct Check: Decodable {
        var text: String
        var path: String?
    }

    func answer(_ request: PageRequest) async -> PageResponse {
        do {
            switch request.method {
            case .get, .head: return try await shown(request)
            case .post:
                guard request.headers["content-type"]?.hasPrefix("application/json") == true else {
                    return .refusal(415, "this takes JSON (application/json)")
                }
                return try await counted { try await done(request) }
            }
        } catch let error as OperationError {
            return .refusal(Self.status(of: error.kind), error.description)
        } catch {
            return .refusal(500, "it could not be done")
        }
    }

    /// Runs work done by the gateway's other threads. Its whole duration counts, which is at least the processor time.
    private func counted(_ work: () async throws -> PageResponse) async throws -> PageResponse {
        let began = ContinuousClock.now
        let result: Result<PageResponse, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        let rest = processor.use(min(ContinuousClock.now - began, Self.mostOfOne))
        if rest > .zero { await Waiting.pause(for: rest) }
        return try result.get()
    }

    private static func status(of kind: OperationError.Kind) -> Int {
        switch kind {
        case .notValid: 422
        case .notFound: 404
        case .busy: 409
        case .refused: 403
        case .failed: 500
        }
    }

    // MARK: - Requests beside the operations

    private func shown(_ request: PageRequest) async throws -> PageResponse {
        switch request.path {
        case "/api/history":
            guard let range = ChartRange(rawValue: request.query["range"] ?? ChartRange.day.rawValue) else {
                let ranges = ChartRange.allCases.map(\.rawValue).joined(separator: ", ")
                return .refusal(422, "unknown range: \(ranges) are known")
            }
            return .json(200, await news.chart(of: request.query["sensor"] ?? "", range))
        case "/api/support":
            return try await counted {
                PageResponse(
                    200, "text/plain; charset=utf-8", Array(await gateway.supportText().utf8),
                    headers: [("content-disposition", #"attachment; filename="martlet-support.txt""#)])
            }
        case "/api/label":
            guard let window = extras.window else { return .refusal(404, "phones cannot set this gateway up") }
            return PageResponse(200, "image/svg+xml", try await window.label())
        default:
            guard let row = try Self.row(of: request, Data()), row.effect == .looks,
                row.arguments.allSatisfy({ $0.name == "sensor" })
            else { return .refusal(404, "there is nothing here") }
            let arguments = try JSONEncoder().encode(request.query)
            let result = try await gateway.perform(row, OperationCall(.page, arguments))
            return .json(200, try row.encoded(result))
        }
    }

    // MARK: - The operations

    private func done(_ request: PageRequest) async throws -> PageResponse {
        let data = Data(request.body)
        guard let row = try Self.row(of: request, data) else { return .refusal(404, "there is nothing here") }
        return .json(200, try row.encoded(OperationSuccess(try await gateway.perform(row, OperationCall(.page, data)))))
    }

    private static func row(of request: PageRequest, _ data: Data) throws(OperationError) -> OperationRow? {
        guard request.path.hasPrefix(prefix) else { return nil }
        guard let row = try OperationTable.row(String(request.path.dropFirst(prefix.count)), for: .page, data),
            row.callers.contains(.page), row.form == .answer
        else { return nil }
        return row
    }

    private static let prefix = "/api/"
}
