// SPDX-License-Identifier: Apache-2.0

// Programs that are no tests take these by themselves: they do not link Swift Testing.
@_exported import TestMaterials
