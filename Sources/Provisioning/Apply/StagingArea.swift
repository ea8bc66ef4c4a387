// SPDX-License-Identifier: Apache-2.0

/// Where the staged changes wait for Apply: they are those of one phone at a time, and of that phone for ten minutes
/// after it has gone.
package struct StagingArea: Sendable {
    package static let patience: Duration = .seconds(600)

    private var changes = StagedChanges()
    private var owner: String?
    private var lastSeen = ContinuousClock.Instant.now

    package init() {}

    package var isEmpty: Bool { changes.isEmpty }

    /// What this phone has staged; nothing of another one's.
    package func changes(of phone: String) -> StagedChanges { owner == phone ? changes : StagedChanges() }

    /// Lets `phone` change what is staged; all of it, or nothing where that throws. Refused while another phone's changes
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

    /// The phone is there: its changes stay.
    package mutating func see(_ phone: String, at now: ContinuousClock.Instant) {
        if owner == phone { lastSeen = max(lastSeen, now) }
    }

    /// The phone has told who it is.
    package mutating func rename(_ former: String, to phone: String) {
        if owner == former { owner = phone }
    }

    /// Drops what nobody has come back for; `isConnected` says whether a phone is there. True when something was dropped.
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
