// SPDX-License-Identifier: Apache-2.0

extension CBATTError {
    /// An error code from a server. Open: servers may use application codes 0x80…0x9F and profile codes 0xFC…0xFF.
    ///
    /// A `switch` needs an `@unknown default` beside the named codes. Any peer may send other codes, and without a
    /// default they stop the program, as on Apple's systems.
    public enum Code: RawRepresentable, Hashable, Sendable {
        /// No error.
        case success
        /// No attribute has this handle.
        case invalidHandle
        /// The attribute cannot be read.
        case readNotPermitted
        /// The attribute cannot be written.
        case writeNotPermitted
        /// The request makes no sense.
        case invalidPdu
        /// The connection has to be authenticated before.
        case insufficientAuthentication
        /// The server does not support the request.
        case requestNotSupported
        /// The value ends before the offset.
        case invalidOffset
        /// The server's user has to allow the access first.
        case insufficientAuthorization
        /// Too many prepared writes wait.
        case prepareQueueFull
        /// The range has no attribute of the type.
        case attributeNotFound
        /// The value is too short to be read in parts.
        case attributeNotLong
        /// The key of the connection is too short.
        case insufficientEncryptionKeySize
        /// The attribute does not take values of this length.
        case invalidAttributeValueLength
        /// The server had an error without a code of its own.
        case unlikelyError
        /// The connection has to be encrypted before.
        case insufficientEncryption
        /// The type does not group attributes.
        case unsupportedGroupType
        /// The server lacks the room to complete the request.
        case insufficientResources

        // Octets without a name. All 256 are cases, in order, so that each value of the type is an octet, and each octet a
        // value. Programs cannot name these, and need not name them in a `switch`.
        @available(*, unavailable) case _12, _13, _14, _15, _16, _17, _18, _19, _1A, _1B, _1C, _1D, _1E, _1F
        @available(*, unavailable) case _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _2A, _2B, _2C, _2D
        @available(*, unavailable) case _2E, _2F, _30, _31, _32, _33, _34, _35, _36, _37, _38, _39, _3A, _3B
        @available(*, unavailable) case _3C, _3D, _3E, _3F, _40, _41, _42, _43, _44, _45, _46, _47, _48, _49
        @available(*, unavailable) case _4A, _4B, _4C, _4D, _4E, _4F, _50, _51, _52, _53, _54, _55, _56, _57
        @available(*, unavailable) case _58, _59, _5A, _5B, _5C, _5D, _5E, _5F, _60, _61, _62, _63, _64, _65
        @available(*, unavailable) case _66, _67, _68, _69, _6A, _6B, _6C, _6D, _6E, _6F, _70, _71, _72, _73
        @available(*, unavailable) case _74, _75, _76, _77, _78, _79, _7A, _7B, _7C, _7D, _7E, _7F, _80, _81
        @available(*, unavailable) case _82, _83, _84, _85, _86, _87, _88, _89, _8A, _8B, _8C, _8D, _8E, _8F
        @available(*, unavailable) case _90, _91, _92, _93, _94, _95, _96, _97, _98, _99, _9A, _9B, _9C, _9D
        @available(*, unavailable) case _9E, _9F, _A0, _A1, _A2, _A3, _A4, _A5, _A6, _A7, _A8, _A9, _AA, _AB
        @available(*, unavailable) case _AC, _AD, _AE, _AF, _B0, _B1, _B2, _B3, _B4, _B5, _B6, _B7, _B8, _B9
        @available(*, unavailable) case _BA, _BB, _BC, _BD, _BE, _BF, _C0, _C1, _C2, _C3, _C4, _C5, _C6, _C7
        @available(*, unavailable) case _C8, _C9, _CA, _CB, _CC, _CD, _CE, _CF, _D0, _D1, _D2, _D3, _D4, _D5
        @available(*, unavailable) case _D6, _D7, _D8, _D9, _DA, _DB, _DC, _DD, _DE, _DF, _E0, _E1, _E2, _E3
        @available(*, unavailable) case _E4, _E5, _E6, _E7, _E8, _E9, _EA, _EB, _EC, _ED, _EE, _EF, _F0, _F1
        @available(*, unavailable) case _F2, _F3, _F4, _F5, _F6, _F7, _F8, _F9, _FA, _FB, _FC, _FD, _FE, _FF

        /// Nil for a number outside of 0…255.
        public init?(rawValue: Int) {
            guard let octet = UInt8(exactly: rawValue) else { return nil }
            self.init(octet: octet)
        }

        // Sound: cases without values are stored as their number, and there are as many as octets have values.
        init(octet: UInt8) { self = unsafeBitCast(octet, to: Code.self) }

        public var rawValue: Int { Int(unsafeBitCast(self, to: UInt8.self)) }

        // The synthesized functions know the named cases alone.
        public static func == (left: Code, right: Code) -> Bool { left.rawValue == right.rawValue }
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    }
}
