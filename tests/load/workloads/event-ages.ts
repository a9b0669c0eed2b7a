/** The age of events when their reader has them, in microseconds, by the time that the upstream wrote into each. */
export function ageReader(onAge: (ageMicros: number) => void): (piece: Buffer) => void {
  let rest = "";
  return (piece) => {
    const now = Number(process.hrtime.bigint());
    const text = rest + piece.toString("latin1");
    // An event may arrive in two pieces.
    const end = text.lastIndexOf("\n\n") + 1;
    rest = text.slice(end);
    for (const [, written] of text.slice(0, end).matchAll(/" (\d{9,})"/g)) {
      onAge((now - Number(written)) / 1e3);
    }
  };
}
