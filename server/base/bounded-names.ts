/** Labels of metrics: each value is a series for as long as the process lives, so their number is limited. */

/** Replaces all names beyond the limit. */
const OTHER = "other";

/** As many as an operator looks at. */
const MOST_NAMES = 200;
const MOST_PAIRS = 500;
/** A set of labels of a histogram is 17 lines, 3 kB. */
const MOST_SETS = 100;

/** Returns the first `limit` names unchanged, and `other` for every later one. */
export function boundedNames(limit = MOST_NAMES): (name: string) => string {
  const names = new Set<string>();
  return (name) => {
    if (!names.has(name) && names.size >= limit) {
      return OTHER;
    }
    names.add(name);
    return name;
  };
}

/** A model and the channel that served it. Empty: none. */
type Pair = { model: string; channel: string };

/** Limits each name and the pairs, because every channel may serve every model. */
export function boundedPairs(limit = MOST_PAIRS): (pair: Pair) => Pair {
  const [models, channels] = [boundedNames(), boundedNames()];
  const byModel = new Map<string, Map<string, Pair>>();
  let size = 0;
  const others = { model: OTHER, channel: OTHER };
  return ({ model, channel }) => {
    const pair = byModel.get(model)?.get(channel);
    if (pair || size >= limit) {
      return pair ?? others;
    }
    const named = { model: models(model), channel: channels(channel) };
    byModel.set(model, (byModel.get(model) ?? new Map<string, Pair>()).set(channel, named));
    size++;
    return named;
  };
}

/**
 * Limits the sets of labels of a histogram: those beyond have `other` for the named labels, which can have many values,
 * and keep the rest.
 */
export function boundedLabels(named: readonly string[], limit = MOST_SETS) {
  const sets = new Set<string>();
  const others = Object.fromEntries(named.map((name) => [name, OTHER]));
  return <Labels extends Partial<Record<string, string | number>>>(labels: Labels): Labels => {
    const key = Object.values(labels).join("\n");
    if (!sets.has(key)) {
      if (sets.size >= limit) {
        return { ...labels, ...others };
      }
      sets.add(key);
    }
    return labels;
  };
}
