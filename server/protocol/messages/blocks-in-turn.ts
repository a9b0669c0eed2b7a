import { WaitingEvents } from "../answers/waiting-events";
import type { JsonObject } from "../fields";
import { BlockPlaces, numberIn } from "./block-places";

/** The most events that wait for the end of a call. */
const MAX_WAITING = 10_000;

/**
 * The blocks of a stream, one after the other: agents lose the input of a call if blocks overlap. A text or thinking
 * ends when another block begins. While a call is not complete, other blocks wait.
 */
export class BlocksInTurn {
  private readonly places = new BlockPlaces();
  private readonly waiting = new WaitingEvents<JsonObject>();
  private readonly isWhole: (index: number) => boolean;
  private readonly follow: (event: JsonObject) => JsonObject[];

  /** `isWhole`: the block is not a call, or a complete one. `follow`: makes the client's events of a placed one. */
  constructor(isWhole: (index: number) => boolean, follow: (event: JsonObject) => JsonObject[]) {
    this.isWhole = isWhole;
    this.follow = follow;
  }

  /** How often a block has begun or ended. */
  get changes(): number {
    return this.places.changes;
  }

  /** The client's events. null and "lost": as in `BlockPlaces`. */
  read(event: JsonObject): JsonObject[] | null | "lost" {
    const { open } = this.places;
    const number = numberIn(event);
    const isOther = number !== null && (this.waiting.has(number) || this.places.isOfOther(event));
    if (open !== null && isOther && !this.isWhole(open.index)) {
      this.waiting.add(number, event);
      return this.waiting.count > MAX_WAITING ? "lost" : [];
    }
    const placed = this.place(event);
    return Array.isArray(placed) ? [...placed, ...this.resume()] : placed;
  }

  /** The last events of all blocks. */
  end(): JsonObject[] {
    return [...this.resume(true), ...this.places.end().flatMap(this.follow)];
  }

  private place(event: JsonObject): JsonObject[] | null | "lost" {
    const missing = this.places.place(event);
    return Array.isArray(missing) ? [...missing, event].flatMap(this.follow) : missing;
  }

  /** The events that waited, up to a call that is not complete. `isOver`: nothing more comes. */
  private resume(isOver = false): JsonObject[] {
    const events: JsonObject[] = [];
    while (
      this.waiting.count > 0 &&
      (isOver || this.places.open === null || this.isWhole(this.places.open.index))
    ) {
      for (const event of this.waiting.take()) {
        const placed = this.place(event);
        events.push(...(Array.isArray(placed) ? placed : []));
      }
    }
    return events;
  }
}
