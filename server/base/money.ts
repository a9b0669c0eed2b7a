/** One currency unit in nano-units. */
const UNIT = 1_000_000_000n;

/** A decimal string as nano-units; null when it is not one, has more than 9 decimals, or does not fit a bigint. */
export function parseMoney(text: string): bigint | null {
  const match = /^(-?)(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text.trim());
  if (!match) {
    return null;
  }
  const nanos = BigInt(match[2] ?? "0") * UNIT + BigInt((match[3] ?? "").padEnd(9, "0"));
  return match[1] === "-" ? -nanos : nanos;
}

/** Nano-units as the shortest decimal string: `1500000000n` -> `"1.5"`. Exact. */
export function formatMoney(nanos: bigint): string {
  const magnitude = nanos < 0n ? -nanos : nanos;
  const decimals = (magnitude % UNIT).toString().padStart(9, "0").replace(/0+$/, "");
  return `${nanos < 0n ? "-" : ""}${magnitude / UNIT}${decimals && `.${decimals}`}`;
}
