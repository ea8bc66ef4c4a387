// SPDX-License-Identifier: Apache-2.0

// The codes by the names of their errors, and matched in `catch` clauses: `catch CBError.connectionTimeout`.

extension CBError {
    /// See ``Code/unknown``.
    public static var unknown: Code { .unknown }
    /// See ``Code/invalidParameters``.
    public static var invalidParameters: Code { .invalidParameters }
    /// See ``Code/invalidHandle``.
    public static var invalidHandle: Code { .invalidHandle }
    /// See ``Code/notConnected``.
    public static var notConnected: Code { .notConnected }
    /// See ``Code/outOfSpace``.
    public static var outOfSpace: Code { .outOfSpace }
    /// See ``Code/operationCancelled``.
    public static var operationCancelled: Code { .operationCancelled }
    /// See ``Code/connectionTimeout``.
    public static var connectionTimeout: Code { .connectionTimeout }
    /// See ``Code/peripheralDisconnected``.
    public static var peripheralDisconnected: Code { .peripheralDisconnected }
    /// See ``Code/uuidNotAllowed``.
    public static var uuidNotAllowed: Code { .uuidNotAllowed }
    /// See ``Code/alreadyAdvertising``.
    public static var alreadyAdvertising: Code { .alreadyAdvertising }
    /// See ``Code/connectionFailed``.
    public static var connectionFailed: Code { .connectionFailed }
    /// See ``Code/connectionLimitReached``.
    public static var connectionLimitReached: Code { .connectionLimitReached }
    /// See ``Code/unknownDevice``.
    public static var unknownDevice: Code { .unknownDevice }
    /// See ``Code/operationNotSupported``.
    public static var operationNotSupported: Code { .operationNotSupported }
    /// See ``Code/peerRemovedPairingInformation``.
    public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
    /// See ``Code/encryptionTimedOut``.
    public static var encryptionTimedOut: Code { .encryptionTimedOut }
    /// See ``Code/tooManyLEPairedDevices``.
    public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
    /// See ``Code/leGattExceededBackgroundNotificationLimit``.
    public static var leGattExceededBackgroundNotificationLimit: Code { .leGattExceededBackgroundNotificationLimit }
    /// See ``Code/leGattNearBackgroundNotificationLimit``.
    public static var leGattNearBackgroundNotificationLimit: Code { .leGattNearBackgroundNotificationLimit }
}

extension CBError.Code {
    /// Apple's old spelling of ``unknownDevice``.
    @available(*, deprecated, renamed: "unknownDevice")
    public static var unkownDevice: Self { .unknownDevice }

    /// Whether an error has this code.
    // Disfavoured: an error type with comparisons of its own under the same names has precedence.
    @_disfavoredOverload
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? CBError)?.code == code }
}

extension CBATTError {
    /// See ``Code/success``.
    public static var success: Code { .success }
    /// See ``Code/invalidHandle``.
    public static var invalidHandle: Code { .invalidHandle }
    /// See ``Code/readNotPermitted``.
    public static var readNotPermitted: Code { .readNotPermitted }
    /// See ``Code/writeNotPermitted``.
    public static var writeNotPermitted: Code { .writeNotPermitted }
    /// See ``Code/invalidPdu``.
    public static var invalidPdu: Code { .invalidPdu }
    /// See ``Code/insufficientAuthentication``.
    public static var insufficientAuthentication: Code { .insufficientAuthentication }
    /// See ``Code/requestNotSupported``.
    public static var requestNotSupported: Code { .requestNotSupported }
    /// See ``Code/invalidOffset``.
    public static var invalidOffset: Code { .invalidOffset }
    /// See ``Code/insufficientAuthorization``.
    public static var insufficientAuthorization: Code { .insufficientAuthorization }
    /// See ``Code/prepareQueueFull``.
    public static var prepareQueueFull: Code { .prepareQueueFull }
    /// See ``Code/attributeNotFound``.
    public static var attributeNotFound: Code { .attributeNotFound }
    /// See ``Code/attributeNotLong``.
    public static var attributeNotLong: Code { .attributeNotLong }
    /// See ``Code/insufficientEncryptionKeySize``.
    public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
    /// See ``Code/invalidAttributeValueLength``.
    public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
    /// See ``Code/unlikelyError``.
    public static var unlikelyError: Code { .unlikelyError }
    /// See ``Code/insufficientEncryption``.
    public static var insufficientEncryption: Code { .insufficientEncryption }
    /// See ``Code/unsupportedGroupType``.
    public static var unsupportedGroupType: Code { .unsupportedGroupType }
    /// See ``Code/insufficientResources``.
    public static var insufficientResources: Code { .insufficientResources }
}

extension CBATTError.Code {
    /// Whether an error has this code.
    // Disfavoured: an error type with comparisons of its own under the same names has precedence.
    @_disfavoredOverload
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? CBATTError)?.code == code }
}
