// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Looks for primary services in one way after the other, until one of them comes to something. There are servers that
/// refuse one request and carry out another, and servers whose answers to one are of no use.
///
/// The ways are Find By Type Value where UUIDs are wanted, Read By Group Type, and Read By Type.
struct ServicesSearch: GATTProcedure {
    private let wanted: [BluetoothUUID]?
    /// The ways that are left; the first one is under way.
    private var ways: [any GATTProcedure]
    /// The lack of security that closed a way, else the reason why the first way failed.
    private var failure: GATTError?
    /// The services that a way has found, when not all wanted services were found.
    private var best: [RemoteService] = []
    private var noted = GATTOddities()
    /// An earlier way came to nothing.
    private var isLater = false

    /// `wanted`: nil for all services. `omitted`: searches left out on this link.
    init(_ wanted: [BluetoothUUID]?, without omitted: Set<OwnProcedure> = []) {
        self.wanted = wanted
        ways = [AllServicesDiscovery(), DeclaredServicesDiscovery()]
        guard !omitted.contains(.serviceSearch), let wanted else { return }
        if let first = ServicesByUUIDDiscovery(wanted) { ways.insert(first, at: 0) }
    }

    var ownProcedure: OwnProcedure? { ways.first is ServicesByUUIDDiscovery ? .serviceSearch : nil }

    var oddities: GATTOddities {
        var all = noted
        for oddity in ways.first?.oddities.first ?? [] { all.record(oddity) }
        return all
    }

    mutating func next(mtu: Int) -> ATTPDU {
        guard !ways.isEmpty else { return .readRequest(handle: 1) }
        return ways[0].next(mtu: mtu)
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep { advance { $0.received(response, mtu: mtu) } }
    mutating func refused(_ error: ATTErrorCode) -> GATTStep { advance { $0.refused(error) } }
    mutating func receivedMalformed() -> GATTStep { advance { $0.receivedMalformed() } }

    private mutating func advance(_ body: (inout any GATTProcedure) -> GATTStep) -> GATTStep {
        guard !ways.isEmpty else { return .failed(.malformed) }
        switch body(&ways[0]) {
        case .failed(let error):
            let code: ATTErrorCode? = if case .refused(let code) = error { code } else { nil }
            return nextWay(error, GATTOddity(.service, .otherWay(code), at: 1))
        case .finished(.services(let found)):
            let hits = wanted.map { wanted in found.filter { wanted.contains($0.uuid) } } ?? found
            let lacks = hits.isEmpty || wanted?.contains { uuid in !hits.contains { $0.uuid == uuid } } == true
            let isOdd = ways.first?.oddities.isEmpty == false
            // Every server has services: one that denies it after an earlier way has failed does not know the request.
            guard lacks && isOdd || isLater && found.isEmpty else {
                return .finished(.services(hits.isEmpty ? best : hits))
            }
            best = hits.isEmpty ? best : hits
            for oddity in ways.first?.oddities.first ?? [] { noted.record(oddity) }
            return nextWay(nil, nil)
        case let step: return step
        }
    }

    private mutating func nextWay(_ error: GATTError?, _ oddity: GATTOddity?) -> GATTStep {
        // A lack of security is the reason that somebody can mend, whichever way it closed.
        if failure == nil || Self.isOfSecurity(error) && !Self.isOfSecurity(failure) { failure = error ?? failure }
        isLater = true
        ways.removeFirst()
        guard ways.isEmpty else {
            if let oddity { noted.record(oddity) }
            return .proceed
        }
        guard best.isEmpty, let failure else { return .finished(.services(best)) }
        // The error says it all.
        noted = GATTOddities()
        return .failed(failure)
    }

    private static func isOfSecurity(_ error: GATTError?) -> Bool {
        if case .refused(let code) = error { code.isOfSecurity } else { false }
    }
}
