-- tollgate: allowed, unbounded: an account is a row, and installations have at most thousands.
ALTER TABLE "accounts" ALTER COLUMN "carries_topups_since" SET DEFAULT '0001-01';--> statement-breakpoint
-- Accounts for which no operator has decided carry over what is left of this month. Half a day earlier than UTC, so that
-- no month that is still open somewhere is left out.
UPDATE "accounts" SET "carries_topups_since" = to_char((now() AT TIME ZONE 'UTC') - interval '12 hours', 'YYYY-MM')
WHERE "carries_topups_since" IS NULL AND NOT EXISTS (
  SELECT FROM "audit_entries"
  WHERE "action" = 'account.set_carries_topups' AND "target_id" = "accounts"."id"
);
