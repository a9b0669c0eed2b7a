/**
 * Whether an owner may have one more of some places, or `amount` more of anything: as long as no more than what is
 * free is its own then. Alone it gets half of them, beside one other a third, and so on, so that there is always one
 * left for somebody who has none.
 */
export const mayTake = (places: { capacity: number; taken: number; own: number; amount?: number }): boolean =>
  places.own + (places.amount ?? 1) <= places.capacity - places.taken;
