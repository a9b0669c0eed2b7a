import { useEffect, useState } from "react";
import { useNow as useLoadedAt } from "use-intl";
import { useHydrated } from "../data/use-hydrated";

/**
 * The time, updated every `everyMs`; 30 s by default. On a page that the server rendered it starts with the time of
 * the request, so that server and browser render the same.
 */
export function useNow(everyMs = 30_000): number {
  const loadedAt = useLoadedAt().getTime();
  const isHydrated = useHydrated();
  const [now, setNow] = useState(() => (isHydrated ? Date.now() : loadedAt));
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
