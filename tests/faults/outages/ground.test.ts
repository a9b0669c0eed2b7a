/** PostgreSQL, Redis, the machine and its clock fail. */
import { testOutages } from "@/tests/support/outage-tests";

testOutages("ground");
