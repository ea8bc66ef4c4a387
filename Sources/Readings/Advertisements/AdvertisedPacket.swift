// SPDX-License-Identifier: Apache-2.0

/// What a family has made of an advertisement that is one of its own.
package struct AdvertisedPacket: Equatable, Sendable {
    /// What goes to the journal, and later to the family's ``AdvertisementDecoder/decode(_:)``: at most 512 octets that say
    /// all by themselves. What is only seen beside them (a name, a model) is put in front by the family.
    package var value: [UInt8] {
        didSet { fields = nil }
    }
    /// What the family has decoded ``value`` to, when it looked whether that can be; nil where nobody has decoded it.
    package internal(set) var fields: [Field]?
    /// The sensor's own number of this packet; nil where it has none.
    package var number: PacketNumber?
    /// What the sensor is, where the packet says so: `LYWSD03MMC`.
    package var model: String?
    /// It tells of something that happened, and not how things are: the sensor has no interval.
    package var isEvent: Bool
    /// Its octets tell it from all others of the sensor's: whenever they come again, it is a repeat.
    package var isUnique: Bool
    /// The sensor numbers what changes, not its samples: a value that stays is sent under one number for hours.
    package var numbersChanges: Bool
    package var edition: Edition

    /// A sensor may tell each sample twice: in a short packet for every controller, and in a long one with all of it by
    /// extended advertising. The number of the short one is the lowest bits of the long one's.
    package enum Edition: Sendable {
        case only, short, long
    }

    package init(
        _ value: [UInt8], number: PacketNumber? = nil, model: String? = nil, isEvent: Bool = false,
        isUnique: Bool = false, numbersChanges: Bool = false, edition: Edition = .only
    ) {
        self.isUnique = isUnique
        self.numbersChanges = numbersChanges
        self.edition = edition
        self.value = value
        self.number = number
        self.model = model
        self.isEvent = isEvent
    }
}

/// The number that a sensor gives its packets, for repeats, gaps and replays.
package struct PacketNumber: Equatable, Sendable {
    package var value: UInt32
    /// It begins at 0 again after 2^`bits`: 1…32.
    package var bits: Int

    package init(_ value: UInt32, bits: Int) {
        self.value = value
        self.bits = min(max(bits, 1), 32)
    }
}

/// What a family recognised: readable as it is, or with the sensor's key only.
package enum RecognisedPacket: Equatable, Sendable {
    case plain(AdvertisedPacket)
    case sealed(SealedPacket)

    /// What can be read without a key.
    package var plain: AdvertisedPacket? { if case .plain(let packet) = self { packet } else { nil } }
}

/// An encrypted packet and all that is needed to open it beside the key.
package struct SealedPacket: Equatable, Sendable {
    package enum Cipher: Equatable, Sendable {
        /// AES-128-CCM (RFC 3610): authenticated by a tag.
        case ccm(nonce: [UInt8], additionalData: [UInt8], tag: [UInt8])
        /// AES-128-CTR, whose first counter block is this: 16 octets. Not authenticated.
        case ctr(block: [UInt8])
        /// One block of AES-128-ECB under a key that is in the packet: no secret at all.
        case ecb(key: [UInt8])
    }

    /// Opening it shows that it is the sensor's.
    package var isAuthentic: Bool { if case .ccm = cipher { true } else { false } }
    /// Nothing but the likeness of many packets shows that the key is right.
    package var needsProof: Bool { !isAuthentic && (keyCheck != nil || isAnybodys) }

    package var cipher: Cipher
    package var ciphertext: [UInt8]
    /// In the clear beside the ciphertext, for ``AdvertisementDecoder/unsealed(_:plaintext:)``.
    package var header: [UInt8]
    /// Counts up with each packet of one key, so that an old packet can be told; nil where there is none.
    package var counter: PacketNumber?
    package var model: String?
    /// The first octet of the right key, where the packet says so.
    package var keyCheck: UInt8?
    /// Any key makes something of it, and nothing else in the packet says that it is the sensor's.
    package var isAnybodys = false

    package init(
        _ cipher: Cipher, ciphertext: [UInt8], header: [UInt8] = [], counter: PacketNumber? = nil, model: String? = nil,
        keyCheck: UInt8? = nil
    ) {
        self.keyCheck = keyCheck
        self.cipher = cipher
        self.ciphertext = ciphertext
        self.header = header
        self.counter = counter
        self.model = model
    }
}
