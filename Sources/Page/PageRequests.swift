// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Foundation
import Gateway
import Publisher

/// What the page asks for, and what it has done, by ``GatewayOperations``: nothing here knows more than other clients.
struct PageRequests: Sendable {
    private let gateway: GatewayService
    private let operations: any GatewayOperations & BufferOperations
    private let extras: PageExtras
    private let news: PageNews
    private let checks: PageChecks
    private let processor: PageProcessor
    /// What one request counts for at most where others work for it: the rest is waiting.
    private static let mostOfOne: Duration = .milliseconds(500)

    init(_ gateway: GatewayService, _ extras: PageExtras, _ news: PageNews, _ processor: PageProcessor) {
        (self.gateway, self.extras, self.news) = (gateway, extras, news)
        self.processor = processor
        checks = PageChecks(processor)
        operations = gateway.operations
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
        } catch let error as BrokerProofFailure {
            return .refusal(422, error.text)
        } catch is DecodingError {
            return .refusal(400, "the request's JSON is not what is asked for here")
        } catch {
            return .refusal(500, "it could not be done")
        }
    }

    /// Does what the gateway's other threads work for. It counts as the time that it takes, which is no less than what they use.
    private func counted(_ work: () async throws -> PageResponse) async throws -> PageResponse {
        let began = ContinuousClock.now
        let result: Result<PageResponse, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        let rest = processor.use(min(ContinuousClock.now - began, Self.mostOfOne))
        if rest > .zero { try? await Task.sleep(for: rest) }
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

    // MARK: - What is shown

    private func shown(_ request: PageRequest) async throws -> PageResponse {
        switch request.path {
        case "/api/history": return .json(200, await news.charts.chart(of: request.query["sensor"] ?? ""))
        case "/api/why": return .json(200, try await operations.explain(request.query["sensor"] ?? ""))
        case "/api/bonds": return .json(200, await operations.bonds())
        case "/api/settings": return .json(200, await operations.settings())
        case "/api/configuration": return .json(200, await gateway.shownConfiguration())
        case "/api/support":
            return try await counted {
                PageResponse(
                    200, "text/plain; charset=utf-8", Array(await gateway.supportText().utf8),
                    headers: [("content-disposition", #"attachment; filename="martlet-support.txt""#)])
            }
        case "/api/label":
            guard let window = extras.window else { return .refusal(404, "phones cannot set this gateway up") }
            return PageResponse(200, "image/svg+xml", try await window.label())
        default: return .refusal(404, "there is nothing here")
        }
    }

    // MARK: - What is done

    private struct Body: Decodable {
        var action: UpdateAction?
        var address: String?
        var id: String?
        var passkey: String?
        var sensor: String?
        var quantity: String?
        var key: String?
        var device: String?
        var mode: String?
        var text: String?
        var open: Bool?
    }

    private func done(_ request: PageRequest) async throws -> PageResponse {
        if request.path.hasPrefix("/api/settings/") { return try await settings(request) }
        let body = try ControlCoding.decode(Body.self, from: request.body)
        switch request.path {
        case "/api/accept":
            let acceptance = SensorAcceptance(
                address: body.address ?? "", id: body.id, passkey: body.passkey.map { Secret($0) })
            return .success(try await operations.accept(acceptance))
        case "/api/forget":
            if let quantity = body.quantity {
                try await operations.forget(quantity, of: body.sensor ?? "")
            } else {
                try await operations.forget(body.sensor ?? "")
            }
            return .success(body.sensor ?? "")
        case "/api/key":
            try await operations.setBindKey(Secret(body.key ?? ""), of: body.sensor ?? "")
            return .success(body.sensor ?? "")
        case "/api/trust":
            return .success(try await operations.trust(body.sensor ?? "", body.address))
        case "/api/unpair": return .success(try await operations.unpair(body.device ?? ""))
        case "/api/history":
            guard let mode = body.mode.flatMap({ HistoryMode(rawValue: $0) }) else {
                throw OperationError(.notValid, #""mode" is "normal", "paused" or "draining""#)
            }
            return .success(await operations.setHistory(mode))
        case "/api/check":
            let text = body.text ?? ""
            return .success(try await checks.run { [gateway] in gateway.checkConfiguration(text, until: $0) })
        case "/api/window":
            guard let window = extras.window else {
                throw OperationError(.notFound, "phones cannot set this gateway up")
            }
            await window.setOpen(body.open == true)
            return .success(await window.state())
        case "/api/update":
            guard let action = body.action else {
                throw OperationError(.notValid, #""action" is "check" or "install""#)
            }
            try gateway.update(action)
            return .success(gateway.imageUpdate)
        case "/api/restart":
            guard let restart = gateway.restart else { throw OperationError(.refused, "nobody would start it again") }
            Task {
                // So that the answer goes first.
                try? await Task.sleep(for: .milliseconds(300))
                restart()
            }
            return .success("restarting")
        default: return .refusal(404, "there is nothing here")
        }
    }

    // MARK: - Settings

    private struct Settings: Decodable {
        var name: String?
        var host: String?
        var port: Int?
        var username: String?
        var password: String?
        var usesTls: Bool?

        /// Empty text takes a value away.
        var change: ConfigurationChange {
            var change = ConfigurationChange()
            func set(_ path: [String], _ text: String?) {
                if let text { change.values[path] = .some(text.isEmpty ? nil : .text(text)) }
            }
            set(["gateway", "name"], name)
            set(["mqtt", "host"], host)
            set(["mqtt", "username"], username)
            if let port { change.values[["mqtt", "port"]] = .some(.integer(port)) }
            if let password {
                change.values[["mqtt", "password"]] = .some(password.isEmpty ? nil : .secret(Secret(password)))
            }
            if let usesTls { change.values[["mqtt", "tls", "enabled"]] = .some(.flag(usesTls)) }
            return change
        }
    }

    private struct Effect: Codable {
        var effect: ConfigurationEffect
    }

    /// How long the broker may take to prove itself.
    private static let proofLimit: Duration = .seconds(45)

    private func settings(_ request: PageRequest) async throws -> PageResponse {
        switch request.path {
        case "/api/settings/check":
            let change = try ControlCoding.decode(Settings.self, from: request.body).change
            return .success(Effect(effect: try await operations.check(change)))
        case "/api/settings/apply":
            let change = try ControlCoding.decode(Settings.self, from: request.body).change
            let effect = try await operations.check(change)
            try await operations.tryOut(change)
            do {
                if effect >= .reconnect { try await operations.proveBroker(within: Self.proofLimit) { _ in } }
                try await operations.keep(network: nil)
            } catch {
                await operations.takeBack()
                throw error
            }
            return .success(Effect(effect: effect))
        case "/api/settings/undo":
            _ = try await operations.undo()
            return .success("undone")
        default: return .refusal(404, "there is nothing here")
        }
    }
}
