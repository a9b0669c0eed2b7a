ALTER TABLE "holds" ADD COLUMN "process_id" text;--> statement-breakpoint
ALTER TABLE "holds" ADD COLUMN "captured" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "holds" ADD COLUMN "in_use" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "spend_hours" ADD COLUMN "shard" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "spend_hours" DROP CONSTRAINT "spend_hours_account_id_period_hour_key_id_model_id_pk";--> statement-breakpoint
ALTER TABLE "spend_hours" ADD CONSTRAINT "spend_hours_account_id_period_hour_key_id_model_id_shard_pk" PRIMARY KEY("account_id","period","hour","key_id","model_id","shard");--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_entries_end" ON "ledger_entries" USING btree ("request_id",(kind = 'release' and note is not distinct from 'expired'));--> statement-breakpoint
DROP INDEX "ledger_entries_request";
