// SPDX-License-Identifier: Apache-2.0

// Commands of a gateway elsewhere: MARTLET_WRITE=1 make unit TEST=AdviceByHandTests writes this file.

export const commands = {
  'martlet configure': 'martlet configure',
  'martlet provision open': 'martlet provision open',
};
