/** How long a button, a form or a select may take to become interactive; later the user has moved on. */
const PATIENCE_MS = 10_000;

/**
 * A script for the head of every page. A click on a button that is not interactive yet would be lost, and a choice in
 * a select would be undone. So the script repeats the last click, and each select's choice, until the event arrives
 * at the element.
 *
 * One repetition is not enough: an event during React's hydration of that part of the page is lost too, because React
 * stops it on its way down, and it never reaches the element, although the element is interactive by then. An element
 * that is hydrated at that very event has its previous choice again by then, so the choice is set once more when the
 * event arrives. The choice is read at `input`: a select that is hydrated at that event already has its previous
 * choice at `change`.
 *
 * A form that is sent too early would load the page again, without what was typed. Its button is clicked again instead:
 * React does not stop a `submit` that it loses. The fields keep their texts if React does not control them. Forms that
 * work without scripts use GET, and are left alone.
 *
 * The script recognizes a hydrated element by React's members whose names begin with `__reactProps`; if React renamed
 * them, clicks and choices would be lost as before. A shortcut clicks the button that names it (`aria-keyshortcuts`),
 * or goes to the field that does, at any time. The root element says which keyboard this is before anything is drawn,
 * so that the shortcut's own name never changes its width.
 */
export const earlyClicks = `(() => {
  if (/^(Mac|iP)/.test(navigator.platform)) document.documentElement.dataset.keyboard = "apple";
  const waiting = new Map();
  let isAgain = false;
  const listens = (element) => Object.keys(element).some((name) => name.startsWith("__reactProps"));
  const untilItArrives = (type, place, element, { make, arrives }) => {
    const until = performance.now() + ${PATIENCE_MS};
    const arrive = () => {
      if (waiting.get(place) !== make || !listens(element)) return;
      waiting.delete(place);
      arrives();
    };
    const look = () => {
      if (waiting.get(place) !== make || !element.isConnected || performance.now() > until) {
        element.removeEventListener(type, arrive, true);
        if (waiting.get(place) === make) waiting.delete(place);
        return;
      }
      isAgain = true;
      if (listens(element)) make();
      isAgain = false;
      requestAnimationFrame(look);
    };
    waiting.set(place, make);
    element.addEventListener(type, arrive, true);
    requestAnimationFrame(look);
  };
  const clickUntilItArrives = (button) => {
    untilItArrives("click", "click", button, { make: () => button.click(), arrives: () => {} });
  };
  addEventListener("click", ({ target, isTrusted }) => {
    if (isAgain) return;
    waiting.delete("click");
    const button = isTrusted && target instanceof Element ? target.closest("button[type=button]") : null;
    if (button !== null) clickUntilItArrives(button);
  }, true);
  addEventListener("submit", (event) => {
    const { target: form, submitter } = event;
    if (!isAgain && (form.method !== "post" || listens(form))) return;
    event.preventDefault();
    if (!isAgain && submitter !== null) clickUntilItArrives(submitter);
  }, true);
  addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (ctrlKey === metaKey || altKey || shiftKey || !/^[a-z]$/i.test(key)) return;
    const keys = (ctrlKey ? "Control+" : "Meta+") + key.toUpperCase();
    const named = document.querySelector('[aria-keyshortcuts~="' + keys + '"]');
    if (named === null) return;
    event.preventDefault();
    if (named instanceof HTMLInputElement) named.select();
    else clickUntilItArrives(named);
  }, true);
  addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLSelectElement)) return;
    const { value } = target;
    untilItArrives("change", target, target, {
      make: () => target.dispatchEvent(new Event("change", { bubbles: true })),
      arrives: () => { target.value = value; },
    });
  }, true);
})();`;
