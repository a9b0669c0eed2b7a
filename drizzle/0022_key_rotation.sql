ALTER TABLE "api_keys" ADD COLUMN "old_hash" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "old_last_four" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "old_until" timestamp with time zone;