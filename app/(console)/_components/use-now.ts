import { useEffect, useState } from "react";
import { useNow as useLoadedAt } from "use-intl";
import { useHydrated } from "./use-hydrated";

/**
 * The time, told again every `everyMs`; 30 s when not said. It begins with when the page was asked for where the
 * server has rendered it, so that both say the same.
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
