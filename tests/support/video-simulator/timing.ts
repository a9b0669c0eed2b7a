import type { Timing } from "./tasks";

/** One second in the queue and ten of work, whatever the model: over at the second poll. */
export const fastTiming: Timing = () => ({ queueMs: 1_000, runMs: 10_000 });

type Range = readonly [from: number, to: number];
type Profile = { queueSeconds: Range; runSeconds: Range };

/** As the vendors and their users report (2025): the newer Wan models are faster than the 2.1 ones. */
const profiles: [RegExp, Profile][] = [
  [/^wanx?2\.1.*plus/, { queueSeconds: [0, 60], runSeconds: [300, 600] }],
  [/^wanx?2\.1/, { queueSeconds: [0, 10], runSeconds: [60, 180] }],
  [/^wan/, { queueSeconds: [0, 60], runSeconds: [60, 120] }],
  [/seedance/, { queueSeconds: [0, 5], runSeconds: [54, 56] }],
];
const usual: Profile = { queueSeconds: [0, 10], runSeconds: [60, 180] };

/** Spreads evenly over a range, and alike in every run. */
const spread = ([from, to]: Range, serial: number) => 1_000 * (from + (to - from) * ((serial * 0.618) % 1));

export const vendorTiming: Timing = (model, serial) => {
  const profile = profiles.find(([pattern]) => pattern.test(model))?.[1] ?? usual;
  return { queueMs: spread(profile.queueSeconds, serial + 1), runMs: spread(profile.runSeconds, serial + 2) };
};
