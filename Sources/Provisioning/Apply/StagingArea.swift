// SPDX-License-Identifier: Apache-2.0

/// The staged changes, which wait for Apply. They belong to one phone at a time, and stay for ten minutes after the
/// phone has gone.
package struct StagingArea: Sendable {
    package static let patience: Duration = .seconds(600)

    private var changes = StagedChanges()
    private var owner: String?
    private var lastSeen = ContinuousClock.Instant.now

    package init() {}

    package var isEmpty: Bool { changes.isEmpty }

    /// The changes staged by this phone; empty if another phone owns the area.
    package func changes(of phone: String) -> StagedChanges { owner == phone ? changes : StagedChanges() }

    /// Lets `phone` change the staged values. If `body` throws, nothing changes. Refused while another phone's changes
    /// wait.
    package mutating func change(
        by phone: String, at now: ContinuousClock.Instant,
        _ body: (inout StagedChanges) throws(WriteRefusal) -> Void
    ) throws(WriteRefusal) {
        guard isEmpty || owner == phone else {
            throw WriteRefusal(
                .busy,
                "Another phone has changes that wait for Apply. They are dropped ten minutes after it has gone.")
        }
        var new = changes(of: phone)
        try body(&new)
        changes = new
        owner = phone
        lastSeen = now
    }

    /// The phone is connected, so its changes stay.
    package mutating func see(_ phone: String, at now: ContinuousClock.Instant) {
        if owner == phone { lastSeen = max(lastSeen, now) }
    }

    /// The phone has revealed its identity.
    package mutating func rename(_ former: String, to phone: String) {
        if owner == former { owner = phone }
    }

    /// Drops changes of a phone that has not come back. `isConnected` reports whether a phone is connected. True if
    /// changes were dropped.
    package mutating func expire(at now: ContinuousClock.Instant, isConnected: (String) -> Bool) -> Bool {
        guard let owner, !isEmpty else { return false }
        if isConnected(owner) {
            lastSeen = now
            return false
        }
        guard now - lastSeen > Self.patience else { return false }
        clear()
        return true
    }

    package mutating func clear() {
        changes = StagedChanges()
        owner = nil
    }
}
