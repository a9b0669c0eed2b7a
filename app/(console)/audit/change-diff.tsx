import { UnstyledButton, VisuallyHidden } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { Dimmed } from "../_components/tables/dimmed";
import { Timestamp } from "../_components/text/timestamp";
import { type Changed, changedMembers, type MemberValue } from "./changed-members";

/** The members that fit into a row of a table; a click shows the rest. */
const SHOWN_AT_FIRST = 3;

/** The form of a value of a fixed set: no other value is looked up among the texts. */
const isWord = /^[a-z]+$/;

/** The members that are moments. A name may look like a moment and is shown as it is written. */
const MOMENTS = ["beginsAt", "createdAt", "expiresAt"];

/** A flag or a value of a fixed set, such as a status, in words; a moment in the reader's zone; any other as it is written. */
function useValueText(member: string): (value: MemberValue) => ReactNode {
  const t = useTranslations("audit");
  const common = useTranslations("common");
  return (value) => {
    if (typeof value === "boolean") {
      return common(value ? "yes" : "no");
    }
    if (MOMENTS.includes(member) && Number.isFinite(Date.parse(value))) {
      return <Timestamp at={value} exact />;
    }
    const key = `value.${member}.${value}` as Parameters<typeof t>[0];
    return isWord.test(value) && t.has(key) ? t(key) : value;
  };
}

function Member({ path, before, after }: Changed) {
  const t = useTranslations("audit");
  const [first = "", ...rest] = path;
  const textOf = useValueText(first);
  const key = `member.${first}` as Parameters<typeof t>[0];
  const name = [t.has(key) ? t(key) : first, ...rest].join(" · ");
  return (
    <li>
      <span className="diff-name">{name}</span>
      {before !== null && (
        <del>
          <VisuallyHidden>{t("was")}</VisuallyHidden>
          {textOf(before)}
        </del>
      )}
      {after !== null && (
        <ins>
          <VisuallyHidden>{t("isNow")}</VisuallyHidden>
          {textOf(after)}
        </ins>
      )}
    </li>
  );
}

/** The members that differ, each with the old value struck out and the new one next to it. */
export function ChangeDiff({ before, after }: { before: unknown; after: unknown }) {
  const t = useTranslations("audit");
  const common = useTranslations("common");
  const [isOpen, setOpen] = useState(false);
  // There is nothing to compare: a new password has no before and after.
  if (before === null && after === null) {
    return <span aria-hidden>—</span>;
  }
  const changes = changedMembers(before, after);
  if (changes.length === 0) {
    return <Dimmed>{t("nothing")}</Dimmed>;
  }
  const hidden = changes.length - SHOWN_AT_FIRST;
  return (
    <div>
      <ul className="diff">
        {(isOpen ? changes : changes.slice(0, SHOWN_AT_FIRST)).map((change) => (
          <Member key={change.path.join(".")} {...change} />
        ))}
      </ul>
      {hidden > 0 && (
        <UnstyledButton className="diff-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t("less") : common("more", { count: hidden })}
        </UnstyledButton>
      )}
    </div>
  );
}
