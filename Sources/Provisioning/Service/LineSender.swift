// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Synchronization

/// The subscriptions of all centrals. Each subscription has a queue of lines, emptied as the radio has room.
final class LineSender: Sendable {
    typealias Item = ProvisioningTable.Item
    /// False without room: then the manager calls ``pump()`` once there is room again.
    typealias Send = @Sendable (_ piece: Data, _ item: Item, _ central: CBCentral) -> Bool

    private struct Subscription {
        let central: CBCentral
        let item: Item
        var lines = LineQueue()
    }

    private struct State {
        var subscriptions: [Subscription] = []
        var next = 0
    }

    private let state = Mutex(State())
    private let send: Send

    init(send: @escaping Send) { self.send = send }

    /// The next notification begins with a whole line.
    func subscribe(_ central: CBCentral, to item: Item) {
        state.withLock { state in
            state.subscriptions.removeAll { $0.central === central && $0.item == item }
            state.subscriptions.append(Subscription(central: central, item: item))
        }
    }

    func unsubscribe(_ central: CBCentral, from item: Item) {
        state.withLock { state in state.subscriptions.removeAll { $0.central === central && $0.item == item } }
    }

    func unsubscribeAll() { state.withLock { $0.subscriptions = [] } }

    func hasSubscribers(_ items: Item...) -> Bool {
        state.withLock { state in state.subscriptions.contains { items.contains($0.item) } }
    }

    func subscribers(of item: Item) -> [CBCentral] {
        state.withLock { state in state.subscriptions.filter { $0.item == item }.map(\.central) }
    }

    /// Sends a line to all subscribers, or to one.
    func add(_ line: String, key: String? = nil, to item: Item, only central: CBCentral? = nil) {
        add([(line, key)], to: item, only: central)
    }

    func add(_ lines: [(text: String, key: String?)], to item: Item, only central: CBCentral? = nil) {
        state.withLock { state in
            for index in state.subscriptions.indices where state.subscriptions[index].item == item {
                guard central == nil || state.subscriptions[index].central === central else { continue }
                for line in lines { state.subscriptions[index].lines.append(line.text, key: line.key) }
            }
        }
        pump()
    }

    /// Sends as many pieces as fit, in turn for each subscription, so that the log does not delay the progress.
    func pump() {
        state.withLock { state in
            var full: [CBCentral] = []
            var idle = 0
            while idle < state.subscriptions.count {
                let index = state.next % state.subscriptions.count
                state.next = index + 1
                let (central, item) = (state.subscriptions[index].central, state.subscriptions[index].item)
                guard !full.contains(where: { $0 === central }),
                    let piece = state.subscriptions[index].lines.piece(limit: central.maximumUpdateValueLength)
                else {
                    idle += 1
                    continue
                }
                guard send(Data(piece), item, central) else {
                    full.append(central)
                    continue
                }
                idle = 0
                state.subscriptions[index].lines.removePiece(piece)
            }
        }
    }
}
