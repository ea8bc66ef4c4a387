// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Synchronization

/// Notices delegate methods that only a subclass has, and that are therefore never called.
///
/// A class is looked at once, when a method is told that it does not implement where it conforms. What a class has is
/// in the symbols of its program; where these were stripped, nothing is found and nothing is said.
final class MissedMethods: Sendable {
    /// One method that a class was not told of.
    private struct Method: Hashable {
        let type: ObjectIdentifier
        let name: String
        let subject: String?
    }

    private struct Known {
        /// The methods of a class, by its type.
        var declared: [ObjectIdentifier: [String]] = [:]
        var told: Set<Method> = []
    }

    private let known = Mutex(Known())

    /// The class that has the method, where it has and is asked for it the first time.
    ///
    /// - Parameters:
    ///   - name: the method, as `#function` gives it.
    ///   - subjects: types that its parameters have to name; other modules have methods of the same names.
    ///   - conforms: whether a class is a delegate.
    func owner(
        of name: String, subjects: [Any.Type], in type: AnyClass, conforms: (AnyClass) -> Bool
    ) -> AnyClass? {
        // The class that conforms was asked what it implements: only those below it can have more.
        var current: AnyClass = type
        while let parent = _getSuperclass(current), conforms(parent) {
            if declares(name, subjects, current) {
                let method = Method(
                    type: ObjectIdentifier(current), name: name, subject: subjects.last.map { String(reflecting: $0) })
                return known.withLock { $0.told.insert(method).inserted } ? current : nil
            }
            current = parent
        }
        return nil
    }

    private func declares(_ name: String, _ subjects: [Any.Type], _ type: AnyClass) -> Bool {
        let id = ObjectIdentifier(type)
        let methods =
            known.withLock { $0.declared[id] }
            ?? {
                let found = ProgramSymbols.methods(of: type)
                known.withLock { $0.declared[id] = found }
                return found
            }()
        return methods.contains { Self.isMethod($0, named: name, subjects.map { String(reflecting: $0) }) }
    }

    /// Whether a declaration in words, `Program.Class.method(_: Module.Type, label: Module.Type) -> ()`, has this name, and
    /// names these types. Where no parameter has a label, none is written: `method(Module.Type)`.
    static func isMethod(_ declaration: String, named name: String, _ subjects: [String]) -> Bool {
        guard let start = name.firstIndex(of: "("),
            let range = declaration.range(of: "." + name[...start])
        else { return false }
        var labels: [Substring] = []
        var hasLabel = false
        var depth = 0
        var label = range.upperBound
        var index = range.upperBound
        while index < declaration.endIndex {
            switch declaration[index] {
            case "(", "[", "<": depth += 1
            case ")" where depth == 0:
                if !hasLabel, label < index { labels.append("_") }
                index = declaration.index(before: declaration.endIndex)
            case ")", "]", ">": depth -= 1
            case ":" where depth == 0:
                labels.append(declaration[label..<index])
                hasLabel = true
            case "," where depth == 0:
                if !hasLabel { labels.append("_") }
                hasLabel = false
                label = declaration.index(index, offsetBy: 2, limitedBy: declaration.endIndex) ?? label
            default: break
            }
            index = declaration.index(after: index)
        }
        return name[name.index(after: start)...] == labels.map { $0 + ":" }.joined() + ")"
            && subjects.allSatisfy(declaration[range.upperBound...].contains)
    }
}

extension CBManager {
    /// Says so where only a subclass of a delegate has the method that the delegate is told of now.
    func noteMissed(
        _ delegate: AnyObject, _ name: String, subjects: [Any.Type], remedy: String, conforms: (AnyClass) -> Bool
    ) {
        guard
            let owner = controller.missedMethods.owner(
                of: name, subjects: subjects, in: type(of: delegate), conforms: conforms)
        else { return }
        controller.logger.warning(
            "a delegate's method is never called: only a subclass of the class that conforms has it",
            metadata: [
                "class": "\(String(reflecting: owner))", "method": "\(name)",
                "remedy": "let the subclass conform to \(remedy), or implement the method in the class that conforms",
            ])
    }
}

extension CBCentralManager {
    func noteMissed(by delegate: any CBCentralManagerDelegate, _ name: String) {
        noteMissed(
            delegate, name, subjects: [CBCentralManager.self], remedy: "CBCentralManagerSubclassDelegate"
        ) { $0 is any CBCentralManagerDelegate.Type }
    }
}

extension CBPeripheralManager {
    func noteMissed(by delegate: any CBPeripheralManagerDelegate, _ name: String) {
        noteMissed(
            delegate, name, subjects: [CBPeripheralManager.self], remedy: "CBPeripheralManagerSubclassDelegate"
        ) { $0 is any CBPeripheralManagerDelegate.Type }
    }
}

extension CBPeripheral {
    func noteMissed(by delegate: any CBPeripheralDelegate, _ name: String, about subject: Any.Type? = nil) {
        manager?.noteMissed(
            delegate, name, subjects: [CBPeripheral.self] + (subject.map { [$0] } ?? []),
            remedy: "CBPeripheralSubclassDelegate"
        ) { $0 is any CBPeripheralDelegate.Type }
    }
}
