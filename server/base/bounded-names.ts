/** Labels of metrics: each value is a series for as long as the process lives, so their number is limited. */

/** Replaces all names beyond the limit. */
const OTHER = "other";

/** As many as an operator looks at. */
const MOST_NAMES = 200;
const MOST_PAIRS = 500;

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
  const pairs = new Map<string, Pair>();
  const others = { model: OTHER, channel: OTHER };
  return ({ model, channel }) => {
    const key = JSON.stringify([model, channel]);
    const pair = pairs.get(key);
    if (pair || pairs.size >= limit) {
      return pair ?? others;
    }
    const named = { model: models(model), channel: channels(channel) };
    pairs.set(key, named);
    return named;
  };
}
