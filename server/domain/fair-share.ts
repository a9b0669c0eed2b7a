/**
 * Whether an owner may take one more slot, or `amount` more of a resource: its share must not exceed what is free then.
 * A single owner gets half, each of two a third, and so on, so that something is always left for an owner without any.
 */
export const mayTake = (places: { capacity: number; used: number; own: number; amount?: number }): boolean =>
  places.own + (places.amount ?? 1) <= places.capacity - places.used;
