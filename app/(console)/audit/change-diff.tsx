import { VisuallyHidden } from "@mantine/core";
import { useTranslations } from "use-intl";
import { Dimmed } from "../_components/tables/dimmed";
import { type Changed, changedMembers } from "./changed-members";
import { mostTelling } from "./most-telling";
import { useMemberName, useValueText } from "./use-change-words";

/** Characters that a line has room for on every window. */
const SHORT = 24;

type MemberProps = { change: Changed; currency: string | undefined };

/** A member with its new value; the value that this one replaced is struck out before it. */
function Member({ change: { path, before, after }, currency }: MemberProps) {
  const t = useTranslations("audit");
  const nameOf = useMemberName();
  const textOf = useValueText(currency);
  return (
    <>
      <span className="change-name">{nameOf(path)}</span>
      {before !== null && (
        <del>
          <VisuallyHidden>{t("was")}</VisuallyHidden>
          {textOf(path, before)}
        </del>
      )}
      {before !== null && after !== null && (
        <span className="change-arrow" aria-hidden>
          →
        </span>
      )}
      {after !== null && (
        <ins>
          <VisuallyHidden>{t("isNow")}</VisuallyHidden>
          {textOf(path, after)}
        </ins>
      )}
    </>
  );
}

const lengthOf = ({ before, after }: Changed) => `${before ?? ""}${after ?? ""}`.length;

type Props = {
  before: unknown;
  after: unknown;
  /** The name of the changed object, which its row shows anyway. */
  targetName?: string;
};

/** The most telling of the members that differ, on one line that opens into all of them. */
export function ChangeDiff({ before, after, targetName }: Props) {
  const t = useTranslations("audit");
  // There is nothing to compare: a new password has no before and after.
  if (before === null && after === null) {
    return <span aria-hidden>—</span>;
  }
  const changes = changedMembers(before, after);
  const [first] = mostTelling(changes, targetName);
  if (first === undefined) {
    return <Dimmed>{t("nothing")}</Dimmed>;
  }
  const others = changes.filter((change) => change !== first);
  const currency = changes.find(({ path }) => path[0] === "currency")?.after;
  const shown = { currency: typeof currency === "string" ? currency : undefined };
  if (others.length === 0 && lengthOf(first) <= SHORT) {
    return (
      <div className="change change-first">
        <Member change={first} {...shown} />
      </div>
    );
  }
  return (
    <details className="change">
      <summary className="change-line">
        <span className="change-first">
          <Member change={first} {...shown} />
        </span>
        {others.length > 0 && (
          <span className="change-more">{t("moreMembers", { count: others.length })}</span>
        )}
      </summary>
      {others.length > 0 && (
        <ul className="diff">
          {others.map((change) => (
            <li key={change.path.join(".")}>
              <Member change={change} {...shown} />
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
