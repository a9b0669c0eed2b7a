import { useEffect } from "react";

/** The element to return the focus to. A menu's item disappears with its menu, so the menu's button replaces it. */
function lastingOf(element: Element): Element | null {
  const menu = element.closest("[role=menu]");
  return menu ? document.getElementById(menu.getAttribute("aria-labelledby") ?? "") : element;
}

/**
 * Returns the focus to its previous element when the last dialog has gone. Mantine does so for a dialog that closes,
 * but not for one that is unmounted, as ours are.
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
