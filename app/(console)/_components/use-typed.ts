import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";

/** Typing asks once it pauses. */
const TYPING_MS = 300;

/** What is typed into a field that searches, once that has paused. */
export function useTyped() {
  const [typed, onSearchChange] = useState("");
  const [search] = useDebouncedValue(typed, TYPING_MS);
  return { search, onSearchChange };
}
