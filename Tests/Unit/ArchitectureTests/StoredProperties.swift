// SPDX-License-Identifier: Apache-2.0

/// Finds the stored properties of the types in a source file. It scans words and signs, and knows only the necessary part of the language.
struct StoredProperties {
    struct Property: Equatable {
        let name: String
        /// Only the property's own type changes it.
        var isKept = false
        /// The first word of its type, or of its value; nil where neither begins with a capital.
        var type: String?
    }

    /// By the type's name with the names of the enclosing types: `LiveLane.Stream`.
    private(set) var types: [String: [Property]] = [:]
    /// The first name behind the colon of a class: its superclass, or a protocol.
    private(set) var heirs: [String: String] = [:]

    /// Classes, actors, and values with a mutating function.
    private(set) var acting: Set<String> = []
    /// Types of a single file.
    private(set) var hidden: Set<String> = []

    private enum Token: Equatable {
        case word(String)
        case sign(Character)
        case literal
        case newline
    }

    private struct Scope {
        /// Nil for braces of no type.
        var type: String?
        /// Whether the properties count: an enum's and an extension's properties are static or computed.
        var stores = false
    }

    private static let modifiers: Set = [
        "public", "package", "internal", "private", "fileprivate", "open", "final", "lazy", "weak", "unowned",
        "nonisolated",
        "unsafe", "set", "indirect", "override", "dynamic",
    ]
    private var tokens: ArraySlice<Token>

    init(_ source: String) {
        tokens = Self.tokens(source)[...]
        read()
    }

    // MARK: - Declarations

    private mutating func read() {
        var scopes: [Scope] = []
        var parentheses = 0
        /// A statement may begin here.
        var begins = true
        var isPrivate = false
        /// Other files see no such type.
        var isHidden = false
        while let token = tokens.popFirst() {
            switch token {
            case .newline, .sign(";"): begins = true
            case .sign("{"):
                scopes.append(Scope())
                begins = true
            case .sign("}"):
                scopes.removeLast(scopes.isEmpty ? 0 : 1)
                begins = true
            case .sign("("), .sign("["): parentheses += 1
            case .sign(")"), .sign("]"): parentheses -= 1
            // An attribute, perhaps with arguments; the scanner skips the arguments like any others.
            case .sign("@"): if case .word? = tokens.first { tokens.removeFirst() }
            case .word(let word) where begins && parentheses == 0:
                switch word {
                case "struct", "actor", "class":
                    // `class func`, `class var` are members.
                    guard case .word(let name)? = tokens.first, !["func", "var", "let"].contains(name) else {
                        begins = false
                        break
                    }
                    let full = open(name, stores: true, isClass: word == "class", in: &scopes)
                    if word != "struct" { acting.insert(full) }
                    if isHidden { hidden.insert(full) }
                    (isPrivate, isHidden) = (false, false)
                case "enum", "protocol", "extension":
                    open(qualifiedName(), stores: false, in: &scopes)
                    (isPrivate, isHidden) = (false, false)
                case "var", "let":
                    if let scope = scopes.last, let type = scope.type, scope.stores {
                        let isKept = isPrivate || word == "let"
                        let properties = stored()
                        types[type, default: []] += properties.map {
                            Property(name: $0.name, isKept: isKept, type: $0.type)
                        }
                    }
                    begins = false
                    (isPrivate, isHidden) = (false, false)
                default:
                    if word == "mutating", let type = scopes.last?.type { acting.insert(type) }
                    begins = Self.modifiers.contains(word)
                    isPrivate = begins && (isPrivate || word == "private")
                    isHidden = begins && (isHidden || word == "private" || word == "fileprivate")
                }
            default: begins = begins && (parentheses > 0 || token == .sign(")"))
            }
        }
    }

    private func qualifiedName() -> String {
        var name = ""
        for token in tokens {
            switch token {
            case .word(let word) where name.isEmpty || name.hasSuffix("."): name += word
            case .sign("."): name += "."
            default: return name
            }
        }
        return name
    }

    @discardableResult
    private mutating func open(
        _ name: String, stores: Bool, isClass: Bool = false, in scopes: inout [Scope]
    ) -> String {
        let outer = scopes.last { $0.type != nil }?.type
        let full = (outer.map { $0 + "." } ?? "") + name
        var generics = 0
        while let token = tokens.popFirst(), token != .sign("{") {
            switch token {
            case .sign("<"): generics += 1
            case .sign(">"): generics -= 1
            case .sign(":") where isClass && generics == 0 && heirs[full] == nil:
                if case .word(let parent)? = tokens.first { heirs[full] = parent }
            default: break
            }
        }
        if stores { types[full, default: []] += [] }
        scopes.append(Scope(type: full, stores: stores))
        return full
    }

    /// The names in one `let` or `var` with their types, without computed properties.
    private mutating func stored() -> [(name: String, type: String?)] {
        var names: [(String, String?)] = []
        while true {
            var pattern: [String] = []
            if tokens.first == .sign("(") {
                pattern = words(inParentheses: ())
            } else if case .word(let name)? = tokens.popFirst() {
                pattern = [name]
            }
            let type = typeName()
            let found = pattern.map { ($0, type) }
            switch skipBinding() {
            case .computed: return names
            case .end: return names + found
            case .next: names += found
            }
        }
    }

    /// The word behind `:` or `=`.
    private func typeName() -> String? {
        guard tokens.first == .sign(":") || tokens.first == .sign("="),
            case .word(let word)? = tokens.dropFirst().first,
            word.first?.isUppercase == true
        else { return nil }
        return word
    }

    private mutating func words(inParentheses: Void) -> [String] {
        var names: [String] = []
        while let token = tokens.popFirst(), token != .sign(")") {
            if case .word(let name) = token { names.append(name) }
        }
        return names
    }

    private enum BindingEnd { case end, next, computed }

    /// Passes over a binding's type and value; the braces of accessors and closures stay for the caller.
    private mutating func skipBinding() -> BindingEnd {
        var depth = 0
        var hasValue = false
        while let token = tokens.first {
            switch token {
            case .newline where depth == 0:
                // A type or value on the next line.
                let next = tokens.first { $0 != .newline }
                guard next == .sign("=") || (next == .sign("{") && !hasValue) else { return .end }
            case .sign("("), .sign("["), .sign("<"): depth += 1
            case .sign(")"), .sign("]"): depth -= 1
            case .sign(">"): depth -= depth > 0 ? 1 : 0
            case .sign("=") where depth == 0:
                hasValue = true
                tokens.removeFirst()
                while tokens.first == .newline { tokens.removeFirst() }
                continue
            case .sign(",") where depth == 0:
                tokens.removeFirst()
                return .next
            case .sign("{") where depth == 0:
                if hasValue { return .end }
                let first = tokens.dropFirst().first { $0 != .newline }
                return first == .word("didSet") || first == .word("willSet") ? .end : .computed
            case .sign("}") where depth == 0, .sign(";") where depth == 0: return .end
            default: break
            }
            tokens.removeFirst()
        }
        return .end
    }

    // MARK: - Words and signs

    private static func tokens(_ source: String) -> [Token] {
        var tokens: [Token] = []
        var rest = source[...]
        while let character = rest.first {
            if rest.hasPrefix("//") {
                rest = rest.drop { $0 != "\n" }
            } else if rest.hasPrefix("/*") {
                rest = rest.firstRange(of: "*/").map { rest[$0.upperBound...] } ?? ""
            } else if character == "\"" || character == "#", let end = literalEnd(rest) {
                tokens.append(.literal)
                rest = rest[end...]
            } else if rest.hasPrefix("->") {
                tokens += [.sign("-")]
                rest = rest.dropFirst(2)
            } else if character.isLetter || character == "_" || character == "`" {
                let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "`" }
                tokens.append(.word(word.filter { $0 != "`" }))
                rest = rest.dropFirst(word.count)
            } else {
                if character.isNewline {
                    tokens.append(.newline)
                } else if !character.isWhitespace {
                    tokens.append(.sign(character))
                }
                rest = rest.dropFirst()
            }
        }
        return tokens
    }

    /// The end of the string or regular expression at the beginning of `text`; nil without one.
    private static func literalEnd(_ text: Substring) -> String.Index? {
        let hashes = String(text.prefix { $0 == "#" })
        let inner = text.dropFirst(hashes.count)
        for quote in ["\"\"\"", "\"", "/"] where inner.hasPrefix(quote) && (quote != "/" || !hashes.isEmpty) {
            var rest = inner.dropFirst(quote.count)
            while !rest.isEmpty {
                if rest.hasPrefix(quote + hashes) {
                    return rest.index(rest.startIndex, offsetBy: quote.count + hashes.count)
                }
                if rest.hasPrefix("\\" + hashes + "(") {
                    rest = afterParenthesis(rest.dropFirst(2 + hashes.count))
                } else {
                    rest = rest.dropFirst(hashes.isEmpty && rest.first == "\\" ? 2 : 1)
                }
            }
            return text.endIndex
        }
        return nil
    }

    /// Behind an interpolation, which may have strings of its own.
    private static func afterParenthesis(_ text: Substring) -> Substring {
        var rest = text
        var depth = 1
        while let character = rest.first, depth > 0 {
            if character == "\"", let end = literalEnd(rest) {
                rest = rest[end...]
                continue
            }
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            rest = rest.dropFirst()
        }
        return rest
    }
}
