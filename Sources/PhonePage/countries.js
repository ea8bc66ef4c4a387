// SPDX-License-Identifier: Apache-2.0

// ISO 3166-1; the browser knows the names.
const CODES = `AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BR BS BT BW BY BZ CA CD
CF CG CH CI CK CL CM CN CO CR CU CV CW CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH
GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IM IN IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ
LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI
NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN
SO SR SS ST SV SX SY SZ TC TD TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA
ZM ZW`.split(/\s+/);

/** Code and name of each country, by name. */
export function countries(language) {
  const names = new Intl.DisplayNames([language], { type: 'region' });
  return CODES.map((code) => ({ code, name: names.of(code) ?? code }))
    .sort((one, other) => one.name.localeCompare(other.name, language));
}

/** What people call it; its code where the browser does not know. */
export function countryName(code, language) {
  return countries(language).find((country) => country.code === code)?.name ?? code;
}

/** The country that the phone's language names, if it names one: `en-GB` does, `en` does not. */
export function guessedCountry(languages = navigator.languages ?? [navigator.language]) {
  for (const language of languages) {
    try {
      const region = new Intl.Locale(language).region;
      if (CODES.includes(region)) return region;
    } catch {
      // Not a language; the next one may be.
    }
  }
  return null;
}
