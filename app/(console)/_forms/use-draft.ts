import { type SubmitEvent, useEffect, useRef, useState } from "react";
import { hasProblems } from "./problems";

type Rules<Draft, Problems> = {
  /** What keeps a draft from being sent; empty when nothing does. */
  problemsOf: (draft: Draft) => Problems;
  /** What `problemsOf` says of a draft that is right. */
  none: Problems;
  /** Only of a draft without problems. */
  send: (draft: Draft) => void;
};

/** A form over a draft. Problems show from the first try to send it, which puts the focus into the first of them. */
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
    /** Those to show. */
    problems: tries > 0 ? problems : none,
    isRight,
    /** It was sent, and could not be as it stands. */
    isRefused: tries > 0 && !isRight,
    reset: (to: Draft) => {
      setDraft(to);
      setTries(0);
    },
  };
}
