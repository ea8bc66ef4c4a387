// SPDX-License-Identifier: Apache-2.0

@main
struct Martlet {
    static func main() {}
}
