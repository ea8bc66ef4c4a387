// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A client's demand, what each advertisement asks of it (that costs no copy of its sets), and the pace of what it is told of changes:
/// of each device once in ``ScanMachine/changePause``.
struct ScanListener: Sendable {
    let client: ClientID
    let member: ClientSet
    let isForEverything: Bool
    let allowsDuplicates: Bool
    let reportsChanges: Bool
    let demand: ScanDemand

    /// Devices that advertise something else than this client was told last. Each is in ``Sighting/owed``, too.
    var owes = 0
    /// The devices that the client was told of, by the slots of ``ScanMachine``; the one that was told of first is the oldest.
    private var resting = RecencyOrder()
    /// Until when each of them rests.
    private var ends: [MonotonicTime] = []

    init(_ client: ClientID, _ demand: ScanDemand) {
        self.client = client
        self.demand = demand
        member = ClientSet(client)
        isForEverything = demand.isForEverything
        allowsDuplicates = demand.allowsDuplicates
        reportsChanges = demand.reportsChanges && !demand.allowsDuplicates
    }

    /// When a change may have to be told; nil while none waits.
    var changeDue: MonotonicTime? { owes > 0 ? resting.oldest.map { ends[$0] } : nil }

    /// The client was told of the device less than a pause ago.
    func rests(_ slot: Int, at now: MonotonicTime) -> Bool {
        slot < ends.count && resting.contains(slot) && now < ends[slot]
    }

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
