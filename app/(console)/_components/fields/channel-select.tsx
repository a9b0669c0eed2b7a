import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../data/trpc";
import { optionalQuery } from "../shell/stale-note";
import { SearchedSelect } from "./searched-select";

type Props = { value: string | null; onChange: (channelId: string | null) => void };

/** For operators: finds a channel by a part of its name. `value`: its identifier. */
export function ChannelSelect({ value, onChange }: Props) {
  const t = useTranslations("requests");
  const { data: channels = [] } = useQuery(useTRPC().channels.list.queryOptions({}, optionalQuery));
  return (
    <SearchedSelect
      label={t("channel")}
      placeholder={t("anyChannel")}
      nothingFoundMessage={t("noSuchChannel")}
      names={new Map(channels.map(({ id, name }) => [id, name]))}
      value={value}
      onChange={onChange}
    />
  );
}
