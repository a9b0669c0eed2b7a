/** The parent's side of `boot.ts`. */
import { fileURLToPath } from "node:url";
import { ConfigError } from "@/server/base/config";
import type { FirstBoot } from "./first-boot";
import { begin } from "./life";

/**
 * Starts the process that boots, which loads its code. The function that it returns lets it boot, and calls `onSchema`
 * when the schema can be used. Throws in the process's words.
 */
export function startBoot(): (url: string, onSchema: () => void) => Promise<FirstBoot> {
  let onSchema = () => {};
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
        if (message.kind === "migrated") {
          onSchema();
        } else if (message.kind === "booted") {
          finish(message.made);
        }
      },
      onEnd: ({ words, how }) => fail(new ConfigError(words ?? `The first steps of the start ended: ${how}`)),
    },
  );
  return (url, then) => {
    onSchema = then;
    life.send({ kind: "boot", url });
    return booted;
  };
}
