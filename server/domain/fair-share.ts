/** The part of what an owner holds that it must leave free: alone it gets 16 of 17 places, each of two 16 of 33. */
export const RESERVE = 1 / 16;

/**
 * Whether an owner may take one more place, or `amount` more of a resource. It must leave as much free as `reserve` of
 * what it then holds: 1 leaves an owner that is alone half of all, each of two a third, and so on. So owners that want
 * more than there is come to hold the same, whatever their number, and something is left for another one: an owner
 * without any may take the last place. (Choudhury and Hahne, "Dynamic queue length thresholds", 1998.)
 */
export function mayTake({
  capacity,
  used,
  own,
  amount = 1,
  reserve = RESERVE,
}: {
  capacity: number;
  used: number;
  own: number;
  amount?: number;
  reserve?: number;
}): boolean {
  const free = capacity - used - amount;
  return free >= (own === 0 ? 0 : Math.ceil((own + amount) * reserve));
}
