// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The elements that one consumer has not taken yet. The source pushes from its own queue, without a task in between; a
/// push wakes the waiting consumer.
final class BoundedBuffer<Element: Sendable, Failure: Error>: Sendable {
    typealias Next = Result<Element?, Failure>

    private struct State {
        var elements = BoundedFIFO<Element>()
        var waiting: CheckedContinuation<Next, Never>?
        /// The end of the sequence, for the call after the last element; later calls get nil.
        var end: Next?
    }

    private let policy: CBBufferingPolicy
    private let drops: DropCounter
    private let changing = Mutex(State())

    init(_ policy: CBBufferingPolicy, drops: DropCounter = DropCounter()) {
        self.policy = policy
        self.drops = drops
    }

    /// Hands the element to the waiting consumer, or keeps the element as the policy says.
    func push(_ element: Element) {
        let (waiting, isLoss) = changing.withLock { state -> (CheckedContinuation<Next, Never>?, Bool) in
            guard state.end == nil else { return (nil, false) }
            if let waiting = state.waiting {
                state.waiting = nil
                return (waiting, false)
            }
            guard state.elements.count >= policy.capacity else {
                state.elements.append(element)
                return (nil, false)
            }
            if case .newest = policy {
                _ = state.elements.popFirst()
                state.elements.append(element)
            }
            return (nil, true)
        }
        waiting?.resume(returning: .success(element))
        if isLoss { drops.increment() }
    }

    /// Nothing more comes. Elements that are here are still delivered, then `error` once, or the plain end.
    func finish(throwing error: Failure? = nil) {
        end(error.map { .failure($0) } ?? .success(nil), discardsElements: false)
    }

    /// The next element, nil at the end or when the task is cancelled.
    nonisolated(nonsending) func next() async throws(Failure) -> Element? {
        if let ready = take() { return try ready.get() }
        let next = await withTaskCancellationHandler {
            await withCheckedContinuation { wait($0) }
        } onCancel: {
            end(.success(nil), discardsElements: true)
        }
        return try next.get()
    }

    /// Nil if the consumer has to wait.
    private func take() -> Next? { changing.withLock { Self.take(&$0) } }

    private static func take(_ state: inout State) -> Next? {
        if let element = state.elements.popFirst() { return .success(element) }
        guard let end = state.end else { return nil }
        state.end = .success(nil)
        return end
    }

    private func wait(_ continuation: CheckedContinuation<Next, Never>) {
        let (ready, displaced) = changing.withLock { state -> (Next?, CheckedContinuation<Next, Never>?) in
            if let ready = Self.take(&state) { return (ready, nil) }
            defer { state.waiting = continuation }
            return (nil, state.waiting)
        }
        if let ready { continuation.resume(returning: ready) }
        // Two tasks use one iterator at once, against its contract: the earlier task ends.
        displaced?.resume(returning: .success(nil))
    }

    private func end(_ end: Next, discardsElements: Bool) {
        let waiting = changing.withLock { state -> CheckedContinuation<Next, Never>? in
            if discardsElements { state.elements = BoundedFIFO() }
            guard state.end == nil else { return nil }
            guard let waiting = state.waiting else {
                state.end = end
                return nil
            }
            state.waiting = nil
            state.end = .success(nil)
            return waiting
        }
        waiting?.resume(returning: end)
    }
}

/// The number of elements that a stream's consumers lost.
final class DropCounter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }
    func increment() { count.wrappingAdd(1, ordering: .relaxed) }
}

/// First in, first out; the caller keeps the bound.
struct BoundedFIFO<Element> {
    private var slots: [Element?] = []
    private var head = 0

    var count: Int { slots.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) { slots.append(element) }

    mutating func popFirst() -> Element? {
        guard head < slots.count else { return nil }
        defer {
            slots[head] = nil
            head += 1
            // Half of the slots are empty: moving the rest costs no more than the removals did.
            if head * 2 >= slots.count {
                slots.removeFirst(head)
                head = 0
            }
        }
        return slots[head]
    }

    /// Removes the elements for which `isOut` is true.
    mutating func removeAll(where isOut: (Element) -> Bool) {
        slots = slots[head...].filter { $0.map { !isOut($0) } ?? false }
        head = 0
    }
}
