import { type RefObject, useEffect, useRef, useState } from "react";
import { type KeyDraft, problemsOf } from "./key-draft";

/** A form of a key. Problems show from the first try to send it, which puts the focus into the first of them. */
export function useKeyDraft(initial: KeyDraft) {
  const [draft, setDraft] = useState(initial);
  const [tries, setTries] = useState(0);
  const form: RefObject<HTMLFormElement | null> = useRef(null);
  useEffect(() => {
    if (tries > 0) {
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    }
  }, [tries]);
  return {
    form,
    draft,
    problems: tries > 0 ? problemsOf(draft, Date.now()) : {},
    change: (change: Partial<KeyDraft>) => setDraft((earlier) => ({ ...earlier, ...change })),
    reset: (to: KeyDraft) => {
      setDraft(to);
      setTries(0);
    },
    /** Whether it can be sent. */
    check: () => {
      const isRight = Object.keys(problemsOf(draft, Date.now())).length === 0;
      setTries(isRight ? 0 : tries + 1);
      return isRight;
    },
  };
}
