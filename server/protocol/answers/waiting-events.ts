/**
 * Events that wait until the part of the answer before them is complete, by the place of their own part. Those of one
 * place stay together: dialects let parts overlap, and clients get one after the other.
 */
export class WaitingEvents<Event> {
  private readonly places = new Map<number, Event[]>();
  /** The number of events that wait. */
  count = 0;

  add(place: number, event: Event): void {
    const events = this.places.get(place);
    if (events) {
      events.push(event);
    } else {
      this.places.set(place, [event]);
    }
    this.count++;
  }

  has(place: number): boolean {
    return this.places.has(place);
  }

  /** The first event of the place that has waited longest. */
  get first(): Event | undefined {
    const [events] = this.places.values();
    return events?.[0];
  }

  /** Takes the events of the place that has waited longest. Empty: nothing waits. */
  take(): Event[] {
    const [place] = this.places.keys();
    const events = place === undefined ? [] : (this.places.get(place) ?? []);
    this.places.delete(place ?? 0);
    this.count -= events.length;
    return events;
  }
}
