import { useEffect } from "react";

/** A menu is gone once its item was chosen: what opened the menu stands for it. */
function lastingOf(element: Element): Element | null {
  const menu = element.closest("[role=menu]");
  return menu ? document.getElementById(menu.getAttribute("aria-labelledby") ?? "") : element;
}

/**
 * When the last dialog has gone, the focus goes back to what had it before. Mantine does so for a dialog that closes,
 * not for one that is taken away as a whole, as ours are.
 */
export function useFocusReturn(): void {
  useEffect(() => {
    let opener: Element | null = null;
    let isInDialog = false;
    const remember = ({ target }: FocusEvent) => {
      const element = target instanceof Element ? target : null;
      isInDialog = element?.closest("[role=dialog]") !== null;
      opener = isInDialog || !element ? opener : lastingOf(element);
    };
    const giveBack = () => {
      if (
        !isInDialog ||
        document.activeElement !== document.body ||
        document.querySelector("[role=dialog]")
      ) {
        return;
      }
      isInDialog = false;
      if (opener instanceof HTMLElement) {
        opener.focus();
      }
    };
    const observer = new MutationObserver(giveBack);
    document.addEventListener("focusin", remember);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("focusin", remember);
      observer.disconnect();
    };
  }, []);
}
