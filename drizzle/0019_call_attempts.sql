CREATE TABLE "call_attempts" (
	"request_id" text NOT NULL,
	"account_id" text NOT NULL,
	"position" smallint NOT NULL,
	"channel_id" text NOT NULL,
	"operation" text NOT NULL,
	"credential" text NOT NULL,
	"model_id" text NOT NULL,
	"began_at" timestamp with time zone NOT NULL,
	"status" integer,
	"outcome" text NOT NULL,
	"head_ms" integer,
	"first_ms" integer,
	"elapsed_ms" integer NOT NULL,
	"words" text,
	CONSTRAINT "call_attempts_account_id_request_id_position_pk" PRIMARY KEY("account_id","request_id","position")
) PARTITION BY RANGE ("request_id");
--> statement-breakpoint
CREATE INDEX "call_attempts_channel" ON "call_attempts" USING btree ("channel_id","request_id");--> statement-breakpoint
CREATE TABLE "call_attempts_rest" PARTITION OF "call_attempts" DEFAULT;--> statement-breakpoint
-- tollgate: allowed, unknown-statement: it makes partitions of the table of this file, which nobody reads yet
-- This month and the next two; later ones are made ahead (server/db/partitions.ts).
DO $$
DECLARE
	month date;
BEGIN
	FOR month IN
		SELECT generate_series(date_trunc('month', now(), 'UTC') AT TIME ZONE 'UTC',
			date_trunc('month', now(), 'UTC') AT TIME ZONE 'UTC' + interval '2 months', interval '1 month')
	LOOP
		EXECUTE format('CREATE TABLE %I PARTITION OF "call_attempts" FOR VALUES FROM (%L) TO (%L)',
			'call_attempts_' || to_char(month, 'YYYY_MM'),
			'req_' || lpad(to_hex((extract(epoch FROM month::timestamp AT TIME ZONE 'UTC') * 1000)::bigint), 12, '0'),
			'req_' || lpad(to_hex((extract(epoch FROM (month + interval '1 month') AT TIME ZONE 'UTC') * 1000)::bigint), 12, '0'));
	END LOOP;
END $$;
