/**
 * The problem of a version of Node.js ("v24.21.0") under the `engines` of package.json ("^22.19 || ^24 || >=26"), in
 * words; null: none. Supports only the two kinds of ranges used there.
 */
export function faultOfNode(version, engines) {
  const [major, minor] = numbersOf(version.slice(1));
  const fits = engines.split("||").some((range) => {
    const [, sign, from] = /^\s*(\^|>=)([\d.]+)\s*$/.exec(range);
    const [leastMajor, leastMinor] = numbersOf(from);
    const isSame = major === leastMajor && minor >= leastMinor;
    return isSame || (sign === ">=" && major > leastMajor);
  });
  return fits ? null : `Tollgate needs Node.js ${engines}; this is ${version}.`;
}

const numbersOf = (text) => {
  const [major, minor = "0"] = text.split(".");
  return [Number(major), Number(minor)];
};

/** Ends the process with a message if its Node.js version does not fit. */
export function requireNode(engines) {
  const fault = faultOfNode(process.version, engines);
  if (fault !== null) {
    console.error(fault);
    process.exit(1);
  }
}
