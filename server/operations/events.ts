import { accountEvents, type EventType } from "@/server/domain/enums";
import { Refusal } from "@/server/domain/refusal";

/** Throws Refusal if an account subscribes to events about the gateway's operation, which only operators receive. */
export function refuseForeign(accountId: string | null, events: readonly EventType[]): void {
  const own: readonly EventType[] = accountEvents;
  const foreign = events.filter((event) => !own.includes(event)).join(", ");
  if (accountId !== null && foreign !== "") {
    throw new Refusal(`only operators can be notified of ${foreign}`, "eventsOfOperators", {
      events: foreign,
    });
  }
}
