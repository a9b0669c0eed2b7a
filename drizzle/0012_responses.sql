CREATE TABLE "stored_responses" (
	"account_id" text NOT NULL,
	"hash" text NOT NULL,
	"parent_hash" text,
	"key_id" text NOT NULL,
	"bytes" integer NOT NULL,
	"payload" "bytea" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "stored_responses_account_id_hash_pk" PRIMARY KEY("account_id","hash")
);
--> statement-breakpoint
CREATE INDEX "stored_responses_expiring" ON "stored_responses" USING btree ("expires_at");