// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gateway
import Operations
import Platform

/// The page's requests: rows of ``OperationTable``.
struct PageRequests: Sendable {
    private let gateway: GatewayService
    private let news: PageNews
    private let processor: PageProcessor
    /// The most time that a request counts for its work on other threads: the rest is waiting.
    private static let mostOfOne: Duration = .milliseconds(500)

    init(_ gateway: GatewayService, _ extras: PageExtras, _ news: PageNews, _ processor: PageProcessor) {
        (self.gateway, self.news) = (gateway, news)
        self.processor = processor
        let checks = PageChecks(processor)
        gateway.provide(OperationTable.checkConfig) { [weak gateway] given, _ throws(OperationError) in
            let check = try await checks.run { [weak gateway] in
                gateway?.checkConfiguration(given.text, of: given.path, until: $0)
            }
            guard let check else { throw OperationError(.failed, "the gateway is stopping") }
            return check
        }
        gateway.provide(OperationTable.chart) { [weak news] given, _ throws(OperationError) in
            guard let news else { throw OperationError(.failed, "the gateway is stopping") }
            return await news.chart(of: given.sensor, given.range ?? .day)
        }
        guard let window = extras.window else { return }
        gateway.provide(OperationTable.provisionLabel) { _, _ throws(OperationError) in
            OperationFile(type: "image/svg+xml", try await window.label())
        }
    }

    func answer(_ request: PageRequest) async -> PageResponse {
        do {
            switch request.method {
            case .get, .head: return try await shown(request)
            case .post:
                guard request.isJSON else {
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

    /// Answers an operation without effects. Its arguments are the query.
    private func shown(_ request: PageRequest) async throws -> PageResponse {
        guard let row = try Self.row(of: request, Data()), row.effect == .looks,
            row.arguments.allSatisfy(\.isInQuery)
        else { return .refusal(404, "there is nothing here") }
        let call = OperationCall(.page, try JSONEncoder().encode(request.query))
        guard row.form == .file else { return .json(200, try row.encoded(try await gateway.perform(row, call))) }
        return try await counted {
            guard let file = try await gateway.perform(row, call) as? OperationFile else {
                return .refusal(500, "the answer is no file")
            }
            return try PageResponse(row.bounded(file))
        }
    }

    private func done(_ request: PageRequest) async throws -> PageResponse {
        let data = Data(request.body)
        guard let row = try Self.row(of: request, data), row.form == .answer else {
            return .refusal(404, "there is nothing here")
        }
        let steps = StepTelling(of: row, to: news)
        defer { steps.end() }
        let call = OperationCall(.page, data, progress: steps.tell)
        return .json(200, try row.encoded(OperationSuccess(try await gateway.perform(row, call))))
    }

    private static func row(of request: PageRequest, _ data: Data) throws(OperationError) -> OperationRow? {
        guard request.path.hasPrefix(prefix) else { return nil }
        guard let row = try OperationTable.row(String(request.path.dropFirst(prefix.count)), for: .page, data),
            row.callers.contains(.page)
        else { return nil }
        return row
    }

    private static let prefix = "/api/"
}

extension PageResponse {
    fileprivate init(_ file: OperationFile) {
        let name = file.name.map { ("content-disposition", "attachment; filename=\"\($0)\"") }
        self.init(200, file.type, file.octets, headers: name.map { [$0] } ?? [])
    }
}
