// SPDX-License-Identifier: Apache-2.0

/// Text in quotation marks, with escapes for characters that a log or a terminal would obey: a basic string of TOML.
package func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case _ where scalar.value < 0x20 || scalar.value == 0x7F:
            result += "\\u" + UInt16(scalar.value).bigEndianHexadecimal
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}
