/** The parent's side of `boot.ts`. */
import { fileURLToPath } from "node:url";
import { ConfigError } from "@/server/base/config";
import type { FirstBoot } from "./first-boot";
import { begin } from "./life";

/**
 * Starts the process that boots, which loads its code. The function that it returns lets it boot, and calls `onAway`
 * if it waits for a database that is away, and `onSchema` when the schema can be used. Throws in the process's words.
 */
export function startBoot(): (
  url: string,
  hears: { onAway: () => void; onSchema: () => void },
) => Promise<FirstBoot> {
  let hears = { onAway: () => {}, onSchema: () => {} };
  let finish = (_: FirstBoot) => {};
  let fail = (_: Error) => {};
  const booted = new Promise<FirstBoot>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  // It may end before anyone waits.
  booted.catch(() => {});
  const life = begin(
    { path: fileURLToPath(new URL("./boot.js", import.meta.url)), args: [] },
    {
      onMessage: (message) => {
        if (message.kind === "away") {
          hears.onAway();
        } else if (message.kind === "migrated") {
          hears.onSchema();
        } else if (message.kind === "booted") {
          finish(message.made);
        }
      },
      onEnd: ({ words, how }) => fail(new ConfigError(words ?? `The first steps of the start ended: ${how}`)),
    },
  );
  return (url, then) => {
    hears = then;
    life.send({ kind: "boot", url });
    return booted;
  };
}
