CREATE TABLE "idempotent_calls" (
	"account_id" text NOT NULL,
	"hash" text NOT NULL,
	"fingerprint" text NOT NULL,
	"request_id" text NOT NULL,
	"lease_until" timestamp with time zone,
	"answer" "bytea",
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotent_calls_account_id_hash_pk" PRIMARY KEY("account_id","hash")
);
--> statement-breakpoint
CREATE INDEX "idempotent_calls_expiring" ON "idempotent_calls" USING btree ("expires_at");