import { type RefObject, useEffect, useState } from "react";

/** Whether a region shows all of its content, so that it need not scroll; false until measured. */
export function useFits(region: RefObject<HTMLElement | null>): boolean {
  const [fits, setFits] = useState(false);
  useEffect(() => {
    const element = region.current;
    const content = element?.firstElementChild;
    if (!element || !content) {
      return;
    }
    const observer = new ResizeObserver(() => setFits(element.scrollWidth <= element.clientWidth));
    observer.observe(element);
    observer.observe(content);
    return () => observer.disconnect();
  }, [region]);
  return fits;
}
