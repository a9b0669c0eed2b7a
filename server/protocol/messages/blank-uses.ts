import type { JsonObject } from "../fields";

/**
 * Holds the events of a streamed call without a name until its input begins. A call that gets neither calls nothing: its
 * client never sees it, and the blocks after it move up, because SDKs accept no gap in their numbers.
 */
export class BlankUses {
  private held: JsonObject[] | null = null;
  private dropped = 0;

  /** The events of a call without a name; `isBlank`: its input has not begun. */
  hold(events: JsonObject[], isBlank: boolean): JsonObject[] {
    const all = [...(this.held ?? []), ...events];
    this.held = isBlank ? all : null;
    return isBlank ? [] : all;
  }

  /** Whether the block that ends now is such a call. */
  drop(): boolean {
    const isBlank = this.held !== null;
    this.held = null;
    this.dropped += Number(isBlank);
    return isBlank;
  }

  /** Events with the numbers that their client knows. */
  numbered(events: JsonObject[]): JsonObject[] {
    return this.dropped === 0
      ? events
      : events.map((event) =>
          typeof event.index === "number" ? { ...event, index: event.index - this.dropped } : event,
        );
  }
}
