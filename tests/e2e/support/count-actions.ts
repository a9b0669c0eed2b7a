import type { Page } from "@playwright/test";

/** A person's actions: clicks (or keys that press a button or a link), and the fields that they filled or chose. */
export type Actions = { clicks: number; fields: number };

declare global {
  interface Window {
    noteAction?: (kind: keyof Actions) => void;
    notesActions?: boolean;
  }
}

/** Runs in the page. A program's own clicks are not trusted, so they do not count; a switch counts as a click. */
function noteActions(): void {
  if (window.notesActions) {
    return;
  }
  window.notesActions = true;
  const filled = new WeakSet<EventTarget>();
  addEventListener("click", ({ isTrusted }) => isTrusted && window.noteAction?.("clicks"), true);
  addEventListener(
    "input",
    ({ target }) => {
      const isSwitch = target instanceof HTMLInputElement && ["checkbox", "radio"].includes(target.type);
      if (target && !isSwitch && !filled.has(target)) {
        filled.add(target);
        window.noteAction?.("fields");
      }
    },
    true,
  );
}

/** Counts what people do in these pages from now on, whichever way a flow does it. */
export async function countActions(...pages: Page[]): Promise<Actions> {
  const counts: Actions = { clicks: 0, fields: 0 };
  for (const page of pages) {
    await page.exposeFunction("noteAction", (kind: keyof Actions) => {
      counts[kind]++;
    });
    await page.addInitScript(noteActions);
    await page.evaluate(noteActions);
  }
  return counts;
}
