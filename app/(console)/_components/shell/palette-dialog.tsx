import { Modal, NavLink, TextInput, VisuallyHidden } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconArrowRight, IconSearch } from "@tabler/icons-react";
import { useRouter } from "next/navigation";
import { type KeyboardEvent, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { may, sideOf } from "@/server/domain/roles";
import { Dimmed } from "../tables/dimmed";
import { useInstallation } from "../text/installation";
import { type Command, useAllNames, useDocs, useOwnNames } from "../text/use-found-names";
import { placesOf, type Viewer } from "./navigation";

function useCommands(role: Viewer["role"], query: string): Command[] {
  const t = useTranslations("shell");
  const isOperator = sideOf(role) === "operator";
  const id = query.trim();
  // The search starts when typing pauses. Names found for an earlier text do not match the current one.
  const [searchText] = useDebouncedValue(id, TYPING_MS);
  const part = searchText === id ? id : "";
  const own = useOwnNames(isOperator ? "" : part);
  const everybodys = useAllNames(isOperator ? part : "");
  const docs = useDocs(part);
  const places: Command[] = placesOf(role, useInstallation().payments !== null).map(({ href, label }) => ({
    href,
    label: t(label),
  }));
  if (!isOperator && may(role, "keys.write")) {
    places.push({ href: addresses.keys({ create: true }), label: t("createKey") });
  }
  places.push({ href: addresses.docs(), label: t("docs") });
  const matches = places.filter(({ label }) => label.toLowerCase().includes(id.toLowerCase()));
  if (/^req_\w+$/.test(id)) {
    const list = isOperator ? addresses.allRequests : addresses.requests;
    matches.push({ href: list({ request: id }), label: t("findRequest", { id }) });
  }
  if (/^task_\w+$/.test(id)) {
    const list = isOperator ? addresses.allVideos : addresses.videos;
    matches.push({ href: list({ task: id }), label: t("findTask", { id }) });
  }
  if (isOperator && /^acc_\w+$/.test(id)) {
    matches.push({ href: addresses.account(id), label: t("findAccount", { id }) });
  }
  return [...matches, ...own, ...everybodys, ...docs];
}

/** Shorter than the user takes to look up from typing. */
const TYPING_MS = 200;

/** A combobox: the arrow keys choose, Enter opens. */
export function PaletteDialog({ role, onClose }: { role: Viewer["role"]; onClose: () => void }) {
  const t = useTranslations("shell");
  const router = useRouter();
  const listId = useId();
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const commands = useCommands(role, query);
  const index = Math.min(chosen, commands.length - 1);
  const go = (command: Command | undefined) => {
    if (command) {
      onClose();
      router.push(command.href);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && commands.length > 0) {
      event.preventDefault();
      setChosen((index + step + commands.length) % commands.length);
    } else if (event.key === "Enter") {
      go(commands[index]);
    }
  };
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding="xs"
      yOffset="12vh"
      aria-label={t("palette")}
    >
      <TextInput
        data-autofocus
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={commands[index] ? `${listId}-${index}` : undefined}
        aria-label={t("palettePlaceholder")}
        placeholder={t("palettePlaceholder")}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label={t("palette")} className="palette-list">
        {commands.map((command, position) => (
          <NavLink
            key={`${command.kind} ${command.href} ${command.label}`}
            component="div"
            role="option"
            tabIndex={-1}
            id={`${listId}-${position}`}
            aria-selected={position === index}
            active={position === index}
            label={command.label}
            description={command.kind}
            rightSection={<IconArrowRight size={14} aria-hidden />}
            onClick={() => go(command)}
          />
        ))}
      </div>
      {commands.length === 0 && <Dimmed p="sm">{t("paletteEmpty")}</Dimmed>}
      <VisuallyHidden role="status">{commands.length}</VisuallyHidden>
    </Modal>
  );
}
