CREATE TABLE "conversations" (
	"account_id" text NOT NULL,
	"hash" text NOT NULL,
	"key_id" text NOT NULL,
	"payload" "bytea" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "conversations_account_id_hash_pk" PRIMARY KEY("account_id","hash")
);
--> statement-breakpoint
ALTER TABLE "stored_responses" ADD COLUMN "conversation_hash" text;--> statement-breakpoint
CREATE INDEX "conversations_expiring" ON "conversations" USING btree ("expires_at");