CREATE TABLE "labelled_objects" (
	"kind" text NOT NULL,
	"object_id" text NOT NULL,
	"label" text NOT NULL,
	"parent_id" text,
	"name" text,
	"is_created" boolean NOT NULL,
	"is_pruned" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "labelled_objects_kind_object_id_pk" PRIMARY KEY("kind","object_id")
);
--> statement-breakpoint
CREATE INDEX "labelled_objects_parent" ON "labelled_objects" USING btree ("parent_id");