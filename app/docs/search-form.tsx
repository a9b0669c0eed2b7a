"use client";

import { TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useSearchParams } from "next/navigation";
import { addresses } from "@/app/addresses";
import { MAX_QUERY } from "./query";

/** A form that works without scripts: the result is a page. It keeps the words of that page. */
export function SearchForm({ label }: { label: string }) {
  const query = useSearchParams().get("q") ?? "";
  return (
    <search className="docs-search">
      <form action={addresses.docSearch()}>
        <TextInput
          key={query}
          name="q"
          type="search"
          size="xs"
          defaultValue={query}
          maxLength={MAX_QUERY}
          placeholder={label}
          aria-label={label}
          // `earlyClicks` focuses the field on this shortcut.
          aria-keyshortcuts="Control+K Meta+K"
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={<span className="search-keys" />}
          rightSectionWidth="3.2rem"
          rightSectionPointerEvents="none"
        />
      </form>
    </search>
  );
}
