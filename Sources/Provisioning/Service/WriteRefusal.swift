// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Gateway
import Operations

/// Why a request is refused: a code for the phone's software, and words for its user in `Last error`.
package struct WriteRefusal: Error, Equatable, Sendable {
    /// An ATT error code, of the specification or of ``ProvisioningErrorCode``.
    package var code: CBATTError.Code
    /// A sentence with advice, without secrets.
    package var text: String

    package init(_ code: ProvisioningErrorCode, _ text: String) {
        self.init(CBATTError.Code(rawValue: Int(code.rawValue)) ?? .unlikelyError, text)
    }

    package init(_ code: CBATTError.Code, _ text: String) {
        self.code = code
        self.text = text
    }

    package init(_ error: OperationError) {
        let code: ProvisioningErrorCode =
            switch error.kind {
            case .notValid: .notValid
            case .notFound: .nothingThere
            case .busy: .busy
            case .refused, .failed: .failed
            }
        self.init(code, error.description)
    }
}
