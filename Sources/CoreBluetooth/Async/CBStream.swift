// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Additive: what a manager or a peripheral tells over time, as an asynchronous sequence.
///
/// ```swift
/// for await advertisement in central.advertisements(withServices: [heartRate]) {
///     print(advertisement.localName ?? "nameless", advertisement.rssi ?? 0)
/// }
/// ```
///
/// Nothing happens before the first element is asked for. Each iteration is a consumer of its own, with a bounded
/// buffer of its own; it ends when its task is cancelled, when the loop is left, or when the source ends. Elements come
/// in the order in which they happened. Delegates hear what they hear without a stream.
public struct CBStream<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
    private let drops = DropCounter()
    private let policy: CBBufferingPolicy
    private let subscribe: @Sendable (BoundedBuffer<Element, Failure>) -> @Sendable () -> Void

    /// - Parameter subscribe: begins to push into the buffer, and returns a closure that ends the subscription.
    init(
        _ policy: CBBufferingPolicy,
        _ subscribe: @escaping @Sendable (BoundedBuffer<Element, Failure>) -> @Sendable () -> Void
    ) {
        self.policy = policy
        self.subscribe = subscribe
    }

    /// How many elements the consumers of this sequence have lost so far, because they were too slow for their buffers.
    public var droppedCount: Int { drops.value }

    /// A consumer with a buffer of its own, which listens from when it is first asked.
    public func makeAsyncIterator() -> Iterator { Iterator(policy, drops, subscribe) }

    /// The place of one consumer; for one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private let buffer: BoundedBuffer<Element, Failure>
        private let subscribe: @Sendable (BoundedBuffer<Element, Failure>) -> @Sendable () -> Void
        private var subscription: Subscription?

        fileprivate init(
            _ policy: CBBufferingPolicy, _ drops: DropCounter,
            _ subscribe: @escaping @Sendable (BoundedBuffer<Element, Failure>) -> @Sendable () -> Void
        ) {
            buffer = BoundedBuffer(policy, drops: drops)
            self.subscribe = subscribe
        }

        /// The next element; nil at the end, and when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
            if subscription == nil {
                guard !Task.isCancelled else { return nil }
                subscription = Subscription(subscribe(buffer))
            }
            do {
                let element = try await buffer.next()
                if element == nil { subscription?.end() }
                return element
            } catch {
                subscription?.end()
                throw error
            }
        }
    }
}

@available(*, unavailable)
extension CBStream.Iterator: Sendable {}

/// Ends a subscription when the iteration ends, or when the last reference goes.
private final class Subscription: Sendable {
    private let cancel: Mutex<(@Sendable () -> Void)?>

    init(_ cancel: @escaping @Sendable () -> Void) { self.cancel = Mutex(cancel) }

    deinit { end() }

    func end() {
        let cancel = cancel.withLock { cancel in
            defer { cancel = nil }
            return cancel
        }
        cancel?()
    }
}
