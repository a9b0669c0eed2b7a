import { expect, type Locator } from "@playwright/test";

/** More would be no way to work. */
const MAX_STEPS = 60;

/** Presses a key until the target has the focus. */
async function pressUntilFocused(target: Locator, key: string): Promise<void> {
  const page = target.page();
  // A radio button is hidden behind its label, and takes the focus all the same.
  await expect(target.first()).toBeAttached();
  for (let step = 0; step < MAX_STEPS; step++) {
    if ((await target.and(page.locator(":focus")).count()) > 0) {
      return;
    }
    await page.keyboard.press(key);
  }
  throw new Error(`${MAX_STEPS} presses of ${key} do not lead to ${target}`);
}

/** Goes to the target as a person without a mouse does: with the Tab key, from where the focus is. */
export const tabTo = (target: Locator) => pressUntilFocused(target, "Tab");

/** Goes back to it. */
export const tabBackTo = (target: Locator) => pressUntilFocused(target, "Shift+Tab");

/** Goes down in a menu. */
export const arrowDownTo = (target: Locator) => pressUntilFocused(target, "ArrowDown");

/** Goes to the target and presses Enter, or another key. */
export async function pressAt(target: Locator, key: "Enter" | "Space" = "Enter"): Promise<void> {
  await tabTo(target);
  await target.page().keyboard.press(key);
}

/** Goes to a field and types into it. */
export async function typeAt(target: Locator, text: string): Promise<void> {
  await tabTo(target);
  await target.page().keyboard.press("ControlOrMeta+A");
  await target.page().keyboard.type(text);
}
