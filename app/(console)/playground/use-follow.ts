import { useEffect } from "react";

/** Within this distance of the page's end, the user counts as reading along. */
const NEAR_PX = 300;

/** Keeps the page's end in view while text is added, unless the user has scrolled away from it. */
export function useFollow(written: unknown, isWriting: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new piece of what is written moves the page's end
  useEffect(() => {
    const page = document.documentElement;
    const isNear = page.scrollHeight - page.clientHeight - window.scrollY < NEAR_PX;
    if (isWriting && isNear) {
      window.scrollTo({ top: page.scrollHeight });
    }
  }, [written, isWriting]);
}
