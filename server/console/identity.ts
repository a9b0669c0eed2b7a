import { type Attempts, createAttempts, type IdentityDeps } from "@/server/access";
import { systemClock } from "@/server/clock";
import type { Runtime } from "@/server/runtime";

let attempts: Attempts | undefined;

/** What checking people needs, from the process's runtime. */
export function identityDeps(runtime: Runtime): IdentityDeps {
  attempts ??= createAttempts(runtime.db);
  const { keyPepper: pepper, previous } = runtime.secrets;
  return { attempts, vault: runtime.vault, clock: systemClock, pepper, previousPepper: previous.keyPepper };
}
