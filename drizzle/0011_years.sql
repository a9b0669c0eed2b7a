CREATE TABLE "ledger_checkpoints" (
	"account_id" text NOT NULL,
	"period" text NOT NULL,
	"kind" text NOT NULL,
	"key_id" text NOT NULL,
	"model_id" text NOT NULL,
	"entries" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"over_hold" bigint NOT NULL,
	CONSTRAINT "ledger_checkpoints_account_id_period_kind_key_id_model_id_pk" PRIMARY KEY("account_id","period","kind","key_id","model_id")
);
--> statement-breakpoint
CREATE INDEX "ledger_checkpoints_period" ON "ledger_checkpoints" USING btree ("period","account_id");--> statement-breakpoint
CREATE TABLE "ledger_closings" (
	"number" integer PRIMARY KEY NOT NULL,
	"period" text NOT NULL,
	"entries" bigint NOT NULL,
	"sums" text NOT NULL,
	"digest" text NOT NULL,
	"closed_at" timestamp with time zone DEFAULT now() NOT NULL,
	"archived_at" timestamp with time zone,
	"archive" text
);
--> statement-breakpoint
ALTER TABLE "holds" DROP CONSTRAINT "holds_pkey";--> statement-breakpoint
DROP INDEX "holds_account";--> statement-breakpoint
ALTER TABLE "holds" ADD CONSTRAINT "holds_account_id_period_request_id_pk" PRIMARY KEY("account_id","period","request_id");--> statement-breakpoint
ALTER TABLE "key_months" ADD COLUMN "account_id" text;--> statement-breakpoint
UPDATE "key_months" SET "account_id" = coalesce(
	(SELECT "account_id" FROM "api_keys" WHERE "id" = "key_id"),
	(SELECT min("account_id") FROM "spend_hours" WHERE "spend_hours"."key_id" = "key_months"."key_id"),
	''
);--> statement-breakpoint
ALTER TABLE "key_months" ALTER COLUMN "account_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "key_months" DROP CONSTRAINT "key_months_key_id_period_pk";--> statement-breakpoint
ALTER TABLE "key_months" ADD CONSTRAINT "key_months_account_id_period_key_id_pk" PRIMARY KEY("account_id","period","key_id");--> statement-breakpoint
ALTER TABLE "ledger_entries" RENAME TO "entries_before";--> statement-breakpoint
ALTER TABLE "calls" RENAME TO "calls_before";--> statement-breakpoint
-- Their indexes have the names of the new ones.
DROP INDEX "ledger_entries_end", "ledger_entries_account", "ledger_entries_others", "calls_account", "calls_key",
	"calls_account_model", "calls_model", "calls_account_failed", "calls_failed";--> statement-breakpoint
-- What is eight bytes wide comes first: nothing is filled up between.
CREATE TABLE "ledger_entries" (
	"amount" bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"held" bigint,
	"input_tokens" bigint,
	"cache_read_tokens" bigint,
	"cache_write_tokens" bigint,
	"cache_write_1h_tokens" bigint,
	"output_tokens" bigint,
	"reasoning_tokens" bigint,
	"is_lost" boolean DEFAULT false NOT NULL,
	"id" text NOT NULL,
	"account_id" text NOT NULL,
	"period" text NOT NULL,
	"kind" text NOT NULL,
	"key_id" text,
	"model_id" text,
	"channel_id" text,
	"prices" jsonb,
	"usage_source" text,
	"note" text,
	CONSTRAINT "ledger_entries_account_id_id_is_lost_period_pk" PRIMARY KEY("account_id","id","is_lost","period")
) PARTITION BY LIST ("period");--> statement-breakpoint
CREATE INDEX "ledger_entries_time" ON "ledger_entries" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "ledger_entries_others" ON "ledger_entries" USING btree ("account_id","kind","created_at") WHERE kind <> 'capture';--> statement-breakpoint
CREATE TABLE "ledger_entries_rest" PARTITION OF "ledger_entries" DEFAULT;--> statement-breakpoint
CREATE TABLE "calls" (
	"request_id" text NOT NULL,
	"account_id" text NOT NULL,
	"key_id" text NOT NULL,
	"endpoint" text NOT NULL,
	"model_id" text,
	"channel_id" text,
	"task_id" text,
	"status" integer NOT NULL,
	"error" text,
	"is_stream" boolean DEFAULT false NOT NULL,
	"first_token_ms" integer,
	"elapsed_ms" integer NOT NULL,
	"address" text,
	"started_at" timestamp with time zone NOT NULL,
	CONSTRAINT "calls_account_id_request_id_pk" PRIMARY KEY("account_id","request_id")
) PARTITION BY RANGE ("request_id");--> statement-breakpoint
CREATE INDEX "calls_all" ON "calls" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "calls_key" ON "calls" USING btree ("key_id","request_id");--> statement-breakpoint
CREATE INDEX "calls_account_model" ON "calls" USING btree ("account_id","model_id","request_id");--> statement-breakpoint
CREATE INDEX "calls_model" ON "calls" USING btree ("model_id","request_id");--> statement-breakpoint
CREATE INDEX "calls_account_failed" ON "calls" USING btree ("account_id","request_id") WHERE error is not null;--> statement-breakpoint
CREATE INDEX "calls_failed" ON "calls" USING btree ("request_id") WHERE error is not null;--> statement-breakpoint
CREATE TABLE "calls_rest" PARTITION OF "calls" DEFAULT;--> statement-breakpoint
-- Every month that there is, this one and the next two; later ones are made ahead (server/db/partitions.ts).
DO $$
DECLARE
	month date;
BEGIN
	FOR month IN
		SELECT generate_series(date_trunc('month', now(), 'UTC') AT TIME ZONE 'UTC' - interval '1 month',
			date_trunc('month', now(), 'UTC') AT TIME ZONE 'UTC' + interval '2 months', interval '1 month')
		UNION SELECT to_date(period, 'YYYY-MM') FROM "entries_before" WHERE period ~ '^\d{4}-\d{2}$'
		UNION SELECT date_trunc('month', min(started_at), 'UTC') AT TIME ZONE 'UTC' FROM "calls_before" HAVING count(*) > 0
	LOOP
		EXECUTE format('CREATE TABLE %I PARTITION OF "ledger_entries" FOR VALUES IN (%L)',
			'ledger_entries_' || to_char(month, 'YYYY_MM'), to_char(month, 'YYYY-MM'));
		EXECUTE format('CREATE TABLE %I PARTITION OF "calls" FOR VALUES FROM (%L) TO (%L)',
			'calls_' || to_char(month, 'YYYY_MM'),
			'req_' || lpad(to_hex((extract(epoch FROM month::timestamp AT TIME ZONE 'UTC') * 1000)::bigint), 12, '0'),
			'req_' || lpad(to_hex((extract(epoch FROM (month + interval '1 month') AT TIME ZONE 'UTC') * 1000)::bigint), 12, '0'));
	END LOOP;
END $$;--> statement-breakpoint
INSERT INTO "ledger_entries" (
	"id", "is_lost", "account_id", "period", "kind", "amount", "created_at", "held", "key_id", "model_id", "channel_id",
	"prices", "input_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens", "output_tokens",
	"reasoning_tokens", "usage_source", "note"
)
SELECT
	CASE
		WHEN "request_id" IS NOT NULL THEN "request_id"
		WHEN "kind" = 'grant' AND "id" = "first_id" THEN 'grant_' || "period"
		ELSE 'ent_' || lpad(to_hex((extract(epoch FROM "created_at") * 1000)::bigint), 12, '0') || lpad(to_hex("id"), 20, '0')
	END,
	"kind" = 'release' AND "note" IS NOT DISTINCT FROM 'expired',
	"account_id", "period", "kind", "amount", "created_at", "held", "key_id", "model_id", "channel_id",
	"prices", "input_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens", "output_tokens",
	"reasoning_tokens", "usage_source", "note"
FROM "entries_before" LEFT JOIN (
	SELECT "account_id", "period", min("id") AS "first_id" FROM "entries_before" WHERE "kind" = 'grant' GROUP BY 1, 2
) AS "grants" USING ("account_id", "period")
ORDER BY "entries_before"."id";--> statement-breakpoint
INSERT INTO "calls" (
	"request_id", "account_id", "key_id", "endpoint", "model_id", "channel_id", "task_id", "status", "error", "is_stream",
	"first_token_ms", "elapsed_ms", "address", "started_at"
)
SELECT
	"request_id", "account_id", "key_id", "endpoint", "model_id", "channel_id", "task_id", "status", "error", "is_stream",
	"first_token_ms", "elapsed_ms", "address", "started_at"
FROM "calls_before";--> statement-breakpoint
DROP TABLE "entries_before";--> statement-breakpoint
DROP TABLE "calls_before";
