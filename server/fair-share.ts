/**
 * Whether an owner may have one more of some places: as long as it has fewer than are free. Alone it gets half of them,
 * beside one other a third, and so on, so that there is always one left for somebody who has none.
 */
export const mayTake = (places: { capacity: number; taken: number; own: number }): boolean =>
  places.own < places.capacity - places.taken;
