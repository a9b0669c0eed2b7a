import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";

/** The search starts when typing pauses this long. */
const TYPING_MS = 300;

/** The text of a search field, after a pause in typing. */
export function useTyped() {
  const [typed, onSearchChange] = useState("");
  const [search] = useDebouncedValue(typed, TYPING_MS);
  return { search, onSearchChange };
}
