/** Writes e-mails about events. Pure. */

import type { NotificationType } from "@/server/domain/enums";
import { type Email, layOut } from "./layout";
import { type Data, letterTexts } from "./letter-texts";
import { type LetterPlace, letterValues } from "./letter-values";

export type EmailEvent = { type: NotificationType; data: Data };

/**
 * `accountNames`: for an operator, the names of the accounts in the events; null for an owner, who gets events of one
 * account only.
 */
export type EmailReader = LetterPlace & {
  email: string;
  /** Where the reader leaves all alerts, without signing in. */
  unsubscribeUrl: string;
  /** The console's address: `https://host`. */
  origin: string;
  accountNames: ReadonlyMap<string, string> | null;
};

/** Further events are only counted. */
const LISTED = 30;
/** For names that others chose: a subject is one line. */
const NAME_CHARACTERS = 100;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what ends a line, or turns the direction of one, is no name
const unprintable = /[\u0000-\u001f\u007f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
export const oneLine = (text: string) => text.replaceAll(unprintable, " ").slice(0, NAME_CHARACTERS);

const plain = (data: Data): Data =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, typeof value === "string" ? oneLine(value) : value]),
  );

const at = (path: string, id: unknown) => path + encodeURIComponent(String(id));

/** Events about channels go to operators only. */
const channelPlace = ({ channel_id }: Data) => {
  const place = at("/channels/", channel_id);
  return { own: place, operator: place };
};

/** The page of the console for an event: for people of the account, and for operators. */
const places: Record<NotificationType, (data: Data) => { own: string; operator: string }> = {
  "quota.threshold": ({ account_id }) => ({ own: "/billing", operator: at("/accounts/", account_id) }),
  "key.cap_threshold": ({ account_id, key_id }) => ({
    own: at("/keys/", key_id),
    operator: at("/accounts/", account_id),
  }),
  "daily_limit.threshold": ({ account_id }) => ({ own: "/usage", operator: at("/accounts/", account_id) }),
  "spend.anomaly": ({ account_id }) => ({
    own: "/usage?by=key&range=day",
    operator: at("/all-usage?by=key&range=day&account=", account_id),
  }),
  "video.completed": ({ task_id }) => ({
    own: at("/videos?task=", task_id),
    operator: at("/all-videos?task=", task_id),
  }),
  "video.failed": ({ task_id }) => ({
    own: at("/videos?task=", task_id),
    operator: at("/all-videos?task=", task_id),
  }),
  "channel.failing": channelPlace,
  "channel.recovered": channelPlace,
  "channel.models_changed": channelPlace,
  "webhook.test": () => ({ own: "/notifications", operator: "/notifications" }),
  "mail.test": () => ({ own: "/notifications", operator: "/notifications" }),
};

/** Writes one e-mail about all events, oldest first. */
export function write(events: readonly EmailEvent[], reader: EmailReader): Email {
  const { language, origin, accountNames, email, unsubscribeUrl } = reader;
  const texts = letterTexts[language];
  const values = letterValues(reader);
  const items = events.slice(0, LISTED).map((event) => {
    const data = plain(event.data);
    const { title, detail } = texts.events[event.type](data, values);
    const name = accountNames?.get(String(data.account_id));
    return {
      title: name === undefined ? title : `${oneLine(name)}${texts.colon}${title}`,
      detail: detail === "" ? [] : [detail],
      action: {
        label: texts.open,
        url: origin + places[event.type](data)[accountNames === null ? "own" : "operator"],
      },
    };
  });
  const more = events.length - items.length;
  return layOut({
    language,
    subject: `${items[0]?.title ?? ""}${events.length > 1 ? texts.others(events.length - 1) : ""}`,
    items,
    after: more > 0 ? texts.more(more) : "",
    footer: {
      text: texts.why(email),
      links: [
        { label: texts.change, url: `${origin}/notifications` },
        { label: texts.leave, url: unsubscribeUrl },
      ],
    },
  });
}
