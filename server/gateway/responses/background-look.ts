/** Checks the background responses again when one may have been cancelled, or its key may no longer call. */
import { GatewayError } from "@/server/base/errors";
import type { BackgroundTask } from "@/server/responses";
import type { GatewayDeps } from "../pipeline/gateway-deps";

type BackgroundLookDeps = Pick<GatewayDeps, "access" | "background">;

/** The refusals of a key that end its responses under way. Expiry does not: the key started them in time. */
const bars: readonly string[] = ["invalidKey", "keyDisabled", "accountDisabled"];

/** Cancels a key's responses if the key or its account was disabled or deleted. */
async function cancelBarred(
  { access, background }: BackgroundLookDeps,
  tasks: BackgroundTask[],
): Promise<void> {
  const [first] = tasks;
  const refusal =
    first &&
    (await access.recheckKey(first).then(
      () => null,
      (error: unknown) => error,
    ));
  if (refusal instanceof GatewayError && bars.includes(refusal.kind)) {
    await Promise.all(tasks.map(({ accountId, request }) => background.cancel(accountId, request.id)));
  }
}

/** Runs one at a time. All requests during a run share one more run after it, even if it failed. */
export function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let isAskedAgain = false;

  async function runAll(): Promise<void> {
    let failed: { error: unknown } | null = null;
    while (isAskedAgain) {
      isAskedAgain = false;
      failed = await run().then(
        () => null,
        (error: unknown) => ({ error }),
      );
    }
    if (failed) {
      throw failed.error;
    }
  }

  return async () => {
    isAskedAgain = true;
    running ??= runAll().finally(() => {
      running = null;
    });
    await running;
  };
}

/**
 * `tasksOf`: the tasks under way. `renew`: ends the tasks that no longer belong to this process. A change of a key
 * calls this in every process, so several requests may come at once.
 */
export function createBackgroundLook(
  deps: BackgroundLookDeps,
  { tasksOf, renew }: { tasksOf: () => BackgroundTask[]; renew: () => Promise<void> },
): () => Promise<void> {
  const look = oneAtATime(async () => {
    const tasks = tasksOf();
    const keyIds = new Set(tasks.map(({ keyId }) => keyId));
    const ofKeys = [...keyIds].map((keyId) => tasks.filter((task) => task.keyId === keyId));
    // A task that cannot be checked, or cannot be ended, continues.
    await Promise.allSettled(ofKeys.map((ofKey) => cancelBarred(deps, ofKey)));
    await renew();
  });
  return async () => {
    if (tasksOf().length > 0) {
      await look();
    }
  };
}
