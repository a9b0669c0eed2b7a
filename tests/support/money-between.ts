import { type Nanos, nanos } from "@/server/base/money";
import { type AccountId, newId } from "@/server/domain/ids";
import { createDispatcher, createUpstreams } from "@/server/upstream";
import { chargeOf } from "./ledger";
import type { Rooms } from "./releases";
import { done, scriptedVendor } from "./scripted-videos";

const QUOTA = 1_000_000n;
const CHARGED = 700n;
const PARTLY = 200n;
const ADDED = 90n;
const TAKEN = 40n;
const CODE = 1_500n;
const VIDEO = 5_000n;
const VIDEO_SIZE = { durationSeconds: 5, resolution: "720p" } as const;

/** Longer than the debounce of a poll. */
const LATER_MS = 60_000;

const now = () => new Date();
const later = () => new Date(Date.now() + LATER_MS);

/** A release's functions for money on one database. Its vendor of videos is done at the first poll. */
function open(rooms: Rooms, url: string, clock: () => Date) {
  const db = rooms.openDatabase(url, { connections: 4 });
  const log = rooms.createLog("silent");
  const vault = rooms.vaultOf({ encryptionKey: "e".repeat(32), previous: {} });
  const billing = rooms.createBilling({ db, clock, log, timeZone: "UTC" });
  const vendor = scriptedVendor(clock);
  vendor.answerPoll(() => done);
  const dispatcher = createDispatcher();
  const upstreams = { ...createUpstreams(dispatcher), "openai-video": { videos: vendor } };
  const videos = rooms.createVideos({
    ...{ db, vault, log, clock, isClockRight: () => true, billing, upstreams },
    channels: rooms.createChannels({ db, vault, log, upstreams, timeoutMs: 10_000 }),
    catalog: rooms.createCatalog({ db }),
    metrics: rooms.createMetrics(),
    random: () => 0,
    ...{ timeoutMs: 600_000, debounceMs: 1_000 },
  });
  const close = async () => {
    await videos.close();
    await billing.close();
    await Promise.all([db.close(), dispatcher.destroy()]);
  };
  return { rooms, db, vault, billing, videos, close };
}

type ReleaseSide = ReturnType<typeof open>;

async function addBuyer({ rooms, db }: ReleaseSide) {
  const { id: accountId } = await rooms.createAccount(db, {
    name: "between",
    monthlyQuotaNanos: nanos(QUOTA),
  });
  const { id: keyId } = await rooms.issueKey(db, { accountId, name: "between" }, "p".repeat(32));
  return { accountId, keyId, keyCap: null };
}

type Buyer = Awaited<ReturnType<typeof addBuyer>>;

/** Adds a video model and a channel for it. Returns the model. */
async function sellVideos({ rooms, db, vault }: ReleaseSide): Promise<string> {
  const modelId = newId("gen");
  await rooms.saveModel(db, {
    ...{ id: modelId, kind: "video", isEnabled: true },
    videoPrices: [{ ...VIDEO_SIZE, price: nanos(VIDEO) }],
  });
  const channel = { name: modelId, baseUrl: "http://127.0.0.1:1/v1", models: { [modelId]: modelId } };
  await rooms.addChannel(db, { ...channel, dialect: "openai-video", secrets: ["upstream-secret"] }, vault);
  return modelId;
}

/** One side charges a call, the other refunds a part of it, and the first refunds the rest. */
async function giveBack(first: ReleaseSide, second: ReleaseSide, buyer: Buyer): Promise<void> {
  const { accountId } = buyer;
  const chargeId = newId("req");
  const hold = await first.billing.hold({ ...buyer, requestId: chargeId, amount: nanos(CHARGED) });
  await first.billing.capture(hold, chargeOf(CHARGED));
  const refund = { accountId, chargeId, period: first.billing.period(), reason: "between releases" };
  await second.rooms.refundCharge(second.db, { ...refund, amount: nanos(PARTLY) });
  await first.rooms.refundCharge(first.db, { ...refund, amount: null });
}

async function adjustBoth(first: ReleaseSide, second: ReleaseSide, accountId: AccountId): Promise<void> {
  const change = { accountId, period: first.billing.period(), reason: "between releases" };
  await first.rooms.adjust(first.db, { ...change, amount: nanos(ADDED) });
  await second.rooms.adjust(second.db, { ...change, amount: nanos(-TAKEN) });
}

async function redeem(first: ReleaseSide, second: ReleaseSide, accountId: AccountId): Promise<void> {
  const batch = { name: "between", amount: nanos(CODE), expiresAt: null, createdBy: "usr_between", count: 1 };
  const { codes } = await first.rooms.transaction(first.db, (tx) => first.rooms.makeCodes(tx, batch));
  const redeemed = { accountId, period: second.billing.period(), code: codes[0] ?? "", now: now() };
  await second.rooms.transaction(second.db, (tx) => second.rooms.redeemCode(tx, redeemed));
}

/** One side orders a video; the other finds it done and charges it. */
async function makeVideo(first: ReleaseSide, second: ReleaseSide, buyer: Buyer): Promise<string | undefined> {
  const modelId = await sellVideos(first);
  const order = {
    ...buyer,
    ...VIDEO_SIZE,
    ...{ modelId, prompt: "a cat", priceGroupId: null, aspectRatio: null, idempotency: null },
  };
  const { id } = await first.videos.submit(order);
  return (await second.videos.status(id, buyer.accountId))?.state;
}

/**
 * Lets one release begin changes of money that the other ends, on a shared database: a charge is refunded, a month
 * adjusted, a code redeemed, a video made. Returns the account's month, and the expected one.
 */
export async function moveMoney(url: string, releases: { first: Rooms; second: Rooms }) {
  const first = open(releases.first, url, now);
  const second = open(releases.second, url, later);
  try {
    const buyer = await addBuyer(first);
    const { accountId } = buyer;
    await giveBack(first, second, buyer);
    await adjustBoth(first, second, accountId);
    await redeem(first, second, accountId);
    const video = await makeVideo(first, second, buyer);
    const balance = await second.rooms.getBalance(second.db, { accountId, period: first.billing.period() });
    const drift = [await first.rooms.verifyLedger(first.db), await second.rooms.verifyLedger(second.db)];
    const topups: Nanos = nanos(CHARGED + ADDED - TAKEN + CODE);
    return {
      actual: { video, drift, topups: balance.topups, used: balance.used, frozen: balance.frozen },
      expected: {
        video: "completed",
        drift: [[], []],
        topups,
        used: nanos(CHARGED + VIDEO),
        frozen: nanos(0n),
      },
    };
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
}
