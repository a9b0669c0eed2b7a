import { createSignInLimiter, type IdentityDeps, type SignInLimiter } from "@/server/access";
import { systemClock } from "@/server/base/clock";
import type { Door } from "@/server/operations";
import type { Runtime } from "./runtime";

let attempts: SignInLimiter | undefined;

/** What checking people needs, from the process's runtime. */
export function identityDeps(runtime: Runtime): IdentityDeps {
  attempts ??= createSignInLimiter(runtime.db);
  const { keyPepper: pepper, previous } = runtime.secrets;
  return { attempts, vault: runtime.vault, clock: systemClock, pepper, previousPepper: previous.keyPepper };
}

/** What operations stand on, in a process that serves. `origin`: where whoever asks reaches us. */
export const doorOf = (runtime: Runtime, { actor, origin }: Pick<Door, "actor" | "origin">): Door => ({
  ...runtime,
  identity: identityDeps(runtime),
  withVideos: (act) => act(runtime.videos),
  period: runtime.billing.period,
  actor,
  origin: runtime.config.PUBLIC_URL ?? origin,
});
