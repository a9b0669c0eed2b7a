import { createSignInLimiter, type IdentityDeps, type SignInLimiter } from "@/server/access";
import { systemClock } from "@/server/base/clock";
import type { Runtime } from "@/server/process/runtime";

let attempts: SignInLimiter | undefined;

/** What checking people needs, from the process's runtime. */
export function identityDeps(runtime: Runtime): IdentityDeps {
  attempts ??= createSignInLimiter(runtime.db);
  const { keyPepper: pepper, previous } = runtime.secrets;
  return { attempts, vault: runtime.vault, clock: systemClock, pepper, previousPepper: previous.keyPepper };
}
