/** What is made in the background is looked at anew when it may have been cancelled, or its key may call no more. */
import { GatewayError } from "@/server/base/errors";
import type { BackgroundTask } from "@/server/responses";
import type { GatewayDeps } from "./paid-call";

type Deps = Pick<GatewayDeps, "access" | "background">;

/** Why a key's responses end while they are made. One that expires meanwhile has begun them in time. */
const bars: readonly string[] = ["invalidKey", "keyDisabled", "accountDisabled"];

/** Cancels a key's, where it or its account was disabled or deleted. */
async function cancelBarred({ access, background }: Deps, tasks: BackgroundTask[]): Promise<void> {
  const [first] = tasks;
  const refusal =
    first &&
    (await access.admitLater(first).then(
      () => null,
      (error: unknown) => error,
    ));
  if (refusal instanceof GatewayError && bars.includes(refusal.kind)) {
    await Promise.all(tasks.map(({ accountId, asked }) => background.cancel(accountId, asked.id)));
  }
}

/**
 * `tasksOf`: those under way. `renew`: ends those that are not this process's any more. One look at a time, and one more for
 * all who ask meanwhile: whoever changes a key asks every process.
 */
export function createBackgroundLook(
  deps: Deps,
  { tasksOf, renew }: { tasksOf: () => BackgroundTask[]; renew: () => Promise<void> },
): () => Promise<void> {
  let looking: Promise<void> | null = null;
  let isAskedAgain = false;

  async function look(): Promise<void> {
    while (isAskedAgain) {
      isAskedAgain = false;
      const tasks = tasksOf();
      const keyIds = new Set(tasks.map(({ keyId }) => keyId));
      const ofKeys = [...keyIds].map((keyId) => tasks.filter((task) => task.keyId === keyId));
      // What could not be looked at, or ended, runs on.
      await Promise.allSettled(ofKeys.map((ofKey) => cancelBarred(deps, ofKey)));
      await renew();
    }
  }

  return async () => {
    if (tasksOf().length === 0) {
      return;
    }
    isAskedAgain = true;
    looking ??= look().finally(() => {
      looking = null;
    });
    await looking;
  };
}
