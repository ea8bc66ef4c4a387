// SPDX-License-Identifier: Apache-2.0

/// A first-in, first-out queue on an array: O(1) at both ends. The caller keeps the bound.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }

    var first: Element? {
        get { head < elements.count ? elements[head] : nil }
        set {
            guard head < elements.count, let newValue else { return }
            elements[head] = newValue
        }
    }

    mutating func append(_ element: Element) { elements.append(element) }

    @discardableResult
    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    mutating func removeAll() {
        elements.removeAll()
        head = 0
    }
}
