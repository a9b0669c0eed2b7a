import { type SubmitEvent, useEffect, useRef, useState } from "react";
import { hasProblems } from "./problems";

type Rules<Draft, Problems> = {
  /** The problems that keep a draft from being sent; empty if it has none. */
  problemsOf: (draft: Draft) => Problems;
  /** The value of `problemsOf` for a draft without problems. */
  none: Problems;
  /** Sends a draft without problems. */
  send: (draft: Draft) => void;
};

/** A form over a draft. Problems show from the first attempt to send it, which focuses the first of them. */
export function useDraft<Draft, Problems extends object>(
  before: Draft,
  { problemsOf, none, send }: Rules<Draft, Problems>,
) {
  const [draft, setDraft] = useState(before);
  const [tries, setTries] = useState(0);
  const ref = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (tries > 0) {
      ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    }
  }, [tries]);
  const problems = problemsOf(draft);
  const isRight = !hasProblems(problems);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    setTries(isRight ? 0 : tries + 1);
    if (isRight) {
      send(draft);
    }
  };
  return {
    form: { ref, onSubmit, noValidate: true },
    draft,
    onChange: setDraft,
    /** The problems to show. */
    problems: tries > 0 ? problems : none,
    isRight,
    /** Whether the user tried to send it and it still has problems. */
    isRefused: tries > 0 && !isRight,
    reset: (to: Draft) => {
      setDraft(to);
      setTries(0);
    },
  };
}
