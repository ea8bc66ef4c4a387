// SPDX-License-Identifier: Apache-2.0

// Programs other than tests import these modules directly, because they do not link Swift Testing.
@_exported import TestMaterials
