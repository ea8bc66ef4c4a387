// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// The knowledge of one link about the server's database, and whether the link may trust it.
///
/// The hash is read before the discovery. If the database changes in between, the next link sees another hash. A hash
/// read after the discovery would cover old handles.
struct GATTLinkCache: Sendable {
    enum Phase: Equatable {
        /// Nothing is kept.
        case off
        /// The hash has to be read before something is learnt.
        case unread
        /// Known entries have to be compared with the server's hash before use.
        case unconfirmed
        /// Known entries are right, as far as the server has announced changes.
        case current
    }

    /// One reference to the whole cache: links are copied for each value, caches are read rarely.
    private indirect enum Box {
        case of(GATTClientCache)
    }

    private(set) var phase: Phase
    private var box = Box.of(GATTClientCache())
    private(set) var known: GATTClientCache {
        get {
            switch box {
            case .of(let cache): cache
            }
        }
        set { box = .of(newValue) }
    }
    /// The client is bonded: the server announces all changes, also changes between links.
    private let isBonded: Bool
    /// The cache has entries of an earlier link.
    private(set) var isRestored: Bool
    /// Indications of Service Changed are on.
    private(set) var isWatching: Bool
    /// Clients have handles that have to be taken back if the hash is another.
    private var isSuspect = false
    /// Grows with each change that the server announces.
    private(set) var changes = 0
    /// Hashes in a row that were out of date when they came.
    private var overtaken = 0
    private static let overtakenLimit = 3
    /// ``known`` differs from the cache handed out last.
    private var isModified = false
    /// Something of this peer is kept outside.
    private var isStored: Bool

    static let off = GATTLinkCache()

    private init() {
        phase = .off
        (isBonded, isRestored, isWatching, isStored) = (false, false, false, false)
    }

    /// `cache`: of an earlier link.
    init(_ cache: GATTClientCache?, isBonded: Bool) {
        self.isBonded = isBonded
        isStored = cache != nil
        (phase, isRestored, isWatching) = (.unread, false, false)
        if let cache, isBonded, cache.isWatched || cache.hasNoServiceChanged {
            // Core 5.4, Vol 3, Part G, 2.5.2: bonded, and sure to be told of changes.
            (phase, known, isRestored, isWatching) = (.current, cache, true, cache.isWatched)
        } else if var cache, cache.databaseHash != nil {
            // The bond is gone, and the subscription with it: a later bond must not rely on the subscription.
            isModified = cache.isWatched && !isBonded
            if isModified { cache.isWatched = false }
            (phase, known, isRestored) = (.unconfirmed, cache, true)
        }
    }

    func needsHash(before request: GATTRequest?) -> Bool {
        switch phase {
        case .off, .current: false
        case .unread: request?.learnsDatabase ?? false
        case .unconfirmed: true
        }
    }

    /// Takes the server's hash; nil if the server has none. True if clients have handles that are void now.
    mutating func confirm(hash: [UInt8]?, changesBefore: Int) -> Bool {
        // The hash may be of before a change.
        guard changes == changesBefore else {
            overtaken += 1
            // A server that reports changes all the time has no database worth keeping.
            if overtaken >= Self.overtakenLimit { (phase, known) = (.current, GATTClientCache()) }
            return false
        }
        defer { (phase, isSuspect, overtaken) = (.current, false, 0) }
        switch phase {
        case .off, .current: return false
        case .unread:
            known.databaseHash = hash
            isModified = true
            return false
        case .unconfirmed:
            guard hash == nil || hash != known.databaseHash else { return false }
            forget()
            known.databaseHash = hash
            return isSuspect
        }
    }

    /// The server says that the client does not know its database: error 0x12.
    mutating func doubt() {
        guard phase != .off else { return }
        (phase, isSuspect) = (.unconfirmed, true)
    }

    /// Makes the known entries void.
    mutating func discard() {
        guard phase != .off else { return }
        forget()
        phase = .unread
    }

    /// The server has announced a change of these handles.
    mutating func changed(_ handles: ATTPDU.HandleRange) {
        guard phase != .off else { return }
        changes += 1
        isModified = true
        if phase == .unconfirmed { known = GATTClientCache() } else { known.drop(handles) }
        // Service Changed itself may have moved.
        if known.watch == nil { isWatching = false }
        phase = .unread
    }

    private mutating func forget() {
        changes += 1
        known = GATTClientCache()
        (isRestored, isWatching, isModified) = (false, false, true)
    }

    // MARK: What is known

    func answer(to request: GATTRequest) -> GATTResponse? {
        guard phase == .current else { return nil }
        if case .watchServices = request {
            if case .present(let found, _) = known.watch, isWatching { return .characteristics([found]) }
            return known.hasNoServiceChanged ? .characteristics([]) : nil
        }
        return known.answer(to: request)
    }

    /// The descriptor to write, if an earlier search has found one.
    func configuration(of valueHandle: UInt16, endHandle: UInt16) -> UInt16? {
        phase == .current ? known.configuration(of: valueHandle, endHandle: endHandle) : nil
    }

    /// `changesBefore`: the number of changes when the request went out. Items found before a change may be wrong
    /// since.
    mutating func record(
        _ response: GATTResponse, to request: GATTRequest, configuration: UInt16?, changesBefore: Int
    ) {
        guard phase == .current || !request.learnsDatabase, phase != .off, changes == changesBefore else { return }
        let before = known
        known.record(response, to: request, configuration: configuration)
        if known != before { isModified = true }
    }

    mutating func record(watch: GATTClientCache.Watch?, changesBefore: Int) {
        guard let watch, phase == .current, changes == changesBefore else { return }
        if case .present = watch { isWatching = true }
        var new = known
        (new.watch, new.isWatched) = (watch, isWatching && isBonded)
        guard new != known, new.isSound else { return }
        (known, isModified) = (new, true)
    }

    /// The handle of Service Changed while its indications are on.
    var serviceChangedHandle: UInt16? {
        guard isWatching, case .present(let characteristic, _) = known.watch else { return nil }
        return characteristic.valueHandle
    }

    /// The cache to keep from now on, once for each change. Without a hash a later link can trust the cache only if the
    /// peer is bonded. After an announced change the answer is to forget the cache until the new hash is read: a bonded
    /// server regards this client as informed, and a later link would trust entries that a crash left on disk.
    mutating func takeChange() -> GATTCacheChange? {
        guard isModified else { return nil }
        isModified = false
        let isUseful = phase != .unread && (known.databaseHash != nil || isBonded)
        guard isUseful else {
            defer { isStored = false }
            return isStored ? .forget : nil
        }
        isStored = true
        return .keep(known)
    }
}

/// A change of a peer's cache.
package enum GATTCacheChange: Equatable, Sendable {
    case keep(GATTClientCache)
    /// The cache is wrong, or of no use for a later link.
    case forget
}
