/** Time as an argument, so that a test can stand at a month's end. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** Milliseconds that never go backwards, and go on while the process, or its whole machine, stands still. */
export function createStopwatch(): () => number {
  let [wall, steady] = [Date.now(), performance.now()];
  let elapsed = 0;
  return () => {
    const [wallNow, steadyNow] = [Date.now(), performance.now()];
    elapsed += Math.max(wallNow - wall, steadyNow - steady);
    [wall, steady] = [wallNow, steadyNow];
    return elapsed;
  };
}
