// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A client's demand, copies of its flags for a quick check of each advertisement, and the pace of reports about
/// changes: each device once in ``ScanMachine/changePause``.
struct ScanListener: Sendable {
    let client: ClientID
    let member: ClientSet
    let isForEverything: Bool
    let allowsDuplicates: Bool
    let reportsChanges: Bool
    let demand: ScanDemand

    /// The number of devices whose changes this client has not heard of yet. ``Sighting/owed`` marks each of them.
    private(set) var owes = 0
    /// Reported devices, by the slots of ``ScanMachine``. The device reported longest ago is the oldest.
    private var resting = RecencyOrder()
    /// The end of each device's pause, by slot.
    private var ends: [MonotonicTime] = []

    init(_ client: ClientID, _ demand: ScanDemand) {
        self.client = client
        self.demand = demand
        member = ClientSet(client)
        isForEverything = demand.isForEverything
        allowsDuplicates = demand.allowsDuplicates
        reportsChanges = demand.reportsChanges && !demand.allowsDuplicates
    }

    /// When a change may have to be reported; nil without a waiting change.
    var changeDue: MonotonicTime? { owes > 0 ? resting.oldest.map { ends[$0] } : nil }

    /// The client was told of the device less than a pause ago.
    func rests(_ slot: Int, at now: MonotonicTime) -> Bool {
        slot < ends.count && resting.contains(slot) && now < ends[slot]
    }

    /// One more device has a change that the client has not heard of.
    mutating func owesChange() { owes += 1 }
    /// The client hears of such a change, or no longer needs to.
    mutating func hearsChange() { owes -= 1 }

    /// The client is told of the device now.
    mutating func rest(_ slot: Int, from now: MonotonicTime) {
        while ends.count <= slot {
            ends.append(.zero)
            resting.addSlot()
        }
        resting.remove(slot)
        resting.insert(slot)
        ends[slot] = now + ScanMachine.changePause
    }

    /// A device whose pause is over, each once.
    mutating func takeRested(at now: MonotonicTime) -> Int? {
        guard let slot = resting.oldest, ends[slot] <= now else { return nil }
        resting.remove(slot)
        return slot
    }

    /// Ends the device's pause.
    mutating func wake(_ slot: Int) { if slot < ends.count { resting.remove(slot) } }

    /// All devices are forgotten.
    mutating func forget() {
        owes = 0
        resting.removeAll()
        ends.removeAll(keepingCapacity: true)
    }
}
