import { GatewayError } from "@/server/errors";

/** The bytes of one call's body while they are in memory. */
export type BodyBytes = {
  /** Throws 429 when the key has too many of them, 503 when the process has. */
  take: (bytes: number) => void;
  /** Gives all of them back. Twice is once. */
  release: () => void;
};

export type BodyBudget = { open: (holder: string) => BodyBytes };

/**
 * Bounds the bytes of request bodies that a process holds, and of these what one key (or the console, before it knows who
 * asks) may have: a body takes up to ten times its size until its call has ended.
 */
export function createBodyBudget(limits: { perProcess: number; perHolder: number }): BodyBudget {
  const held = new Map<string, number>();
  let total = 0;

  const move = (holder: string, bytes: number) => {
    const mine = (held.get(holder) ?? 0) + bytes;
    total += bytes;
    if (mine > 0) {
      held.set(holder, mine);
    } else {
      held.delete(holder);
    }
  };

  return {
    open: (holder) => {
      let taken = 0;
      return {
        take: (bytes) => {
          if ((held.get(holder) ?? 0) + bytes > limits.perHolder) {
            throw new GatewayError("rateLimited", "", { headers: { "retry-after": "1" } });
          }
          if (total + bytes > limits.perProcess) {
            throw new GatewayError("unavailable");
          }
          taken += bytes;
          move(holder, bytes);
        },
        release: () => {
          move(holder, -taken);
          taken = 0;
        },
      };
    },
  };
}
