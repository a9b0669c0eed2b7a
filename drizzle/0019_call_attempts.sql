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
-- Its months are made by the first server and `migrate` (server/db/partitions.ts).
CREATE TABLE "call_attempts_rest" PARTITION OF "call_attempts" DEFAULT;
