import type { Cancellation } from "@/server/base/cancellation";
import { systemTimers, type Timers } from "@/server/base/clock";
import { mayTake } from "@/server/domain/fair-share";
import { UpstreamFault } from "./adapter";

/** The places at one origin: they limit how many calls may be in progress there at a time. */
export type Places = {
  /** Takes a place without waiting. null: there is none, or earlier calls of this owner wait. */
  takeNow: (owner: string) => Release | null;
  /**
   * Waits for a place. Throws UpstreamFault `busy` if the owner has too many waiting calls, if the call waits too long,
   * or if the attempt's own deadline passes first. Throws any other reason of the cancellation.
   */
  take: (owner: string, cancellation: Cancellation) => Promise<Release>;
};

/** Frees a place. Repeated calls have no effect. */
type Release = () => void;

type Waiter = (release: Release) => void;

const busy = () => new UpstreamFault("busy", "no place at the origin");

export type PlaceLimits = {
  capacity: number;
  maxWaiting: number;
  patienceMs: number;
  timers?: Pick<Timers, "deadline">;
};

/**
 * Places of which no owner can take all. Owners with waiting calls are served in turn, one call each, so that no owner
 * waits behind all calls of another.
 */
export function createPlaces({
  capacity,
  maxWaiting,
  patienceMs,
  timers = systemTimers,
}: PlaceLimits): Places {
  const counts = new Map<string, number>();
  let total = 0;
  // In the order of their turns.
  const queues = new Map<string, Waiter[]>();
  let waiting = 0;

  const ownOf = (owner: string) => counts.get(owner) ?? 0;
  const hasRoom = (owner: string) => mayTake({ capacity, used: total, own: ownOf(owner) });
  const setOwn = (owner: string, count: number) =>
    void (count === 0 ? counts.delete(owner) : counts.set(owner, count));

  function occupy(owner: string): Release {
    total++;
    setOwn(owner, ownOf(owner) + 1);
    let isOver = false;
    return () => {
      if (!isOver) {
        isOver = true;
        total--;
        setOwn(owner, ownOf(owner) - 1);
        serve();
      }
    };
  }

  function leave(owner: string, call: Waiter): void {
    const queue = (queues.get(owner) ?? []).filter((other) => other !== call);
    waiting--;
    if (queue.length === 0) {
      queues.delete(owner);
    } else {
      queues.set(owner, queue);
    }
  }

  function serve(): void {
    for (const [owner, [call]] of queues) {
      if (call && hasRoom(owner)) {
        leave(owner, call);
        const queue = queues.get(owner);
        if (queue) {
          // To the end of the queue, where this loop reaches it again.
          queues.delete(owner);
          queues.set(owner, queue);
        }
        call(occupy(owner));
      }
    }
  }

  const takeNow = (owner: string) => (!queues.has(owner) && hasRoom(owner) ? occupy(owner) : null);

  return {
    takeNow,
    take: async (owner, cancellation) => {
      if (cancellation.isCancelled) {
        throw cancellation.reason;
      }
      const release = takeNow(owner);
      if (release !== null) {
        return release;
      }
      const queue = queues.get(owner) ?? [];
      if (!mayTake({ capacity: maxWaiting, used: waiting, own: queue.length, reserve: 1 })) {
        throw busy();
      }
      return await new Promise((resolve, reject) => {
        const stop = () => {
          stopTimer();
          cancellation.delete(onCancel);
        };
        const call: Waiter = (release) => {
          stop();
          resolve(release);
        };
        const giveUp = (error: unknown) => {
          stop();
          leave(owner, call);
          reject(error);
        };
        // The deadline means a silent upstream only if something was sent to it.
        const onCancel = () =>
          giveUp(cancellation.reason instanceof UpstreamFault ? busy() : cancellation.reason);
        const stopTimer = timers.deadline(patienceMs, () => giveUp(busy()));
        cancellation.add(onCancel);
        waiting++;
        queues.set(owner, [...queue, call]);
      });
    },
  };
}

/** One set of places for each origin; there are as many as channels have. */
export function createOriginPlaces(limits: PlaceLimits): (origin: string) => Places {
  const origins = new Map<string, Places>();
  return (origin) => {
    const places = origins.get(origin) ?? createPlaces(limits);
    origins.set(origin, places);
    return places;
  };
}
