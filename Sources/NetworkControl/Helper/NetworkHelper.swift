// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The other end of ``NetworkHelperClient``: a process that lives as long as a connection, and may talk to
/// NetworkManager. The gateway, which hears the whole neighbourhood, may not.
///
/// The end of the connection is the end of a trial: the former network comes back at once.
package struct NetworkHelper {
    private let backend: any NetworkBackend
    private let log: (String) -> Void
    /// How long a connection may stay without a request.
    private let patience: Duration

    init(backend: any NetworkBackend, patience: Duration = .seconds(10), log: @escaping (String) -> Void) {
        self.backend = backend
        self.patience = patience
        self.log = log
    }

    /// The helper for the system's NetworkManager.
    ///
    /// - Parameters:
    ///   - environment: `RUNTIME_DIRECTORY` and `MARTLET_WIFI_COUNTRY`, as the unit sets them.
    ///   - log: Takes a line without secrets.
    package init(environment: [String: String], log: @escaping (String) -> Void) {
        let folder = environment["RUNTIME_DIRECTORY"]
        let country = RadioCountry(
            file: environment[RadioCountry.variable], result: folder.map { "\($0)/country" })
        self.init(backend: NetworkManagerBus(country: country, folder: folder, log: log), log: log)
    }

    /// Answers the requests of a connection, until its end.
    package func serve(over connection: Int32) {
        let socket = LineSocket(descriptor: connection, maximumLine: NetworkRequest.maximumLine)
        while true {
            switch socket.receive(until: backend.trialEnd ?? ContinuousClock.now + patience) {
            case .line(let line):
                guard answer(line, over: socket) else {
                    revert("the client has gone")
                    return
                }
            case .end:
                revert("the client has gone")
                return
            case .tooLong:
                revert("a line is too long")
                say(NetworkAnswer(NetworkTrouble(.notValid, "a line is too long")), over: socket)
                return
            case .late:
                guard backend.trialEnd != nil else { return }
                revert("the time is over")
            }
        }
    }

    private func revert(_ why: String) {
        guard backend.trialEnd != nil else { return }
        log("the network on trial is taken back: \(why)")
        do { try backend.revert(nil) } catch { log(error.words) }
    }

    /// False when the answer cannot be sent.
    private func answer(_ line: [UInt8], over socket: LineSocket) -> Bool {
        guard let request = NetworkLine.decode(NetworkRequest.self, line) else {
            return say(NetworkAnswer(NetworkTrouble(.notValid, "a line is no request")), over: socket)
        }
        if let complaint = request.complaint {
            return say(NetworkAnswer(NetworkTrouble(.notValid, complaint)), over: socket)
        }
        do throws(NetworkTrouble) {
            return say(try answer(request, over: socket), over: socket)
        } catch {
            log("\(request.verb.rawValue): \(error.words)")
            return say(NetworkAnswer(error), over: socket)
        }
    }

    private func answer(_ request: NetworkRequest, over socket: LineSocket) throws(NetworkTrouble) -> NetworkAnswer {
        switch request.verb {
        case .status:
            return NetworkAnswer(status: try backend.status())
        case .scan:
            return NetworkAnswer(networks: try backend.scan())
        case .country:
            try backend.setCountry(request.country ?? "")
            return NetworkAnswer()
        case .join:
            guard let settings = request.settings, let limit = request.limit else {
                throw NetworkTrouble(.notValid, "join: ssid and limit belong to it")
            }
            guard !socket.hasBuffered else { throw NetworkTrouble(.notValid, "join: a line came right behind it") }
            let status = try backend.join(
                settings, limit: .seconds(limit), whileQuiet: socket.descriptor,
                progress: { say(NetworkAnswer(step: $0), over: socket) })
            return NetworkAnswer(status: status)
        case .keep:
            return NetworkAnswer(kept: try backend.keep())
        case .settle:
            return NetworkAnswer(words: try backend.settle(request.kept))
        case .revert:
            try backend.revert(request.kept)
            return NetworkAnswer()
        }
    }

    @discardableResult private func say(_ answer: NetworkAnswer, over socket: LineSocket) -> Bool {
        guard let octets = NetworkLine.encode(answer) else { return false }
        return socket.send(octets)
    }
}
