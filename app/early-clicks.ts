/** For how long a button or a select may take to listen; after that a person has gone on. */
const PATIENCE_MS = 10_000;

/**
 * A script for the head of every page: a click on a button that does not listen yet would be lost, so the last one is
 * made again when it does; a choice of a select likewise, which would be undone. One that comes while React takes over
 * the part of the page that it is in is lost, too: React stops it on its way down, so that it never arrives at the
 * element, though that listens by then. So each is made again until it arrives. What is taken over at that very event has
 * the choice of before by then, so it is made once more there; a choice is read from its `input`, since a select that is
 * taken over at that has the choice of before at its `change` already. React marks what it has taken over with members of the
 * element whose names begin so; were they to change, a click or a choice would be lost as before. A shortcut clicks the
 * button that names it (`aria-keyshortcuts`), at whatever time.
 */
export const earlyClicks = `(() => {
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
  addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (ctrlKey === metaKey || altKey || shiftKey || !/^[a-z]$/i.test(key)) return;
    const keys = (ctrlKey ? "Control+" : "Meta+") + key.toUpperCase();
    const button = document.querySelector('button[aria-keyshortcuts~="' + keys + '"]');
    if (button === null) return;
    event.preventDefault();
    clickUntilItArrives(button);
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
