CREATE TABLE "model_prices" (
	"model_id" text NOT NULL,
	"begins_at" timestamp (3) with time zone NOT NULL,
	"prices" jsonb NOT NULL,
	"is_free" boolean NOT NULL,
	"entered_by" text,
	"entered_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"is_written" boolean NOT NULL,
	CONSTRAINT "model_prices_model_id_begins_at_pk" PRIMARY KEY("model_id","begins_at")
);
--> statement-breakpoint
ALTER TABLE "model_prices" ADD CONSTRAINT "model_prices_model_id_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."models"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "model_prices_to_come" ON "model_prices" USING btree ("begins_at") WHERE not is_written;