CREATE TABLE "outage_parts" (
	"account_id" text NOT NULL,
	"process_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"turn" bigint NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "outage_parts_account_id_process_id_pk" PRIMARY KEY("account_id","process_id")
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "outage_allowance" bigint;--> statement-breakpoint
ALTER TABLE "account_months" ADD COLUMN "outage" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "outage_parts_process" ON "outage_parts" USING btree ("process_id");--> statement-breakpoint
CREATE INDEX "outage_parts_expiry" ON "outage_parts" USING btree ("expires_at");